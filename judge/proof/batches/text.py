"""One source out of many, in CUDA C++ and for Triton.

CUDA sources get a namespace each; their includes come first, and their macros end with them. They may leave
out `const`, as in a submission, so inputs are passed as what each of them takes. Triton
sources become modules of their own, made when they are called for the first time.
"""

import re
from collections.abc import Sequence

from problems.binding import signature_cuda
from problems.schema import Problem
from problems.vocabulary import Language, Role

WHICH = "warpcourt_program"  # the argument that says which program is called, from 0
LANGUAGES = (Language.CUDA, Language.TRITON)

_INCLUDE = re.compile(r"(?m)^[ \t]*#[ \t]*include\b.*$")
_DEFINE = re.compile(r"(?m)^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)")

_GIVEN = """\
template <class T>
struct warpcourt_given {
  const T* at;
  explicit warpcourt_given(const T* at) : at(at) {}
  operator const T*() const { return at; }
  operator T*() const { return const_cast<T*>(at); }
};
"""
_TRITON = """\
import linecache
import sys
from types import ModuleType

_SOURCES = [
{sources}
]
_programs = {{}}


def _program(number):
    if number not in _programs:
        name, source = f"program_{{number}}", _SOURCES[number]
        file = f"{{name}}.py"
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        module = ModuleType(name)
        module.__file__ = file
        sys.modules[name] = module
        exec(compile(source, file, "exec", dont_inherit=True), module.__dict__)
        _programs[number] = module.solve
    return _programs[number]


def solve(*arguments):
    *own, number = arguments
    _program(number)(*own)
"""


def batch_text(problem: Problem, sources: Sequence[str], language: Language) -> str:
    """The source of a batch of `sources`. `problem` is the one with the argument `WHICH`, see `trials`.

    Raises:
        ValueError: programs in `language` cannot be lined up.
    """
    match language:
        case Language.CUDA:
            return _cuda(problem, sources)
        case Language.TRITON:
            return _TRITON.format(sources="\n".join(f"    {source!r}," for source in sources))
    raise ValueError(f"programs in {language} cannot be judged in batches")


def _cuda(problem: Problem, sources: Sequence[str]) -> str:
    includes = dict.fromkeys(found.strip() for source in sources for found in _INCLUDE.findall(source))
    passed = ", ".join(
        f"warpcourt_given({a.name})" if a.role is Role.IN else a.name
        for a in problem.arguments
        if a.name != WHICH
    )
    return "\n".join(
        [
            *includes,
            *(_namespace(number, source) for number, source in enumerate(sources)),
            _GIVEN,
            f'extern "C" {signature_cuda(problem)} {{',
            f"    switch ({WHICH}) {{",
            *(f"    case {n}: program_{n}::solve({passed}); return;" for n in range(len(sources))),
            "    }",
            "}",
            "",
        ]
    )


def _namespace(number: int, source: str) -> str:
    # Functions of C share one name whatever their namespace, so there may be none.
    body = _INCLUDE.sub("", source).replace('extern "C"', 'extern "C++"')
    macros = [f"#undef {name}" for name in dict.fromkeys(_DEFINE.findall(source))]
    return "\n".join([f"namespace program_{number} {{", body, *macros, f"}}  // program_{number}"])
