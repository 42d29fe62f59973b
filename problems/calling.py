"""The form of the call of a Python submission: its arguments and results.

CUDA C++ and Triton programs define `solve` and write into the arrays that they receive. PyTorch programs have
other forms: `custom_kernel(data)` takes a tuple and returns tensors, `ModelNew(…)(x)` is a module with
parameters, and `Function.apply(x)` is an operator with a derivative. Only the problem's arguments are sent to
a runner, and `[python]` in problem.toml describes how such a call is built from them. The descriptions are
expressions of names and constants. This module parses them, and `sandbox.runner.python_call` builds the
values; they are never evaluated.
"""

import ast
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from problems.parsing import parse_expression

# Element types of one byte that PyTorch has and the wire format lacks. The last one holds two numbers in a
# byte.
BYTE_FORMATS = (
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "float8_e8m0fnu",
    "float4_e2m1fn_x2",
)
MAX_CHARACTERS = 400
_MAX_NODES = 120
_MAX_TEXT = 100
_ALLOWED = "names, numbers, strings, True, False, None, tuples, lists and dicts"


class PatternError(ValueError):
    """Raised when a text is not an expression of names and constants."""


class PythonEntry(StrEnum):
    """The entry point that a Python program defines. It may always define a plain `solve` instead."""

    SOLVE = "solve"
    CUSTOM_KERNEL = "custom_kernel"
    MODEL_NEW = "ModelNew"
    FUNCTION = "Function"


@dataclass(frozen=True, slots=True)
class Pattern:
    """An expression of names and constants, such as `(a, b, {"heads": 8})`.

    `form` is the same as JSON: `{"name": "a"}`, `{"value": 8}`, `{"tuple": […]}`, `{"list": […]}`, and
    `{"dict": [[key, …], …]}`.
    """

    text: str
    form: Mapping[str, object] = field(repr=False, compare=False)

    @classmethod
    def parse(cls, text: str) -> "Pattern":
        """Parse `text`.

        Raises:
            PatternError: it is not such an expression.
        """
        if len(text) > MAX_CHARACTERS:
            raise PatternError(f"{text[:40]!r}… is longer than {MAX_CHARACTERS} characters")
        try:
            tree = parse_expression(text.strip())
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise PatternError(f"{text[:60]!r} is not an expression") from error
        if sum(1 for _ in ast.walk(tree)) > _MAX_NODES:
            raise PatternError(f"{text[:40]!r}… has too many parts")
        return cls(text.strip(), _form(tree))

    @classmethod
    def of_names(cls, names: "tuple[str, ...]") -> "Pattern":
        """The tuple of `names`."""
        return cls.parse(f"({', '.join(names)}{',' if len(names) == 1 else ''})")

    @property
    def names(self) -> tuple[str, ...]:
        """The names it uses, in order, each once."""
        return tuple(dict.fromkeys(_names(self.form)))

    @property
    def is_tuple(self) -> bool:
        """Whether it is a tuple, so that it can be the arguments of a call."""
        return "tuple" in self.form


@dataclass(frozen=True, slots=True)
class ModuleArgument:
    """A module of `torch.nn`, made of arrays, that is an argument of a program.

    `kind` is its class, `init` has its constructor arguments, and `state` maps parameters to arrays.
    """

    kind: str
    init: Pattern
    state: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Backward:
    """The backward pass that follows a call.

    `upstream` maps each returned array to the input with the gradient with respect to it. `gradients` maps
    inputs to the outputs that receive the gradients with respect to them.
    """

    upstream: Mapping[str, str]
    gradients: Mapping[str, str]

    def described(self) -> dict[str, object]:
        """It as JSON."""
        return {"upstream": dict(self.upstream), "gradients": dict(self.gradients)}


@dataclass(frozen=True, slots=True)
class PythonCallSpec:
    """The form of the call of Python programs.

    `given` is the `data` of `custom_kernel`, or the tuple of arguments for the other entries. `returns` has
    the names of the returned arrays in order; empty if outputs are written in place. `init` and `state`
    belong to `ModelNew`, see ModuleArgument. `modules` are the modules that `given` may name. `views` maps
    arrays of bytes to the element type of BYTE_FORMATS that they have in the call. With `backward`, autograd
    is on during the call, and its backward pass follows.
    """

    entry: PythonEntry
    given: Pattern
    returns: tuple[str, ...] = ()
    init: Pattern = field(default_factory=lambda: Pattern.parse("()"))
    state: Mapping[str, str] = field(default_factory=dict)
    modules: Mapping[str, ModuleArgument] = field(default_factory=dict)
    views: Mapping[str, str] = field(default_factory=dict)
    backward: Backward | None = None

    def described(self) -> dict[str, object]:
        """All of it as JSON, for runners and versions."""
        return {
            "entry": self.entry.value,
            "given": self.given.form,
            "returns": list(self.returns),
            "init": self.init.form,
            "state": dict(self.state),
            "modules": {
                name: {"kind": module.kind, "init": module.init.form, "state": dict(module.state)}
                for name, module in self.modules.items()
            },
            # Unused parts have no key, because the description is part of the version of a problem.
            **({"views": dict(self.views)} if self.views else {}),
            **({"backward": self.backward.described()} if self.backward else {}),
        }


def spelled(form: Mapping[str, object], spell: Callable[[str], str]) -> str:
    """Return the text of a pattern's form, with names replaced by `spell`."""
    match form:
        case {"name": str(name)}:
            return spell(name)
        case {"tuple": list(items)}:
            inner = ", ".join(spelled(item, spell) for item in items)
            return f"({inner},)" if len(items) == 1 else f"({inner})"
        case {"list": list(items)}:
            return f"[{', '.join(spelled(item, spell) for item in items)}]"
        case {"dict": list(pairs)}:
            return f"{{{', '.join(f'{key!r}: {spelled(value, spell)}' for key, value in pairs)}}}"
    return repr(form.get("value"))


def _form(node: ast.expr) -> dict[str, object]:
    match node:
        case ast.Name(id=name):
            return {"name": name}
        case ast.Tuple(elts=items):
            return {"tuple": [_form(item) for item in items]}
        case ast.List(elts=items):
            return {"list": [_form(item) for item in items]}
        case ast.Dict(keys=keys, values=values):
            return {"dict": [[_key(key), _form(value)] for key, value in zip(keys, values, strict=True)]}
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return {"value": _constant(-value)}
        case ast.Constant(value=value):
            return {"value": _constant(value)}
    raise PatternError(f"may hold only {_ALLOWED}")


def _key(node: ast.expr | None) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return str(_constant(node.value))
    raise PatternError("the keys of a dict must be strings")


def _constant(value: object) -> object:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int) and abs(value) < 2**63:
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, str) and len(value) <= _MAX_TEXT:
        return value
    raise PatternError(f"{str(value)[:40]!r} is not a constant of sensible size; it may hold only {_ALLOWED}")


def _names(form: object) -> list[str]:
    match form:
        case {"name": str(name)}:
            return [name]
        case {"tuple": list(items)} | {"list": list(items)}:
            return [name for item in items for name in _names(item)]
        case {"dict": list(pairs)}:
            return [name for _, value in pairs for name in _names(value)]
    return []
