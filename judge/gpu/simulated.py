"""Cards simulated on this host, for tests: host memory as device memory, functional mode for kernels.

Everything except the cards is real: sandboxes, leases, secret pools, referee processes, the protocol, the
clock's session and the fault policy. The times are not times of a GPU, and every result says so.
"""

from collections.abc import Callable, Collection, Mapping, Sequence

from judge.built import Built
from judge.clock.roofline import Roofline
from judge.cpu.target import CpuTarget, commands, runner_limits
from judge.errors import RunnerUnusable
from judge.gpu.hardware import Card
from judge.languages import languages_here
from problems import schema
from problems.schema import Case, Problem
from problems.vocabulary import Language
from sandbox.cpu.build import runner_command
from sandbox.gpu.tool import Tool
from sandbox.pool import Pool
from sandbox.python_runtime import ranks_command
from sandbox.spec import Command, Limits


class SimulatedHardware:
    """`count` simulated cards over functional mode. Owns `cpu`. Implements `judge.gpu.hardware.Hardware`."""

    def __init__(self, cpu: CpuTarget, *, count: int = 1) -> None:
        self._cpu = cpu
        self.cards = tuple(
            Card(f"simulated-{number}", {"gpu": "simulated", "gpu_uuid": f"simulated-{number}"})
            for number in range(count)
        )
        self.languages = languages_here()
        self.shared: Mapping[str, Command] = {}

    def limits(self, limits: schema.ProblemLimits, *, cases: int) -> Limits:
        """Return the values of the CPU target."""
        return runner_limits(limits, cases=cases)

    def commands(self, card: Card) -> Mapping[str, Command]:
        """Return the runners and the oracle of the CPU target."""
        del card
        return commands(self._cpu.runtime)

    @property
    def tools(self) -> Collection[Tool]:
        """No tools."""
        return ()

    def watched(self, card: Card, limits: Limits, tool: Tool) -> Command:
        """Raise an error: there are no tools."""
        del card, limits
        raise RunnerUnusable(f"{tool.program} needs a GPU")

    def outside_mps(self, cards: Sequence[Card], limits: Limits, *, ranks: int = 1) -> Command:
        """Return the CPU target's runner, which has virtual devices, or that of ranks."""
        del cards
        return ranks_command(limits) if ranks > 1 else runner_command(self._cpu.runtime, limits=limits)

    def are_peers(self, card: Card, other: Card) -> bool:
        """Return True: all simulated cards are peers."""
        del card, other
        return True

    def environment(self, language: Language) -> Mapping[str, str]:
        """Return the values of the CPU target."""
        return {name: word for name, word in self._cpu.environment(language).items() if name != "target"} | {
            "mode": "simulated"
        }

    def build(
        self, problem: Problem, source: str, language: Language, cancelled: Callable[[], bool], pool: Pool
    ) -> Built:
        """Compile for functional mode."""
        del pool
        return self._cpu.build(problem, source, language, cancelled)

    def roofline(self, card: Card, problem: Problem, case: Case) -> Roofline | None:
        """Return that it is unknown."""
        del card, problem, case
        return None

    def held_mib(self, card: Card, pids: Collection[int]) -> int:
        """Return that it is unknown."""
        del card, pids
        return 0

    def examine(self, card: Card) -> str:
        """Return an empty string: simulated cards have no faults."""
        del card
        return ""

    def close(self) -> None:
        """End the sandboxes of functional mode."""
        self._cpu.close()
