"""A submission's session on a GPU node: one card, chosen at the start, with its contents and runs there."""

from collections.abc import Callable, Mapping, Sequence

from judge.drawn import CaseData
from judge.gpu.permit import AheadTurn, Permit
from judge.gpu.pool.source import PooledCaseData
from judge.gpu.referee import GpuReferee
from judge.gpu.runtime import GpuRuntime
from problems.schema import Case, Problem
from problems.vocabulary import Group, Language
from sandbox.gpu.lease import Reservation
from sandbox.gpu.tool import Tool


class GpuSession:
    """Implements `judge.target.JudgingSession` on one card."""

    def __init__(  # noqa: PLR0913 - a submission and its place, by name
        self,
        gpu_runtime: GpuRuntime,
        problem: Problem,
        language: Language,
        cases: Sequence[Case],
        cancelled: Callable[[], bool],
        *,
        environment: Mapping[str, str],
        tool: Tool | None,
        seed: int | None = None,
        reservations: Sequence[Reservation],
        peers: Sequence[GpuRuntime] = (),
    ) -> None:
        """`reservations` are for the cards of `gpu_runtime` and `peers`. The session releases them."""
        self.environment = environment
        self._gpu_runtime = gpu_runtime
        self._reservations = tuple(reservations)
        self._peers = tuple(peers)
        self._problem = problem
        self._language = language
        self._cases = {case.name: case for case in cases}
        self._cancelled = cancelled
        self._tool = tool
        self._permit = Permit()
        self._draws = PooledCaseData(
            problem,
            cases,
            gpu_runtime.secret_pool,
            gpu_runtime.oracles,
            cancelled,
            permit=self._permit,
            ahead=AheadTurn(gpu_runtime.runtime / f"draws-ahead-{gpu_runtime.card.uuid}"),
            memory_mib=gpu_runtime.card.memory_mib,
            seed=seed,
        )

    def start_referee(self, *, alone: bool = False) -> GpuReferee:
        """Start a run on this card. It prepares in the background."""
        return self._start(alone=alone, tool=self._tool)

    def start_race_check(self) -> GpuReferee | None:
        """Start an exclusive run under racecheck, for CUDA programs on one card; else return None."""
        if self._language is not Language.CUDA or self._peers:
            return None
        return self._start(alone=True, tool=Tool.RACECHECK)

    def _start(self, *, alone: bool, tool: Tool | None) -> GpuReferee:
        return GpuReferee(
            self._gpu_runtime,
            self._problem,
            self._language,
            self._cancelled,
            alone=alone,
            tool=tool,
            may_rank=any(case.group is Group.TIMED for case in self._cases.values()),
            permit=self._permit,
            reservations=self._reservations,
            peers=self._peers,
        )

    def sets(self, case: Case) -> tuple[CaseData, ...]:
        """Wait for the contents of `case` and return them."""
        return self._draws.sets(case)

    def close(self) -> None:
        """Release the contents, and queue draws for the next submissions. Returns at once."""
        try:
            for reservation in self._reservations:
                reservation.release()
        finally:
            self._gpu_runtime.later(self._leave)

    def _leave(self) -> None:
        self._draws.close()
        self._gpu_runtime.prepare_for(self._problem, [self._cases[name] for name in self._draws.lacking])
