"""What a GPU node is made of: its cards, and what runs on them. The real one, or one that CI simulates.

`judge.gpu.nvidia` has the NVIDIA GPUs of this host. `judge.gpu.simulated` has cards that are this host's
memory and processors, with the same leases, secret pools, referee processes and fault policy, so that all but
CUDA itself is tested without a GPU.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from judge.built import Built
from judge.clock.roofline import Roofline
from problems import schema
from problems.schema import Case, Problem
from problems.vocabulary import Language
from sandbox.gpu.mps import Mps
from sandbox.gpu.runners import Tool
from sandbox.pool import Pool
from sandbox.spec import Command, Gpu, Limits


@dataclass(frozen=True, slots=True)
class Card:
    """One GPU. `stamp` names hardware and driver in results. `mps` is None where it is time-sliced.

    `gpu` is what sandboxes of submissions get of it, `oracle` what the oracle and the secret pool get; None
    for a simulated card. `most_mib` is the memory beyond which a program is charged when the card runs out of
    it, 0 where that is not known.
    """

    uuid: str
    stamp: Mapping[str, str] = field(default_factory=dict)
    mps: Mps | None = None
    gpu: Gpu | None = None
    oracle: Gpu | None = None
    most_mib: int = 0


class Hardware(Protocol):
    """The cards of a node and what runs on them. Safe to share between threads."""

    @property
    def cards(self) -> tuple[Card, ...]:
        """Every card, sick or not."""

    @property
    def languages(self) -> tuple[Language, ...]:
        """What it judges."""

    @property
    def shared(self) -> Mapping[str, Command]:
        """What to keep warm for all cards together, by kind: `compile`, if anything."""

    def limits(self, limits: schema.Limits, *, cases: int) -> Limits:
        """The limits of a whole runner; the referee enforces those of one case."""

    def commands(self, card: Card) -> Mapping[str, Command]:
        """What to keep warm for a card, by kind: a language, or `oracle`."""

    def sanitized(self, card: Card, limits: Limits, tool: Tool) -> Command:
        """The CUDA runner under a tool of compute-sanitizer. Raises RunnerUnusable where there is none."""

    def environment(self, language: Language) -> Mapping[str, str]:
        """Toolchain and versions behind results in `language`."""

    def build(
        self, problem: Problem, source: str, language: Language, cancelled: Callable[[], bool], pool: Pool
    ) -> Built:
        """Compile in a sandbox of `pool`; see `judge.target.Target`."""

    def roofline(self, card: Card, problem: Problem, case: Case) -> Roofline | None:
        """How fast a case can be on `card`, None where that is not known."""

    def held_mib(self, card: Card, pids: Collection[int]) -> int:
        """What processes of this host hold of a card's memory, 0 where that is not known."""

    def examine(self, card: Card) -> str:
        """What is wrong with a card by a fresh process on it; empty when nothing is. Needs it alone."""

    def close(self) -> None:
        """End what it keeps running."""
