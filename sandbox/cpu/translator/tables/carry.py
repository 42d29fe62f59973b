"""Extended-precision integers: a carry flag `CC` per function. Source: PTX ISA 9.0, section 9.7.2."""

from ..emission import Emission
from ..syntax import Instruction
from .entry import InstructionEntry

_WORDS = frozenset(("u32", "s32", "b32", "u64", "s64", "b64"))
_CC = frozenset(("cc",))


def _chain(code: Emission, instruction: Instruction) -> str:
    """Compute a ± b ± CC in twice the width; with .cc the bit above becomes CC."""
    code.uses_carry = True
    name = instruction.name
    bits = instruction.type.bits
    word = f"u{bits}"
    wide = "u64" if bits == 32 else "u128"
    sources = [code.read(operand, word) for operand in instruction.operands[1:]]
    carry_in = "CC" if name.endswith("c") else "0u"
    if name.startswith("mad"):
        half = "high" if instruction.has("hi") else "low"
        signed = instruction.type.family == "signed"
        operand_type = f"s{bits}" if signed else word
        a, b = (f"{operand_type}({source})" for source in sources[:2])
        product = (
            f"multiply_high<{operand_type}>({a}, {b})" if half == "high" else f"multiply<{word}>({a}, {b})"
        )
        first, second = f"{word}({product})", sources[2]
    else:
        first, second = sources[:2]
    if name.startswith("sub"):
        total = f"{wide}({first}) - {wide}({second}) - {carry_in}"
    else:
        total = f"{wide}({first}) + {wide}({second}) + {carry_in}"
    save = f"CC = bool(total >> {bits} & 1);" if instruction.has("cc") else ""
    write = code.write(instruction.operand(0), word, f"{word}(total)")
    return f"{{ const {wide} total = {total}; {save} {write} }}"


ENTRIES = (
    InstructionEntry("add", "9.7.2.1 add.cc", "add.cc.type d, a, b", _chain, _WORDS, _CC),
    InstructionEntry("addc", "9.7.2.2 addc", "addc{.cc}.type d, a, b", _chain, _WORDS),
    InstructionEntry("sub", "9.7.2.3 sub.cc", "sub.cc.type d, a, b", _chain, _WORDS, _CC),
    InstructionEntry("subc", "9.7.2.4 subc", "subc{.cc}.type d, a, b", _chain, _WORDS),
    InstructionEntry("mad", "9.7.2.5 mad.cc", "mad.{hi,lo}.cc.type d, a, b, c", _chain, _WORDS, _CC),
    InstructionEntry("madc", "9.7.2.6 madc", "madc.{hi,lo}{.cc}.type d, a, b, c", _chain, _WORDS),
)
