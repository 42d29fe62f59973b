"""Logic, shifts and byte permutation. Source: PTX ISA 9.0, sections 9.7.8 and 9.7.9 (prmt)."""

from ..emission import Emission
from ..errors import UnsupportedForm
from ..syntax import Instruction, Number
from .entry import InstructionEntry, expression


def _lop3(code: Emission, instruction: Instruction) -> str:
    destination, *sources = instruction.operands
    boolean = instruction.any_of("and", "or")
    a, b, c = (code.read(operand, "u32") for operand in sources[:3])
    table = sources[3]
    if not isinstance(table, Number):
        raise UnsupportedForm(instruction.opcode)
    value = f"lop3<{table.value & 0xFF}>({a}, {b}, {c})"
    if not boolean:
        return code.write(destination, "u32", value)
    target, predicate = code.pair(destination)
    combined = f"(found != 0) {'&&' if boolean == 'and' else '||'} {code.read(sources[4], 'pred')}"
    writes = f"{code.write(predicate, 'pred', combined)} {code.write(target, 'u32', 'found')}"
    return f"{{ const u32 found = {value}; {writes} }}"


def _funnel(code: Emission, instruction: Instruction) -> str:
    clamp = "true" if instruction.has("clamp") else "false"
    direction = "left" if instruction.has("l") else "right"
    return expression(f"funnel_{direction}<{clamp}>({{a}}, {{b}}, {{c}})", sources="u32 u32 u32")(
        code, instruction
    )


def _permute(code: Emission, instruction: Instruction) -> str:
    modes = ("f4e", "b4e", "rc8", "ecl", "ecr", "rc16")
    mode = instruction.any_of(*modes)
    if not mode:
        return expression("permute_bytes({a}, {b}, {c})", sources="u32 u32 u32")(code, instruction)
    # Each special mode has four selectors, picked by the low two bits of c. Source: table in 9.7.9 prmt.
    selectors = {
        "f4e": (0x3210, 0x4321, 0x5432, 0x6543),
        "b4e": (0x5670, 0x6701, 0x7012, 0x0123),
        "rc8": (0x0000, 0x1111, 0x2222, 0x3333),
        "ecl": (0x3210, 0x3211, 0x3222, 0x3333),
        "ecr": (0x0000, 0x1110, 0x2210, 0x3210),
        "rc16": (0x1010, 0x3232, 0x1010, 0x3232),
    }[mode]
    packed = sum(selector << 16 * index for index, selector in enumerate(selectors))
    return expression(
        f"permute_bytes({{a}}, {{b}}, u32({packed}ull >> 16 * ({{c}} & 3)) & 0xffff)", sources="u32 u32 u32"
    )(code, instruction)


ENTRIES = (
    *(
        InstructionEntry(
            name,
            f"9.7.8.{number} {name}",
            f"{name}.type d, a, b",
            expression(f"{{U}}({{a}} {operator} {{b}})", sources="U U", result="U"),
            frozenset(("b16", "b32", "b64")),
        )
        for number, (name, operator) in enumerate((("and", "&"), ("or", "|"), ("xor", "^")), 1)
    ),
    *(
        InstructionEntry(
            name,
            f"9.7.8.{number} {name}",
            f"{name}.pred d, a, b",
            expression(f"{{a}} {operator} {{b}}"),
            frozenset(("pred",)),
        )
        for number, (name, operator) in enumerate((("and", "&&"), ("or", "||"), ("xor", "!=")), 1)
    ),
    InstructionEntry("not", "9.7.8.4 not", "not.pred d, a", expression("!{a}"), frozenset(("pred",))),
    InstructionEntry("not", "9.7.8.4 not", "not.type d, a", expression("{U}(~{a})", sources="U", result="U")),
    InstructionEntry(
        "cnot", "9.7.8.5 cnot", "cnot.type d, a", expression("{U}({a} == 0)", sources="U", result="U")
    ),
    InstructionEntry("lop3", "9.7.8.6 lop3", "lop3{.op}.b32 d{|p}, a, b, c, table{, q}", _lop3),
    InstructionEntry("shf", "9.7.8.7 shf", "shf.{l,r}.{clamp,wrap}.b32 d, a, b, c", _funnel),
    InstructionEntry(
        "shl",
        "9.7.8.8 shl",
        "shl.type d, a, b",
        expression("shift_left<{U}>({a}, {b})", sources="U u32", result="U"),
    ),
    InstructionEntry(
        "shr", "9.7.8.9 shr", "shr.type d, a, b", expression("shift_right<{T}>({a}, {b})", sources="t u32")
    ),
    InstructionEntry("prmt", "9.7.9 prmt", "prmt.b32{.mode} d, a, b, c", _permute),
)
