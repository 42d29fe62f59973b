"""Integer arithmetic. Source: PTX ISA 9.0, section 9.7.1."""

from ..emission import Emission
from ..errors import UnsupportedForm
from ..ptx_types import INTEGERS, TYPES, unsigned
from ..syntax import Instruction
from .entry import InstructionEntry, expression

_PAIRS = frozenset(("u16x2", "s16x2"))
_COUNTED = frozenset(("b32", "b64"))
_FOUND = frozenset(("u32", "u64", "s32", "s64"))
_CLAMPED = frozenset(("u32", "s32", "b32"))
_WIDE = {"u16": "u32", "s16": "s32", "u32": "u64", "s32": "s64"}


def _add_or_subtract(operator: str) -> InstructionEntry:
    name, number = {"+": ("add", 1), "-": ("sub", 2)}[operator]
    plain = expression(f"{{U}}({{a}} {operator} {{b}})", sources="U U", result="U")
    saturated = expression(f"saturate_s32(s64({{a}}) {operator} s64({{b}}))")

    def emit(code: Emission, instruction: Instruction) -> str:
        return (saturated if instruction.has("sat") else plain)(code, instruction)

    return InstructionEntry(name, f"9.7.1.{number} {name}", f"{name}{{.sat}}.type d, a, b", emit, INTEGERS)


def _packed_pair(name: str, number: int, scalar: str) -> InstructionEntry:
    """Both 16-bit halves of a register at once."""

    def emit(code: Emission, instruction: Instruction) -> str:
        a, b = (code.read(operand, "u32") for operand in instruction.operands[1:3])
        lane = "s16" if instruction.type.name == "s16x2" else "u16"
        low = f"u16({scalar.format(a=f'{lane}({a})', b=f'{lane}({b})')})"
        high = f"u16({scalar.format(a=f'{lane}({a} >> 16)', b=f'{lane}({b} >> 16)')})"
        if instruction.has("relu"):
            low, high = f"u16(maximum(s16({low}), s16(0)))", f"u16(maximum(s16({high}), s16(0)))"
        return code.write(instruction.operand(0), "u32", f"u32({low}) | u32({high}) << 16")

    return InstructionEntry(name, f"9.7.1.{number} {name}", f"{name}.{{u16x2,s16x2}} d, a, b", emit, _PAIRS)


def _multiply(code: Emission, instruction: Instruction) -> str:
    kind = instruction.type
    a, b = (code.read(operand, kind) for operand in instruction.operands[1:3])
    addend = instruction.operands[3] if instruction.name == "mad" else None
    result = kind
    if instruction.has("wide"):
        result = TYPES[_WIDE[kind.name]]
        product = f"multiply_wide<{kind.cpp}>({a}, {b})"
    elif instruction.has("hi"):
        product = f"multiply_high<{kind.cpp}>({a}, {b})"
    else:
        product = f"multiply<{kind.cpp}>({a}, {b})"
    if addend is None:
        return code.write(instruction.operand(0), result, product)
    if instruction.has("sat"):
        return code.write(
            instruction.operand(0), result, f"saturate_s32(s64({product}) + {code.read(addend, 's32')})"
        )
    plain = unsigned(result)
    total = f"{plain.cpp}({plain.cpp}({product}) + {code.read(addend, plain)})"
    return code.write(instruction.operand(0), plain, total)


def _multiply24(code: Emission, instruction: Instruction) -> str:
    kind = instruction.type
    a, b = (code.read(operand, kind) for operand in instruction.operands[1:3])
    shift = " >> 16" if instruction.has("hi") else ""
    product = f"{kind.cpp}(u64(product24<{kind.cpp}>({a}, {b})){shift})"
    if instruction.name == "mul24":
        return code.write(instruction.operand(0), kind, product)
    if instruction.has("sat"):
        total = f"saturate_s32(s64({product}) + {code.read(instruction.operand(3), 's32')})"
        return code.write(instruction.operand(0), kind, total)
    total = f"u32({product}) + {code.read(instruction.operand(3), 'u32')}"
    return code.write(instruction.operand(0), "u32", total)


def _find_bit(code: Emission, instruction: Instruction) -> str:
    function = "find_leading_bit_shift" if instruction.has("shiftamt") else "find_leading_bit"
    kind = instruction.type
    value = code.read(instruction.operand(1), kind)
    return code.write(instruction.operand(0), "u32", f"{function}<{kind.cpp}>({value})")


def _clamped(template: str, sources: str, result: str) -> InstructionEntry:
    """`szext` and `bmsk`: {clamp} tells .clamp from .wrap."""
    name = "bmsk" if "bit_mask" in template else "szext"

    def emit(code: Emission, instruction: Instruction) -> str:
        clamp = "true" if instruction.has("clamp") else "false"
        return expression(template.replace("CLAMP", clamp), sources=sources, result=result)(code, instruction)

    number = 22 if name == "bmsk" else 21
    return InstructionEntry(
        name, f"9.7.1.{number} {name}", f"{name}.{{clamp,wrap}}.type d, a, b", emit, _CLAMPED
    )


