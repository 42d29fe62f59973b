"""The target `gpu`: the cards of this node. Checks share a card; ranking holds it exclusively.

Theory of operation. Every card has a GPU runtime with its leases, its secret pool and its kinds of warm
sandboxes. A submission gets a judging session on the card that will be free first, of those that are not
quarantined. Compiling needs no card. All state that worker processes share is outside of them: leases and
quarantine marks are files, and MPS and the secret pool are separate processes.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import combinations
from pathlib import Path

from judge.built import Built
from judge.cpu.doctor import Doctor
from judge.cpu.target import ORACLE_LIMITS, pool_metrics
from judge.errors import GpusMissing, GpuUnavailable, JudgementCancelled, LanguageMissing, RunnerUnusable
from judge.evidence.sums import Sums
from judge.gpu.hardware import Hardware
from judge.gpu.pool.client import SecretPool, SecretPoolSettings
from judge.gpu.runtime import ORACLE, GpuRuntime
from judge.gpu.session import GpuSession
from judge.oracle import Oracle, oracle_kind
from judge.report import Diagnostic
from problems.schema import Case, Problem
from problems.vocabulary import Language, OracleKind
from sandbox.backend import Backend, Process
from sandbox.gpu.health import Quarantine
from sandbox.gpu.lease import LeaseCancelled, Leases, Reservation, Share
from sandbox.gpu.tool import Tool
from sandbox.pool import NotReady, Pool, PoolSpec
from sandbox.python_runtime import oracle_command, torch_oracle_command


class GpuTarget:
    """The cards of `hardware`. Implements `judge.target.Target`."""

    name = "gpu"
    ranks = True

    def __init__(
        self,
        hardware: Hardware,
        backend: Backend,
        *,
        runtime: Path,
        warm: Mapping[str, int],
        slots: int,
        secret_pool: SecretPoolSettings,
        doctor: Doctor | None = None,
    ) -> None:
        """Open the target in the directory `runtime`, which all processes of the node share.

        `warm` is the number of sandboxes to keep started for every card, by kind. `slots` is the number of
        checks that may share a card.
        """
        self._hardware = hardware
        self._doctor = doctor
        self._isolation = backend.name
        self._leases = Leases(runtime, slots=slots)
        self._quarantine = Quarantine(runtime)
        recipes = {
            oracle_kind(OracleKind.ARRAYS): PoolSpec(oracle_command(ORACLE_LIMITS), 0),
            oracle_kind(OracleKind.TORCH): PoolSpec(torch_oracle_command(ORACLE_LIMITS), 0),
        }
        recipes |= {name: PoolSpec(command, warm.get(name, 0)) for name, command in hardware.shared.items()}
        for card in hardware.cards:
            for name, command in hardware.commands(card).items():
                recipes[f"{name}@{card.uuid}"] = PoolSpec(command, warm.get(name, 0))
        self._pool = Pool(backend, recipes)
        self._gpu_runtimes = {
            card.uuid: GpuRuntime(
                card,
                hardware,
                backend,
                self._pool,
                self._leases,
                self._quarantine,
                SecretPool(runtime, card.uuid, gpu=card.oracle, settings=secret_pool),
                refreshes=warm.get(ORACLE, 0) > 0,
                runtime=runtime,
            )
            for card in hardware.cards
        }

    @property
    def metrics(self) -> Mapping[str, int]:
        """Return counters of hits and misses: of warm sandboxes by kind, and of contents in stock by card."""
        found = pool_metrics(self._pool)
        for uuid, gpu_runtime in self._gpu_runtimes.items():
            found |= {
                f"secret_pool_{name}@{uuid}": count for name, count in gpu_runtime.secret_pool.asked.items()
            }
        return found

    @property
    def tools(self) -> Collection[Tool]:
        """The tools that are installed for programs of this node."""
        return self._hardware.tools

    @property
    def gpu_models(self) -> tuple[str, ...]:
        """The models of the cards that are not quarantined."""
        sick = self._quarantine.quarantined()
        return tuple(sorted({self._model(uuid) for uuid in self._gpu_runtimes if uuid not in sick}))

    @property
    def gpu_runtimes(self) -> Mapping[str, GpuRuntime]:
        """The GPU runtime of each card, by uuid."""
        return self._gpu_runtimes

    def build(
        self, problem: Problem, source: str, language: Language, cancelled: Callable[[], bool]
    ) -> Built:
        """Compile `source` in a sandbox, or return the result in the cache; see `judge.target.Target`."""
        if language not in self._hardware.languages:
            raise LanguageMissing(f"{language} is not installed here")
        return self._hardware.build(problem, source, language, cancelled, self._pool)

    def session(
        self,
        problem: Problem,
        language: Language,
        cases: Sequence[Case],
        cancelled: Callable[[], bool],
        *,
        tool: Tool | None = None,
        seed: int | None = None,
        gpu_model: str = "",
    ) -> GpuSession:
        """Open a session on the card of `gpu_model` that will be free first, or on several cards.

        Raises GpuUnavailable or GpusMissing.
        """
        toolchain = self._hardware.environment(language)
        reservations = self._reserve(problem, gpu_model, cancelled)
        gpu_runtime, *peers = (self._gpu_runtimes[reservation.uuid] for reservation in reservations)
        environment = {
            "target": self.name,
            "isolation": self._isolation,
            **gpu_runtime.card.stamp,
            **toolchain,
        }
        return GpuSession(
            gpu_runtime,
            problem,
            language,
            cases,
            cancelled,
            environment=environment,
            tool=tool,
            seed=seed,
            reservations=reservations,
            peers=peers,
        )

    def examine(
        self, problem: Problem, source: str, language: Language, case: Case, cancelled: Callable[[], bool]
    ) -> tuple[Diagnostic, ...]:
        """Return the findings of functional mode on a CUDA program that failed `case`."""
        if self._doctor is None or language is not Language.CUDA:
            return ()
        return self._doctor.examine(problem, source, case, cancelled)

    def find_race(
        self,
        problem: Problem,
        source: str,
        language: Language,
        cases: Sequence[Case],
        cancelled: Callable[[], bool],
    ) -> Diagnostic | None:
        """Return a race in a CUDA program that functional mode proves, or None."""
        if self._doctor is None or language is not Language.CUDA:
            return None
        return self._doctor.find_race(problem, source, cases, cancelled)

    def count(
        self,
        problem: Problem,
        source: str,
        language: Language,
        cases: Sequence[Case],
        cancelled: Callable[[], bool],
    ) -> tuple[Sums, ...] | None:
        """Return what functional mode counts of a CUDA program, or None if it cannot run it."""
        if self._doctor is None or language is not Language.CUDA:
            return None
        return self._doctor.count(problem, source, cases, cancelled)

    def start_oracle(self, problem: Problem, cancelled: Callable[[], bool]) -> Oracle:
        """Start the reference of `problem` on this host's processors."""
        try:
            return Oracle(problem, self._pool.take(oracle_kind(problem.oracle), ORACLE_LIMITS), cancelled)
        except NotReady as error:
            raise RunnerUnusable(f"oracle: {error}") from error

    def start_checker(self, problem: Problem) -> Process:
        """Start a sandbox on this host for an author's checker. Raises RunnerUnusable."""
        try:
            return self._pool.take(oracle_kind(problem.oracle), ORACLE_LIMITS)
        except NotReady as error:
            raise RunnerUnusable(f"checker: {error}") from error

    def close(self) -> None:
        """End all background work. Secret pools and MPS keep running for other processes."""
        for gpu_runtime in self._gpu_runtimes.values():
            gpu_runtime.close()
        self._pool.close()
        if self._doctor is not None:
            self._doctor.close()
        self._hardware.close()

    def _reserve(
        self, problem: Problem, gpu_model: str, cancelled: Callable[[], bool]
    ) -> tuple[Reservation, ...]:
        sick = self._quarantine.quarantined()
        wanted = [uuid for uuid in self._gpu_runtimes if gpu_model in {"", self._model(uuid)}]
        well = [uuid for uuid in wanted if uuid not in sick]
        if not well:  # the node service tests quarantined cards too, but it may not be running
            well = [uuid for uuid in wanted if self._gpu_runtimes[uuid].revive(cancelled)]
        if not well:
            reasons = "; ".join(f"{uuid}: {sick[uuid]}" for uuid in wanted)
            named = gpu_model or "GPU"
            raise GpuUnavailable(f"no {named} of this node can judge: {reasons or 'there is none'}")
        try:
            groups = self._peer_groups(well, problem.devices_needed)
            if not groups:
                raise GpusMissing(
                    f"{problem.devices_needed} GPUs of one model that can access each other's memory"
                )
            share = Share.RANK if problem.has_own_gpus else Share.CHECK
            return self._leases.reserve_several(groups, share, cancelled, brief=ORACLE)
        except LeaseCancelled as error:
            raise JudgementCancelled from error

    def _peer_groups(self, uuids: Sequence[str], size: int) -> tuple[tuple[str, ...], ...]:
        """Return every choice of `size` cards of one model that can all access each other's memory."""
        return tuple(
            group
            for group in combinations(sorted(uuids), size)
            if len({self._model(uuid) for uuid in group}) == 1
            and all(
                self._hardware.are_peers(self._gpu_runtimes[one].card, self._gpu_runtimes[other].card)
                for one, other in combinations(group, 2)
            )
        )

    def _model(self, uuid: str) -> str:
        return self._gpu_runtimes[uuid].card.stamp.get("gpu", "")
