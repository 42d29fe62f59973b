"""Moves between registers and address arithmetic. Source: PTX ISA 9.0, section 9.7.9."""

from ..emission import Emission
from ..errors import UnsupportedForm
from ..ptx_types import TYPES
from ..syntax import Instruction, Vector
from .entry import InstructionEntry, expression


def _mov(code: Emission, instruction: Instruction) -> str:
    kind = instruction.type
    destination, source = instruction.operand(0), instruction.operand(1)
    if kind.family != "bits" and (isinstance(destination, Vector) or isinstance(source, Vector)):
        raise UnsupportedForm(instruction.opcode)
    if isinstance(destination, Vector):
        part = TYPES[f"b{kind.bits // len(destination.elements)}"]
        writes = " ".join(
            code.write(element, part, f"{part.cpp}(whole >> {part.bits * index})")
            for index, element in enumerate(destination.elements)
        )
        return f"{{ [[maybe_unused]] const {kind.cpp} whole = {code.read(source, kind)}; {writes} }}"
    if isinstance(source, Vector):
        part = TYPES[f"b{kind.bits // len(source.elements)}"]
        pieces = " | ".join(
            f"{kind.cpp}({code.read(element, part)}) << {part.bits * index}"
            for index, element in enumerate(source.elements)
        )
        return code.write(destination, kind, f"{kind.cpp}({pieces})")
    text = code.write(destination, kind, code.read(source, kind))
    unset = code.unset(destination)
    return f"{text} {unset} = {code.unset(source) or 0};" if unset else text


def _cvta(code: Emission, instruction: Instruction) -> str:
    """Only shared memory has addresses of its own: offsets in the block's window."""
    space = instruction.space
    if not space:
        raise UnsupportedForm(instruction.opcode)
    value = code.read(instruction.operand(1), "u64")
    if space == "shared":
        value = f"{value} {'-' if instruction.has('to') else '+'} W.shared"
    return code.write(instruction.operand(0), "u64", value)


def _isspacep(code: Emission, instruction: Instruction) -> str:
    """Constant, local and parameter memory are not told apart from global memory."""
    space = instruction.space
    inside = f"is_shared(W, {code.read(instruction.operand(1), 'u64')})"
    value = {"shared": inside, "global": f"!{inside}"}.get(space, "false")
    return code.write(instruction.operand(0), "pred", value)


def _same_block(code: Emission, instruction: Instruction) -> str:
    """A cluster is one block, so an address maps to itself."""
    return code.write(
        instruction.operand(0), instruction.type, code.read(instruction.operand(1), instruction.type)
    )


def _nothing(code: Emission, instruction: Instruction) -> str:
    del code, instruction
    return ";"


def _createpolicy(code: Emission, instruction: Instruction) -> str:
    return code.write(instruction.operand(0), "u64", "0ull")


_HINTS = ("prefetch", "prefetchu", "applypriority", "discard")

ENTRIES = (
    InstructionEntry("mov", "9.7.9 mov", "mov.type d, a; mov.type d, {a, b, …}; mov.type {d, e, …}, a", _mov),
    InstructionEntry("cvta", "9.7.9 cvta", "cvta{.to}.space.u64 d, a", _cvta),
    InstructionEntry(
        "isspacep",
        "9.7.9 isspacep",
        "isspacep.space p, a",
        _isspacep,
        note="Only shared memory is told apart; the rest counts as global.",
    ),
    InstructionEntry(
        "mapa", "9.7.9 mapa", "mapa{.space}.type d, a, b", _same_block, note="A cluster has one block."
    ),
    InstructionEntry(
        "getctarank",
        "9.7.9 getctarank",
        "getctarank{.space}.type d, a",
        expression("0u", result="u32"),
        note="A cluster has one block.",
    ),
    InstructionEntry(
        "createpolicy",
        "9.7.9 createpolicy",
        "createpolicy.… d, …",
        _createpolicy,
        note="Caches are not modelled.",
    ),
    *(
        InstructionEntry(name, f"9.7.9 {name}", f"{name}.… [a]", _nothing, note="Caches are not modelled.")
        for name in _HINTS
    ),
)
