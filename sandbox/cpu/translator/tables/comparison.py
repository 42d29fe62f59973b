"""Comparison and selection, of integers, floats and halves. Source: PTX ISA 9.0, sections 9.7.6 and 9.7.7."""

from ..emission import Emission
from ..errors import UnsupportedForm
from ..ptx_types import HALVES, TYPES
from ..syntax import Instruction
from .entry import InstructionEntry, expression

_ORDERED = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_UNSIGNED = {"lo": "<", "ls": "<=", "hi": ">", "hs": ">="}
_OPPOSITE = {"lt": "ge", "le": "gt", "gt": "le", "ge": "lt"}
_FLOAT_TESTS = {
    "num": "(!is_nan({a}) && !is_nan({b}))",
    "nan": "(is_nan({a}) || is_nan({b}))",
    "ne": "({a} < {b} || {a} > {b})",
    "neu": "({a} != {b})",
    "equ": "!({a} < {b} || {a} > {b})",
}
_COMBINE = {"and": "&&", "or": "||", "xor": "!="}
_ONES = {"f32": "1.0f", "f16": "0x3c00", "bf16": "0x3f80"}


def _integer_test(operator: str, a: str, b: str) -> str:
    if operator not in _ORDERED and operator not in _UNSIGNED:
        raise UnsupportedForm(f"comparison {operator}")
    return f"({a} {_ORDERED.get(operator) or _UNSIGNED[operator]} {b})"


def _float_test(operator: str, a: str, b: str) -> str:
    """Ordered comparisons are false with a NaN, unordered ones (`equ` …) true."""
    if operator in _FLOAT_TESTS:
        return _FLOAT_TESTS[operator].format(a=a, b=b)
    if operator in _ORDERED:
        return f"({a} {_ORDERED[operator]} {b})"
    if operator[-1:] == "u" and operator[:-1] in _OPPOSITE:
        return f"!({a} {_ORDERED[_OPPOSITE[operator[:-1]]]} {b})"
    raise UnsupportedForm(f"comparison {operator}")


def _test(code: Emission, instruction: Instruction, a: str, b: str) -> str:
    """The comparison of two scalars as a C++ condition."""
    kind = instruction.type
    operator = instruction.modifiers[0]
    if kind.family == "half":
        decode = "BF16::decode" if kind.name.startswith("bf16") else "F16::decode"
        code.uses("half")
        a, b = f"{decode}(u16({a}))", f"{decode}(u16({b}))"
    elif kind.family != "float":
        return _integer_test(operator, a, b)
    if instruction.has("ftz"):
        flush = "flush" if kind.family == "float" else f"flush_half<{decode[:-8]}>"
        a, b = f"{flush}({a})", f"{flush}({b})"
    return _float_test(operator, a, b)


def _combined(code: Emission, instruction: Instruction, test: str, index: int = 3) -> str:
    combine = instruction.any_of("and", "or", "xor")
    if not combine:
        return test
    return f"({test} {_COMBINE[combine]} {code.read(instruction.operand(index), 'pred')})"


def _setp(code: Emission, instruction: Instruction) -> str:
    kind = instruction.type
    a, b = (code.read(operand, kind) for operand in instruction.operands[1:3])
    first, second = code.pair(instruction.operand(0))
    if kind.name.endswith("x2"):
        low, high = _test(code, instruction, a, b), _test(code, instruction, f"({a} >> 16)", f"({b} >> 16)")
        return (
            f"{{ const bool low = {_combined(code, instruction, low)}, "
            f"high = {_combined(code, instruction, high)}; "
            f"{code.write(first, 'pred', 'low')} {code.write(second, 'pred', 'high')} }}"
        )
    test = _test(code, instruction, a, b)
    if first is instruction.operand(0):
        return code.write(first, "pred", _combined(code, instruction, test))
    return (
        f"{{ const bool test = {test}, met = {_combined(code, instruction, 'test')}, "
        f"unmet = {_combined(code, instruction, '!test')}; "
        f"{code.write(first, 'pred', 'met')} {code.write(second, 'pred', 'unmet')} }}"
    )


def _set(code: Emission, instruction: Instruction) -> str:
    """True is all ones in an integer and 1.0 in a float."""
    kind = instruction.type
    a, b = (code.read(operand, kind) for operand in instruction.operands[1:3])
    result = instruction.types[0]
    one = _ONES.get(result.name.removesuffix("x2"), "-1")
    if not kind.name.endswith("x2"):
        test = _combined(code, instruction, _test(code, instruction, a, b))
        value = f"({test} ? {result.cpp}({one}) : {result.cpp}(0))"
        return code.write(instruction.operand(0), result, value)
    halves = []
    for shift in ("", " >> 16"):
        test = _combined(code, instruction, _test(code, instruction, f"({a}{shift})", f"({b}{shift})"))
        halves.append(f"({test} ? {one if one != '-1' else '0xffff'}u : 0u)")
    return code.write(instruction.operand(0), "u32", f"{halves[0]} | {halves[1]} << 16")


def _slct(code: Emission, instruction: Instruction) -> str:
    data, control = instruction.types[0], instruction.type
    a, b = (code.read(operand, data) for operand in instruction.operands[1:3])
    c = code.read(instruction.operand(3), control)
    if instruction.has("ftz") and control.family == "float":
        c = f"flush({c})"
    return code.write(instruction.operand(0), data, f"({c} >= 0 ? {a} : {b})")


_CONTROLS = frozenset({"s32", "f32"})
_SELECTED = frozenset(name for name in TYPES if name[0] in "busf" and name not in HALVES)

ENTRIES = (
    InstructionEntry(
        "set",
        "9.7.7.1 set",
        "set.cmp{.bool}{.ftz}.dtype.{f16,bf16}{x2} d, a, b{, {!}c}",
        _set,
        HALVES,
        header="half",
    ),
    InstructionEntry(
        "setp",
        "9.7.7.2 setp",
        "setp.cmp{.bool}{.ftz}.{f16,bf16}{x2} p{|q}, a, b{, {!}c}",
        _setp,
        HALVES,
        header="half",
    ),
    InstructionEntry("set", "9.7.6.1 set", "set.cmp{.bool}{.ftz}.dtype.stype d, a, b{, {!}c}", _set),
    InstructionEntry("setp", "9.7.6.2 setp", "setp.cmp{.bool}{.ftz}.type p{|q}, a, b{, {!}c}", _setp),
    InstructionEntry(
        "selp",
        "9.7.6.3 selp",
        "selp.type d, a, b, p",
        expression("({c} ? {a} : {b})", sources="t t pred"),
        _SELECTED,
    ),
    InstructionEntry("slct", "9.7.6.4 slct", "slct{.ftz}.dtype.{s32,f32} d, a, b, c", _slct, _CONTROLS),
)
