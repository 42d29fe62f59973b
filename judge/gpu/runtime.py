"""One card and its services in this process: sandboxes, leases, secret pool, and health checks.

It protects other programs: it terminates an MPS client before it kills it, and quarantines a card that stays
faulty.
"""

import contextlib
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from judge.compiler.limits import compile_limits
from judge.cpu.target import ORACLE_LIMITS
from judge.errors import JudgementCancelled, RunnerUnusable
from judge.gpu.device.process import RefereeProcess
from judge.gpu.hardware import Card, Hardware
from judge.gpu.idle_clients import IdleClients
from judge.gpu.oracles import Oracles
from judge.gpu.pool.client import SecretPool
from judge.gpu.refresher import Refresher
from judge.languages import LIBRARIES_RUNNER, runner_kind, uses_libraries
from judge.oracle import oracle_kind
from problems.schema import Case, Problem
from problems.vocabulary import Language
from sandbox.backend import Backend, IsolationUnavailable, Process
from sandbox.gpu.health import Quarantine
from sandbox.gpu.lease import Lease, LeaseCancelled, Leases, Reservation, Share
from sandbox.gpu.mps import MpsUnavailable
from sandbox.gpu.tool import Tool
from sandbox.pool import NotReady, Pool, await_ready
from sandbox.spec import Command, Limits

_log = logging.getLogger(__name__)

ORACLE = "oracle"
_RECOVERY_S = 8.0  # limit for a card to recover after a fault
_RETRY_S = 0.2
_STUCK_S = 1.5  # if an MPS server takes longer to recover from a fault, it waits for a hung client
_POLL_S = 0.05
_CONTEXT_MIB = 2048  # includes arrays that the program received, which NVML may count as well
_QUIET_S = 3.0
# How long a card must be unused before the next runner opens it. A CUDA runner takes a tenth of a second to
# open the GPU, an interpreter most of a second, and a submission to be timed would have to wait for this.
_OPEN_QUIET_S = {
    runner_kind(language): 0.2 if language is Language.CUDA else _QUIET_S for language in Language
}
_TEARDOWNS = 8
_OPENED_MIB = 12 << 10  # smaller GPUs lack memory for idle contexts


