"""Combines several sources into one, in CUDA C++ and for Triton.

Each CUDA source gets its own namespace. Its includes come first, and its macros are undefined after it. As in
a submission, a source may omit `const`, so inputs are passed with the type that each source declares. Each
Triton source becomes a module, which is created at its first call.
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
    """Return the source of a batch of `sources`.

    `problem` is the problem with the argument `WHICH`, see `trials`.

    Raises:
        ValueError: programs in `language` cannot be combined.
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
    # Functions with C linkage share one name in all namespaces, so they get C++ linkage.
    body = _INCLUDE.sub("", source).replace('extern "C"', 'extern "C++"')
    macros = [f"#undef {name}" for name in dict.fromkeys(_DEFINE.findall(source))]
    return "\n".join([f"namespace program_{number} {{", body, *macros, f"}}  // program_{number}"])
