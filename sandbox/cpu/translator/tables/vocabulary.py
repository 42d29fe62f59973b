"""Every word that may occur in an opcode. A word that PTX lacks makes another or an invalid instruction.

Source: PTX ISA 9.0, chapter 9.
"""

import re
from collections.abc import Iterable

from ..ptx_types import STATE_SPACES, TYPES
from ..syntax import Instruction
from .entry import InstructionEntry

_COMPARISONS = "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan and or xor"
_ROUNDINGS = "rn rna rz rm rp rni rzi rmi rpi rs ftz noftz sat satfinite relu approx full"
_ORDERS = "weak relaxed acquire release acq_rel sc volatile mmio cta cluster gpu sys"
_CACHES = "ca cg cs lu cv wb wt nc L1 L2 fractional"
_ATOMICS = "add min max inc dec cas exch red"
_PERMUTATIONS = "f4e b4e rc8 ecl ecr rc16"
_PROXIES = "proxy alias async async::generic async::global async::shared tensormap::generic mbarrier_init"
_BULK = (
    "bulk bulk_group cp_mask reduce read tensor tile im2col tile::gather4 tile::scatter4 "
    "expect_tx noComplete parity mbarrier::complete_tx::bytes multicast::cluster cta_group::1 cta_group::2 "
    "sync_restrict::shared::cta sync_restrict::shared::cluster"
)
_TESTS = "finite infinite number notanumber normal subnormal"
_FAMILIES = re.compile(r"m\d+n\d+k\d+|v[248]|[1-5]d|L1::\w+|L2::\w+")
_WORD = re.compile(r"[\w:]+")


class Vocabulary:
    """The words of these tables and those above."""

    def __init__(self, entries: Iterable[InstructionEntry]) -> None:
        groups = (
            _COMPARISONS,
            _ROUNDINGS,
            _ORDERS,
            _CACHES,
            _ATOMICS,
            _PERMUTATIONS,
            _PROXIES,
            _BULK,
            _TESTS,
        )
        self._words = {*TYPES, *(word for group in groups for word in group.split())}
        for entry in entries:
            self._words.update(_WORD.findall(entry.syntax))

    def knows(self, instruction: Instruction) -> bool:
        """Whether all words of the opcode are PTX's."""
        return all(
            word in self._words or word.partition("::")[0] in STATE_SPACES or _FAMILIES.fullmatch(word)
            for word in instruction.modifiers
        )
