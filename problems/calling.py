"""The form of the call of a Python submission: its arguments and results.

CUDA C++ and Triton programs define `solve` and write into the arrays that they are given. PyTorch programs
are written otherwise: `custom_kernel(data)` takes a tuple and returns tensors, `ModelNew(…)(x)` is a module
with parameters, `Function.apply(x)` an operator with a derivative. `[python]` in problem.toml says how the
problem's arguments, which are all that crosses the wire, make up such a call. What it says is data:
expressions of names and constants that are parsed here and built again by `sandbox.runner.python_call`,
never evaluated.
"""

import ast
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

# Element types of a byte that PyTorch has and the wire does not. The last one holds two numbers in a byte.
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
            tree = ast.parse(text.strip(), mode="eval").body
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
    """A module of `torch.nn` that a program is given, made of arrays.

    `kind` is its class, `init` what it is made with, `state` which array holds which of its parameters.
    """

    kind: str
    init: Pattern
    state: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Backward:
    """The backward pass that follows a call.

    `upstream` maps returned arrays to the inputs that hold the gradients with respect to them, `gradients`
    inputs to the outputs that get the gradients with respect to those.
    """

    upstream: Mapping[str, str]
    gradients: Mapping[str, str]

    def described(self) -> dict[str, object]:
        """It as JSON."""
        return {"upstream": dict(self.upstream), "gradients": dict(self.gradients)}


@dataclass(frozen=True, slots=True)
class PythonCallSpec:
    """The form of the call of Python programs.

    `given` is what `custom_kernel` gets as its `data`, and for the other entries the tuple of arguments.
    `returns` names the arrays that come back in this order; none where they are written in place. `init` and
    `state` are those of `ModelNew`, see ModuleArgument. `modules` are the modules that `given` may name.
    `views` maps arrays of bytes to the element type of BYTE_FORMATS that the call sees them with. With
    `backward`, autograd is on during the call, and its backward pass follows.
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
            # What is not used has no key: the description is a part of the versions of problems.
            **({"views": dict(self.views)} if self.views else {}),
            **({"backward": self.backward.described()} if self.backward else {}),
        }


def spelled(form: Mapping[str, object], spell: Callable[[str], str]) -> str:
    """A form of a pattern as its text, with names spelled otherwise."""
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
