"""Floats of 32 and 64 bits. Source: PTX ISA 9.0, section 9.7.3.

Add, sub, mul, fma, div, rcp and sqrt are exact in all four rounding modes. The .approx forms are computed
as precisely as the C library does, so they are at least as good as a GPU's and differ in the last bits.
"""

from ..emission import Emission
from ..errors import UnsupportedForm
from ..ptx_types import FLOATS, Type
from ..syntax import Instruction
from .entry import Emit, InstructionEntry, expression

_SINGLE = frozenset(("f32",))
_DIRECTED = ("rz", "rm", "rp")
_APPROXIMATE = "More precise than a GPU's .approx; the last bits differ."
_ANGLE = "Loses precision for large angles, as on a GPU; the last bits differ."
_TESTS = {
    "finite": "__builtin_isfinite({a})",
    "infinite": "bool(__builtin_isinf({a}))",
    "number": "!__builtin_isnan({a})",
    "notanumber": "bool(__builtin_isnan({a}))",
    "normal": "__builtin_isnormal({a})",
    "subnormal": "(__builtin_isfinite({a}) && !__builtin_isnormal({a}) && {a} != 0)",
}


def sources(code: Emission, instruction: Instruction, kind: Type, count: int) -> list[str]:
    """The first `count` sources, flushed when the instruction says .ftz."""
    values = [code.read(instruction.operand(index), kind) for index in range(1, count + 1)]
    if instruction.has("ftz"):
        values = [f"flush({value})" for value in values]
    return values


def finish(code: Emission, instruction: Instruction, kind: Type, value: str) -> str:
    """Store a result after .ftz and .sat."""
    if instruction.has("ftz"):
        value = f"flush({value})"
    if instruction.has("sat"):
        value = f"saturate({value})"
    return code.write(instruction.operand(0), kind, value)


def _rounded(template: str, operation: str, count: int) -> Emit:
    """An operation with a rounding mode; `operation` names its functor in semantics_rounding.h."""

    def emit(code: Emission, instruction: Instruction) -> str:
        kind = instruction.type
        values = sources(code, instruction, kind, count)
        mode = instruction.any_of(*_DIRECTED)
        if mode:
            code.uses("rounding")
            value = f"rounded<{operation}>(Rounding::{mode}, {', '.join(values)})"
        else:
            value = template.format(*values, T=kind.cpp)
        return finish(code, instruction, kind, value)

    return emit


def _mixed(template: str, operation: str, count: int) -> Emit:
    """f32 arithmetic with half-precision sources: the last source is f32, the others are widened first."""

    def emit(code: Emission, instruction: Instruction) -> str:
        narrow = instruction.types[-1]
        decode = "F16" if narrow.name == "f16" else "BF16"
        values = [
            f"{decode}::decode({code.read(instruction.operand(index), narrow)})" for index in range(1, count)
        ]
        values.append(code.read(instruction.operand(count), "f32"))
        mode = instruction.any_of(*_DIRECTED)
        value = template.format(*values)
        if mode:
            code.uses("rounding")
            value = f"rounded<{operation}>(Rounding::{mode}, {', '.join(values)})"
        if instruction.has("sat"):
            value = f"saturate({value})"
        return code.write(instruction.operand(0), "f32", value)

    return emit


def _function(function: str) -> Emit:
    """One of the transcendental functions."""

    def emit(code: Emission, instruction: Instruction) -> str:
        kind = instruction.type
        suffix = "f" if kind.name == "f32" else ""
        (a,) = sources(code, instruction, kind, 1)
        return finish(code, instruction, kind, function.format(a=a, f=suffix, T=kind.cpp))

    return emit


def _extreme(which: str) -> Emit:
    """Both min and max, of two or three, with .NaN, .xorsign.abs."""

    def emit(code: Emission, instruction: Instruction) -> str:
        kind = instruction.type
        values = sources(code, instruction, kind, len(instruction.operands) - 1)
        if len(values) not in (2, 3):
            raise UnsupportedForm(instruction.opcode)
        function = f"{which}_{'nan' if instruction.has('NaN') else 'number'}<{kind.cpp}>"
        if instruction.has("abs"):
            a, b = values[:2]
            if len(values) == 2 and instruction.has("xorsign"):
                value = f"with_product_sign({function}(absolute({a}), absolute({b})), {a}, {b})"
            else:
                raise UnsupportedForm(instruction.opcode)
        else:
            value = f"{function}({values[0]}, {values[1]})"
            if len(values) == 3:
                value = f"{function}({value}, {values[2]})"
        return finish(code, instruction, kind, value)

    return emit


def _testp(code: Emission, instruction: Instruction) -> str:
    kind = instruction.type
    value = code.read(instruction.operand(1), kind)
    return code.write(instruction.operand(0), "pred", _TESTS[instruction.modifiers[0]].format(a=f"({value})"))


_ADD = _rounded("{0} + {1}", "Add", 2)
_SUBTRACT = _rounded("{0} - {1}", "Subtract", 2)
_FUSED = _rounded("fused({0}, {1}, {2})", "Fused", 3)
_NARROW = frozenset(("f16", "bf16"))
_TO_SINGLE = frozenset(("f32",))

