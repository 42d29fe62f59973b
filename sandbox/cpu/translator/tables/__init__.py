"""All tables of instructions, and the look-up of the entry for one instruction."""

from ..errors import UnsupportedForm
from ..syntax import Instruction
from . import (
    atomic,
    carry,
    comparison,
    control,
    conversion,
    copies,
    floating,
    half,
    integer,
    logic,
    matrix,
    memory,
    movement,
    texture,
    warp,
)
from .entry import InstructionEntry
from .vocabulary import Vocabulary

ENTRIES: tuple[InstructionEntry, ...] = (
    *carry.ENTRIES,
    *integer.ENTRIES,
    *floating.ENTRIES,
    *floating.MIXED,
    *half.ENTRIES,
    *comparison.ENTRIES,
    *logic.ENTRIES,
    *movement.ENTRIES,
    *conversion.ENTRIES,
    *memory.ENTRIES,
    *atomic.ENTRIES,
    *copies.ENTRIES,
    *texture.ENTRIES,
    *control.ENTRIES,
    *warp.ENTRIES,
    *matrix.ENTRIES,
)


def _by_name() -> dict[str, list[InstructionEntry]]:
    table: dict[str, list[InstructionEntry]] = {}
    for entry in ENTRIES:
        table.setdefault(entry.name, []).append(entry)
    return table


_TABLE = _by_name()
_VOCABULARY = Vocabulary(ENTRIES)


def find(instruction: Instruction) -> InstructionEntry:
    """The entry for an instruction.

    Raises:
        UnsupportedForm: no table has one, or a part of its opcode is not a PTX keyword.
    """
    if _VOCABULARY.knows(instruction):
        for entry in _TABLE.get(instruction.name, ()):
            if entry.accepts(instruction):
                return entry
    raise UnsupportedForm(instruction.opcode)
