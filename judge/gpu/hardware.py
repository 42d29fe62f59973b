"""The hardware of a GPU node, real or simulated: its cards and the sandboxes that run on them.

`judge.gpu.nvidia` implements it for the NVIDIA GPUs of this host. `judge.gpu.simulated` simulates cards with
this host's memory and processors. Simulated cards have the same leases, secret pools, referee processes and
fault policy, so everything but CUDA itself can be tested without a GPU.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from judge.built import Built
from judge.clock.roofline import Roofline
from problems import schema
from problems.schema import Case, Problem
from problems.vocabulary import Language
from sandbox.gpu.mps import Mps
from sandbox.gpu.tool import Tool
from sandbox.pool import Pool
from sandbox.spec import Command, Limits, SandboxGpu


@dataclass(frozen=True, slots=True)
class Card:
    """One GPU. `stamp` names hardware and driver in results. `mps` is None if it is time-sliced.

    `gpu` is the access of submissions' sandboxes to the card, and `oracle` the access of the oracle and the
    secret pool; both are None for a simulated card. `memory_mib` is the memory of the card. If the card runs
    out of memory, a program that holds more than `most_mib` is charged. Both are 0 if unknown.
    """

    uuid: str
    stamp: Mapping[str, str] = field(default_factory=dict)
    mps: Mps | None = None
    gpu: SandboxGpu | None = None
    oracle: SandboxGpu | None = None
    most_mib: int = 0
    memory_mib: int = 0


class Hardware(Protocol):
    """The cards of a node and what runs on them. Safe to share between threads."""

    @property
    def cards(self) -> tuple[Card, ...]:
        """All cards, including faulty ones."""

    @property
    def languages(self) -> tuple[Language, ...]:
        """The languages that this hardware can judge."""

    @property
    def tools(self) -> Collection[Tool]:
        """The tools that `watched` can use."""

    @property
    def shared(self) -> Mapping[str, Command]:
        """Return the warm sandboxes shared by all cards, by kind: `compile` or none."""

    def limits(self, limits: schema.ProblemLimits, *, cases: int) -> Limits:
        """The limits of a whole runner; the referee enforces those of one case."""

    def commands(self, card: Card) -> Mapping[str, Command]:
        """Return the warm sandboxes of a card, by kind: a language, or `oracle`."""

    def watched(self, card: Card, limits: Limits, tool: Tool) -> Command:
        """Return the CUDA runner under a tool. Raises RunnerUnusable if the tool is not installed."""

    def outside_mps(self, cards: Sequence[Card], limits: Limits, *, ranks: int = 1) -> Command:
        """Return a runner outside MPS, for programs that use `cards` in this order.

        It is the CUDA runner, or with several `ranks` that of Python programs with ranks.
        """

    def are_peers(self, card: Card, other: Card) -> bool:
        """Whether each of the two cards can access the memory of the other one."""

    def environment(self, language: Language) -> Mapping[str, str]:
        """Toolchain and versions behind results in `language`."""

    def build(
        self, problem: Problem, source: str, language: Language, cancelled: Callable[[], bool], pool: Pool
    ) -> Built:
        """Compile in a sandbox of `pool`; see `judge.target.Target`."""

    def roofline(self, card: Card, problem: Problem, case: Case) -> Roofline | None:
        """Return the roofline of `case` on `card`, or None if the card is not calibrated."""

    def held_mib(self, card: Card, pids: Collection[int]) -> int:
        """Return how many MiB of a card's memory the processes `pids` of this host hold; 0 if unknown."""

    def examine(self, card: Card) -> str:
        """Test a card with a new process and return its fault, or an empty string.

        Needs the exclusive lease.
        """

    def close(self) -> None:
        """End all background work."""