def _dot(code: Emission, instruction: Instruction) -> str:
    a, b, c = (code.read(operand, "u32") for operand in instruction.operands[1:4])
    types = instruction.types
    if len(types) != 2:
        raise UnsupportedForm(instruction.opcode)
    first, second = ("s" if kind.family == "signed" else "u" for kind in types)
    if instruction.name == "dp4a":
        value = f"dot4<{first}8, {second}8>({a}, {b}, {c})"
    else:
        high = "true" if instruction.has("hi") else "false"
        value = f"dot2<{first}16, {second}8, {high}>({a}, {b}, {c})"
    return code.write(instruction.operand(0), "u32", value)


ENTRIES = (
    _packed_pair("add", 1, "{a} + {b}"),
    _add_or_subtract("+"),
    _add_or_subtract("-"),
    InstructionEntry("mul", "9.7.1.3 mul", "mul.{hi,lo,wide}.type d, a, b", _multiply, INTEGERS),
    InstructionEntry("mad", "9.7.1.4 mad", "mad.{hi,lo,wide}{.sat}.type d, a, b, c", _multiply, INTEGERS),
    InstructionEntry("mul24", "9.7.1.5 mul24", "mul24.{hi,lo}.type d, a, b", _multiply24, INTEGERS),
    InstructionEntry("mad24", "9.7.1.6 mad24", "mad24.{hi,lo}{.sat}.type d, a, b, c", _multiply24, INTEGERS),
    InstructionEntry(
        "sad",
        "9.7.1.7 sad",
        "sad.type d, a, b, c",
        expression("sum_of_differences<{T}>({a}, {b}, {c})"),
        INTEGERS,
    ),
    InstructionEntry(
        "div",
        "9.7.1.8 div",
        "div.type d, a, b",
        expression("divide<{T}>(T, {a}, {b}, {loc})"),
        INTEGERS,
        note="By zero: all ones, with a warning, as the hardware gives.",
    ),
    InstructionEntry(
        "rem",
        "9.7.1.9 rem",
        "rem.type d, a, b",
        expression("remainder<{T}>(T, {a}, {b}, {loc})"),
        INTEGERS,
        note="By zero: the dividend, with a warning, as the hardware gives.",
    ),
    InstructionEntry("abs", "9.7.1.10 abs", "abs.type d, a", expression("absolute<{T}>({a})"), INTEGERS),
    InstructionEntry("neg", "9.7.1.11 neg", "neg.type d, a", expression("negate<{T}>({a})"), INTEGERS),
    _packed_pair("min", 12, "minimum({a}, {b})"),
    _packed_pair("max", 13, "maximum({a}, {b})"),
    InstructionEntry(
        "min", "9.7.1.12 min", "min{.relu}.type d, a, b", expression("minimum<{T}>({a}, {b})"), INTEGERS
    ),
    InstructionEntry(
        "max", "9.7.1.13 max", "max{.relu}.type d, a, b", expression("maximum<{T}>({a}, {b})"), INTEGERS
    ),
    InstructionEntry(
        "popc",
        "9.7.1.14 popc",
        "popc.type d, a",
        expression("u32(__builtin_popcountll(u64({a})))", sources="U", result="u32"),
        _COUNTED,
    ),
    InstructionEntry(
        "clz",
        "9.7.1.15 clz",
        "clz.type d, a",
        expression("count_leading_zeros({U}({a}))", sources="U", result="u32"),
        _COUNTED,
    ),
    InstructionEntry("bfind", "9.7.1.16 bfind", "bfind{.shiftamt}.type d, a", _find_bit, _FOUND),
    InstructionEntry(
        "fns",
        "9.7.1.17 fns",
        "fns.b32 d, mask, base, offset",
        expression("find_nth_set({a}, {b}, {c})", sources="u32 u32 s32"),
    ),
    InstructionEntry(
        "brev",
        "9.7.1.18 brev",
        "brev.type d, a",
        expression("reverse_bits({U}({a}))", sources="U", result="U"),
        _COUNTED,
    ),
    InstructionEntry(
        "bfe",
        "9.7.1.19 bfe",
        "bfe.type d, a, b, c",
        expression("extract_bits<{T}>({a}, {b}, {c})", sources="t u32 u32"),
        INTEGERS,
    ),
    InstructionEntry(
        "bfi",
        "9.7.1.20 bfi",
        "bfi.type f, a, b, c, d",
        expression("insert_bits<{U}>({a}, {b}, {c}, {d})", sources="U U u32 u32", result="U"),
        _COUNTED,
    ),
    _clamped("extend_bits<{T}, CLAMP>({a}, {b})", "t u32", "t"),
    _clamped("bit_mask<CLAMP>({a}, {b})", "u32 u32", "u32"),
    InstructionEntry("dp4a", "9.7.1.23 dp4a", "dp4a.atype.btype d, a, b, c", _dot),
    InstructionEntry("dp2a", "9.7.1.24 dp2a", "dp2a.{lo,hi}.atype.btype d, a, b, c", _dot),
)
