"""Half-precision arithmetic, one or two per register. Source: PTX ISA 9.0, section 9.7.4."""

from ..emission import Emission
from ..ptx_types import HALVES
from ..syntax import Instruction
from .entry import Emit, InstructionEntry

_LETTERS = "abc"
_OVERFLOWING = frozenset(("add", "subtract", "multiply", "fused"))


def half_format(name: str) -> str:
    """The C++ struct that encodes and decodes a half type."""
    return "BF16" if name.startswith("bf16") else "F16"


def lanewise(code: Emission, kind_name: str, scalar: str, sources: list[str]) -> str:
    """`scalar`, an expression of u16 values a, b and c, applied to one half or to both."""
    code.uses("half")
    names = _LETTERS[: len(sources)]
    operation = f"[&]({', '.join(f'u16 {name}' for name in names)}) {{ return {scalar}; }}"
    if kind_name.endswith("x2"):
        return f"packed({operation}, {', '.join(sources)})"
    return f"({operation})({', '.join(sources)})"


def _arithmetic(function: str, count: int) -> Emit:
    def emit(code: Emission, instruction: Instruction) -> str:
        kind = instruction.type
        shape = half_format(kind.name)
        names = list(_LETTERS[:count])
        if instruction.has("ftz"):
            names = [f"flush_half_bits<{shape}>({name})" for name in names]
        which = f"{function}_nan" if instruction.has("NaN") else function
        scalar = f"{which}_half<{shape}>({', '.join(names)})"
        if shape == "F16" and function in _OVERFLOWING:
            scalar = f"with_overflow<{shape}>(T, {scalar}, {code.location}, {', '.join(_LETTERS[:count])})"
        if instruction.has("abs") and instruction.has("xorsign"):
            scalar = (
                f"product_sign_half<{shape}>({which}_half<{shape}>(u16(a & 0x7fff), u16(b & 0x7fff)), a, b)"
            )
        for modifier, finish in (("ftz", "flush_half_bits"), ("sat", "saturate_half"), ("relu", "relu_half")):
            if instruction.has(modifier):
                scalar = f"{finish}<{shape}>({scalar})"
        sources = [code.read(instruction.operand(index), kind) for index in range(1, count + 1)]
        return code.write(instruction.operand(0), kind, lanewise(code, kind.name, scalar, sources))

    return emit


def _entry(name: str, number: int, function: str, count: int, forms: str, note: str = "") -> InstructionEntry:
    syntax = f"{name}{forms}.{{f16,bf16}}{{x2}} d, {', '.join(_LETTERS[:count])}"
    return InstructionEntry(
        name, f"9.7.4.{number} {name}", syntax, _arithmetic(function, count), HALVES, header="half", note=note
    )


_MORE_PRECISE = "Correctly rounded; a GPU's .approx is not always."

ENTRIES = (
    _entry("add", 1, "add", 2, "{.rn}{.ftz}{.sat}"),
    _entry("sub", 2, "subtract", 2, "{.rn}{.ftz}{.sat}"),
    _entry("mul", 3, "multiply", 2, "{.rn}{.ftz}{.sat}"),
    _entry("fma", 4, "fused", 3, ".rn{.ftz}{.sat,.relu}"),
    _entry("neg", 5, "negate", 1, "{.ftz}"),
    _entry("abs", 6, "absolute", 1, "{.ftz}"),
    _entry("min", 7, "minimum", 2, "{.ftz}{.NaN}{.xorsign.abs}"),
    _entry("max", 8, "maximum", 2, "{.ftz}{.NaN}{.xorsign.abs}"),
    _entry("tanh", 9, "tanh", 1, ".approx", _MORE_PRECISE),
    _entry("ex2", 10, "exp2", 1, ".approx{.ftz}", _MORE_PRECISE),
)