@dataclass(slots=True)
class GpuRuntime:
    """`card` and its services. Thread-safe."""

    card: Card
    hardware: Hardware
    backend: Backend
    pool: Pool
    leases: Leases
    quarantine: Quarantine
    secret_pool: SecretPool
    refreshes: bool
    runtime: Path
    idle: IdleClients = field(init=False)
    refresher: Refresher = field(init=False)
    oracles: Oracles = field(init=False)
    _background: ThreadPoolExecutor = field(init=False)
    _daemon: tuple[int, int] | None = field(init=False)

    def __post_init__(self) -> None:
        self.oracles = Oracles(
            self._start_oracle,
            lambda process: process.begin(ORACLE_LIMITS),
            directory=self.runtime / "oracles" / self.card.uuid,
            gpu=True,
        )
        self.refresher = Refresher(self.secret_pool, self.oracles, self.share)
        opens = self.refreshes and self.card.mps and self.card.memory_mib >= _OPENED_MIB
        self.idle = IdleClients(
            self.pool,
            {
                self.kind(name): partial(self.share, patience_s=patience_s)
                for name, patience_s in _OPEN_QUIET_S.items()
                if opens and name in self.hardware.commands(self.card)
            },
            healthy=self.recovered,
            most=self.leases.slots if self.card.mps is not None or self.card.gpu is None else 0,
        )
        self._background = ThreadPoolExecutor(_TEARDOWNS, thread_name_prefix="teardown")
        self._daemon = self.card.mps.born if self.card.mps else None

    def kind(self, name: str) -> str:
        """Return the name of a kind of sandbox of this card in the pool."""
        return f"{name}@{self.card.uuid}"

    def acquire(
        self,
        share: Share,
        cancelled: Callable[[], bool],
        *,
        label: str,
        reservation: Reservation | None = None,
    ) -> Lease:
        """Wait for a lease of the card; see `Leases.acquire`. Raises JudgementCancelled."""
        try:
            return self.leases.acquire(self.card.uuid, share, cancelled, label=label, reservation=reservation)
        except LeaseCancelled as error:
            raise JudgementCancelled from error

    def acquire_with(
        self,
        peers: Sequence["GpuRuntime"],
        cancelled: Callable[[], bool],
        *,
        label: str,
        reservations: Sequence[Reservation],
    ) -> Lease:
        """Wait for an exclusive lease of this card and the cards of `peers`. Raises JudgementCancelled."""
        uuids = [runtime.card.uuid for runtime in (self, *peers)]
        try:
            return self.leases.acquire_all(uuids, cancelled, label=label, reservations=reservations)
        except LeaseCancelled as error:
            raise JudgementCancelled from error

    @contextmanager
    def share(self, cancelled: Callable[[], bool], *, patience_s: float = _QUIET_S) -> Iterator[Lease]:
        """Hold a share of the card for background work. Raises JudgementCancelled.

        First waits for the card to be unused, at most `patience_s`. Otherwise background work might delay a
        submission that has passed its checks and needs the card exclusively.
        """
        deadline = time.monotonic() + patience_s
        while self.leases.holders(self.card.uuid) or self.leases.waiting(self.card.uuid):
            if cancelled() or time.monotonic() > deadline:
                break
            time.sleep(_POLL_S)
        with self.acquire(Share.CHECK, cancelled, label=ORACLE) as lease:
            yield lease

    def start_runner(self, problem: Problem, language: Language) -> Process:
        """Start a new runner. The caller must close it. Raises RunnerUnusable."""
        limits = self._runner_limits(problem)
        kind = runner_kind(language)
        if uses_libraries(language, problem.limits) and LIBRARIES_RUNNER in self.hardware.commands(self.card):
            kind = LIBRARIES_RUNNER
        try:
            return self._take(kind, limits)
        except NotReady as error:
            raise RunnerUnusable(f"{language} runner: {error}") from error

    def start_watched(self, problem: Problem, tool: Tool) -> Process:
        """Start a new CUDA runner under a tool of the toolkit. Raises RunnerUnusable."""
        limits = self.hardware.limits(problem.limits, cases=len(problem.cases))
        return self._start(self.hardware.watched(self.card, limits, tool), tool.program)

    def start_outside_mps(self, peers: Sequence["GpuRuntime"], problem: Problem) -> Process:
        """Start a new runner outside MPS that sees this card and those of `peers`.

        Raises RunnerUnusable.
        """
        cards = [runtime.card for runtime in (self, *peers)]
        command = self.hardware.outside_mps(cards, self._runner_limits(problem), ranks=problem.ranks)
        return self._start(command, "runner outside MPS")

    def _runner_limits(self, problem: Problem) -> Limits:
        """Return the limits of a runner.

        They only back the limits of a case, so they leave time to compile and queue.
        """
        limits = self.hardware.limits(problem.limits, cases=len(problem.cases))
        return replace(limits, wall_s=limits.wall_s + compile_limits(problem).wall_s)

    def _start(self, command: Command, name: str) -> Process:
        process = self.backend.start(command)
        try:
            await_ready(process)
        except NotReady as error:
            process.close()
            raise RunnerUnusable(f"{name}: {error}") from error
        return process

    def start_referee(self, cancelled: Callable[[], bool]) -> RefereeProcess:
        """Return a referee process that has opened the card or begins to open it. Returns at once."""
        if (kept := self.idle.referee(cancelled)) is not None:
            return kept
        mps = self.card.mps

        def terminate(pid: int) -> None:
            if mps is not None:
                with contextlib.suppress(MpsUnavailable):
                    mps.terminate(pid)

        return RefereeProcess.start(self.card.gpu or "host", cancelled=cancelled, terminate=terminate)

    def draws_ahead(self) -> bool:
        """Return whether a background draw, which takes milliseconds, holds a share of the card."""
        return any(holder.label == ORACLE for holder in self.leases.holders(self.card.uuid))

    def client_of(self, process: Process) -> int | None:
        """Return the host process id of the sandbox's process that is a client of this card's MPS, or None.

        Raises MpsUnavailable.
        """
        if self.card.mps is None:
            return None
        clients = set(self.card.mps.clients())
        return next((pid for pid in process.pids if pid in clients), None)

    def overdrawn_mib(self, process: Process) -> int:
        """Return the MiB of the card's memory that a sandbox holds above its limit, or 0."""
        if not self.card.most_mib:
            return 0
        held_mib = self.hardware.held_mib(self.card, process.pids)
        return max(0, held_mib - self.card.most_mib - _CONTEXT_MIB)

    def take_off(self, process: Process) -> None:
        """Terminate a sandbox's work on the GPU, so that killing it does not affect others."""
        if self.card.mps is None:
            return
        try:
            for pid in process.pids:
                self.card.mps.terminate(pid)
        except MpsUnavailable as error:
            _log.warning("mps_client_termination_failed: %s: %s", self.card.uuid, error)

    def await_recovery(self, stop: Callable[[], bool]) -> None:
        """Wait for a limited time until the card's MPS has recovered from a fault.

        Start MPS if it is not running.
        """
        started = time.monotonic()
        while self.card.mps is not None and not self.card.mps.healthy():
            if stop() or time.monotonic() > started + _RECOVERY_S:
                return
            self.idle.drop()  # MPS recovers after all of its clients have exited
            self._replace_mps(since_s=started)
            if self.card.oracle is not None and self.card.oracle.mps_directory is not None:
                self.oracles.discard()
            time.sleep(_POLL_S)

    def _start_oracle(self, problem: Problem) -> Process:
        try:
            return self._take(oracle_kind(problem.oracle), ORACLE_LIMITS)
        except NotReady as error:
            raise RunnerUnusable(f"oracle: {error}") from error

    def start_checker(self, problem: Problem) -> Process:
        """Start a new sandbox for an author's checker. The caller must close it. Raises RunnerUnusable."""
        try:
            return self._take(oracle_kind(problem.oracle), ORACLE_LIMITS)
        except NotReady as error:
            raise RunnerUnusable(f"checker: {error}") from error

    def _take(self, name: str, limits: Limits) -> Process:
        """Take a sandbox from the pool. Raises NotReady or IsolationUnavailable.

        Discards sandboxes that wait with the socket of an earlier MPS daemon. A sandbox mounts this socket,
        so it cannot start while a new daemon replaces a faulty one. This is not a failure of the isolation.
        """
        born = self.card.mps.born if self.card.mps else None
        if born is not None and born != self._daemon:
            self._daemon = born
            self.idle.drop()
            self.pool.discard(*(self.kind(known) for known in self.hardware.commands(self.card)))
        try:
            return self.pool.take(self.kind(name), limits)
        except IsolationUnavailable as error:
            if self.card.mps is None or (born is not None and born == self.card.mps.born):
                raise
            raise NotReady(f"MPS was down while the sandbox started: {error}") from error
        finally:
            self.idle.taken(self.kind(name))

    def later(self, work: Callable[[], None]) -> None:
        """Run `work` in the background. `close` waits for it."""
        self._background.submit(_logged, work)

    def recovered(self) -> bool:
        """Return whether the card's MPS accepts clients: it is not recovering from a fault."""
        return self.card.mps is None or self.card.mps.healthy()

    def servants(self) -> tuple[int, ...]:
        """Return the ids of the processes that may have memory on the card at any time.

        These are MPS and its clients, the secret pool, and oracles. While a program has the card alone, all
        other MPS clients are idle.
        """
        try:
            servers = self.card.mps.servers() if self.card.mps else ()
        except MpsUnavailable:
            servers = ()
        members = [pid for server in servers for pid in (server.pid, *server.clients)]
        return (self.secret_pool.pid, *self.oracles.pids(), *members)

    def check_up(self) -> str:
        """Test the card after a time-out or a fault, and quarantine it if it stays faulty.

        Returns the fault, or an empty string if the card works. The caller must hold the exclusive lease and
        have no clients left on the card.
        """
        started, replaced = time.monotonic(), False
        self.idle.drop()
        while reason := self.hardware.examine(self.card):
            if replaced and time.monotonic() > started + _RECOVERY_S:
                self.quarantine.quarantine(self.card.uuid, reason, by="judge")
                _log.error("gpu_quarantined: %s: %s", self.card.uuid, reason)
                return reason
            replaced = time.monotonic() > started + _STUCK_S
            self._replace_mps(since_s=started)
            time.sleep(_RETRY_S)
        return ""

    def revive(self, cancelled: Callable[[], bool]) -> bool:
        """Test a quarantined card if its next test is due. Returns whether the card is back in use.

        Raises JudgementCancelled.
        """
        mark = self.quarantine.mark(self.card.uuid)
        if mark is not None and mark.retry_at <= time.time():
            with self.acquire(Share.RANK, cancelled, label="health check"):
                if not self.check_up():
                    self.quarantine.clear(self.card.uuid)
                    _log.info("gpu_restored: %s", self.card.uuid)
        return self.quarantine.mark(self.card.uuid) is None

    def _replace_mps(self, *, since_s: float) -> None:
        """Start MPS if it is down. Replace it if it has been faulty since `since_s`."""
        mps = self.card.mps
        if mps is None:
            return
        with contextlib.suppress(MpsUnavailable):
            if time.monotonic() > since_s + _STUCK_S:
                mps.recover()
            else:
                mps.ensure()

    def prepare_for(self, problem: Problem, cases: Sequence[Case]) -> None:
        """Queue draws for later judgements, if this process lives long enough for them."""
        if self.refreshes:
            self.refresher.ask(problem, list(cases))

    def close(self) -> None:
        """Wait for background work that is ending, and end everything else."""
        self.oracles.close()  # first, because background work may be waiting for a draw
        self._background.shutdown()
        self.idle.close()
        self.refresher.close()
        self.secret_pool.close()


def _logged(work: Callable[[], None]) -> None:
    try:
        work()
    except Exception:  # noqa: BLE001 - the boundary of a thread
        _log.exception("background_work_failed")