ENTRIES = (
    InstructionEntry("testp", "9.7.3.1 testp", "testp.op.type p, a", _testp, FLOATS),
    InstructionEntry(
        "copysign", "9.7.3.2 copysign", "copysign.type d, a, b", expression("copy_sign({b}, {a})"), FLOATS
    ),
    InstructionEntry("add", "9.7.3.3 add", "add{.rnd}{.ftz}{.sat}.type d, a, b", _ADD, FLOATS),
    InstructionEntry("sub", "9.7.3.4 sub", "sub{.rnd}{.ftz}{.sat}.type d, a, b", _SUBTRACT, FLOATS),
    InstructionEntry(
        "mul",
        "9.7.3.5 mul",
        "mul{.rnd}{.ftz}{.sat}.type d, a, b",
        _rounded("{0} * {1}", "Multiply", 2),
        FLOATS,
    ),
    InstructionEntry("fma", "9.7.3.6 fma", "fma.rnd{.ftz}{.sat}.type d, a, b, c", _FUSED, FLOATS),
    InstructionEntry("mad", "9.7.3.7 mad", "mad.rnd{.ftz}{.sat}.type d, a, b, c", _FUSED, FLOATS),
    InstructionEntry(
        "div",
        "9.7.3.8 div",
        "div{.approx,.full,.rnd}{.ftz}.type d, a, b",
        _rounded("{0} / {1}", "Divide", 2),
        FLOATS,
        note="div.approx and div.full are computed as div.rn.",
    ),
    InstructionEntry("abs", "9.7.3.9 abs", "abs{.ftz}.type d, a", _function("absolute({a})"), FLOATS),
    InstructionEntry("neg", "9.7.3.10 neg", "neg{.ftz}.type d, a", _function("-({a})"), FLOATS),
    InstructionEntry(
        "min", "9.7.3.11 min", "min{.ftz}{.NaN}{.xorsign.abs}.type d, a, b{, c}", _extreme("minimum"), FLOATS
    ),
    InstructionEntry(
        "max", "9.7.3.12 max", "max{.ftz}{.NaN}{.xorsign.abs}.type d, a, b{, c}", _extreme("maximum"), FLOATS
    ),
    InstructionEntry(
        "rcp",
        "9.7.3.13 rcp",
        "rcp{.approx,.rnd}{.ftz}.type d, a",
        _rounded("{T}(1) / {0}", "Reciprocal", 1),
        FLOATS,
        note=_APPROXIMATE,
    ),
    InstructionEntry(
        "sqrt",
        "9.7.3.15 sqrt",
        "sqrt{.approx,.rnd}{.ftz}.type d, a",
        _rounded("square_root({0})", "SquareRoot", 1),
        FLOATS,
        note=_APPROXIMATE,
    ),
    InstructionEntry(
        "rsqrt",
        "9.7.3.16 rsqrt",
        "rsqrt.approx{.ftz}.type d, a",
        _function("({T}(1) / square_root({a}))"),
        FLOATS,
        note=_APPROXIMATE,
    ),
    InstructionEntry(
        "sin",
        "9.7.3.18 sin",
        "sin.approx{.ftz}.f32 d, a",
        _function("approximate_sin({a})"),
        _SINGLE,
        note=_ANGLE,
    ),
    InstructionEntry(
        "cos",
        "9.7.3.19 cos",
        "cos.approx{.ftz}.f32 d, a",
        _function("approximate_cos({a})"),
        _SINGLE,
        note=_ANGLE,
    ),
    InstructionEntry(
        "lg2",
        "9.7.3.20 lg2",
        "lg2.approx{.ftz}.f32 d, a",
        _function("__builtin_log2f({a})"),
        _SINGLE,
        note=_APPROXIMATE,
    ),
    InstructionEntry(
        "ex2",
        "9.7.3.21 ex2",
        "ex2.approx{.ftz}.f32 d, a",
        _function("__builtin_exp2f({a})"),
        _SINGLE,
        note=_APPROXIMATE,
    ),
    InstructionEntry(
        "tanh",
        "9.7.3.22 tanh",
        "tanh.approx.f32 d, a",
        _function("approximate_tanh({a})"),
        _SINGLE,
        note="Has the relative error of 2**-11 that a GPU may have.",
    ),
)

MIXED = (
    InstructionEntry(
        "add",
        "9.7.5.1 add",
        "add{.rnd}{.sat}.f32.{f16,bf16} d, a, c",
        _mixed("({0} + {1})", "Add", 2),
        _NARROW,
        _TO_SINGLE,
        "half",
    ),
    InstructionEntry(
        "sub",
        "9.7.5.2 sub",
        "sub{.rnd}{.sat}.f32.{f16,bf16} d, a, c",
        _mixed("({0} - {1})", "Subtract", 2),
        _NARROW,
        _TO_SINGLE,
        "half",
    ),
    InstructionEntry(
        "fma",
        "9.7.5.3 fma",
        "fma.rnd{.sat}.f32.{f16,bf16} d, a, b, c",
        _mixed("fused({0}, {1}, {2})", "Fused", 3),
        _NARROW,
        _TO_SINGLE,
        "half",
    ),
)
