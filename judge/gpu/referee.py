"""Implements a run on a GPU for `judge.evaluate`: a share of the card, a runner, and a referee process.

Theory of operation. A thread prepares the run while the program compiles:

1. Wait for a lease of the card: a shared lease, or an exclusive lease for a run that must be alone.
2. Take a resting referee process or start one, take a warm runner, and connect them. Both open the GPU in
   parallel, unless they have already opened it (`judge.gpu.idle_clients`), before any foreign code is loaded.
3. Under MPS, check that the runner is a client of the daemon. A process that does not find the daemon would
   silently run outside MPS, beyond its limits and `terminate`.
4. Keep the processes ready. A fault of another MPS client ends these contexts too, and MPS recovers only
   after all of its clients have exited, idle clients included.

Before the program is loaded, it cannot cause an error. So after an error, steps 2 and 3 are retried with new
processes, for as long as an MPS server may need to recover.

A run always ends in this order: `Mps.terminate` stops the runner's work on the GPU, then the sandbox is
killed. Killing an MPS client with a running kernel would make the other clients fail too. After a time-out,
the card is tested, and quarantined if it stays faulty. Then `judge.evidence.faults` decides who is charged.
"""

import contextlib
import logging
import time
from collections.abc import Callable, Sequence
from threading import Event, Thread
from typing import TypeVar

from judge.drawn import CaseData
from judge.errors import Disturbed, JudgeError, JudgementCancelled, RunnerUnusable
from judge.evidence.faults import (
    blames_us,
    charge,
    may_be_a_neighbours,
    on_shared_gpu,
    took_too_long,
    under_tool,
)
from judge.evidence.sanitizer import findings, refined
from judge.gpu.device.process import RefereeFailed, RefereeProcess
from judge.gpu.permit import Permit
from judge.gpu.runtime import GpuRuntime
from judge.replay.recorded import Trace
from judge.report import CaseReport, Diagnostic, own_scalars
from judge.runner.client import ReplyStatus, end
from judge.runner.inspector import Stopped
from judge.runner.memory import DeviceLost
from problems.schema import Case, Problem
from problems.vocabulary import Language, Verdict
from sandbox.backend import IsolationUnavailable, Process
from sandbox.gpu.lease import Lease, Reservation, Share
from sandbox.gpu.mps import MpsUnavailable
from sandbox.gpu.profiler import REPORT
from sandbox.gpu.tool import Tool
from sandbox.spec import Completion, Termination
from sandbox.wire import RunFlag

_log = logging.getLogger(__name__)

_START_S = 20.0  # limit for the start of a runner, also after an MPS fault
_RETRY_S = 0.1
_WATCH_S = 0.5
_EXIT_S = 2.0
_TOOL_EXIT_S = 60.0  # limit for a profiler to write its report
_DRAW_S = 0.25  # to wait for background work; after that, the run queues for the card
_DRAW_POLL_S = 0.002
_Found = TypeVar("_Found")

OVERDRAWN = "The program holds more GPU memory than the limit and left too little for judging."


class GpuReferee:
    """The run of a program on one card. Implements `judge.target.Referee`. Begins to prepare at once.

    `tool` is a tool of compute-sanitizer to run a CUDA program under. `may_rank` says whether there are timed
    cases. `permit` is granted while the run holds a share of the card. A program for several GPUs also uses
    the cards of `peers`. `reservations` represent this run in the queues of all these cards until it waits
    for a lease.
    """

    def __init__(  # noqa: PLR0913 - a run and how it is to be run, by name
        self,
        gpu_runtime: GpuRuntime,
        problem: Problem,
        language: Language,
        cancelled: Callable[[], bool],
        *,
        alone: bool,
        tool: Tool | None,
        may_rank: bool,
        permit: Permit,
        reservations: Sequence[Reservation] = (),
        peers: Sequence[GpuRuntime] = (),
    ) -> None:
        self._reservations = tuple(reservations)
        self._peers = tuple(peers)
        alone = alone or problem.has_own_gpus
        self._gpu_runtime = gpu_runtime
        self._whole = under_tool(problem) if tool else problem
        self._problem = self._whole if alone else on_shared_gpu(self._whole, language)
        self._language = language
        self._cancelled = cancelled
        self._alone = alone
        # Programs on several GPUs run without a tool, since a tool would have to follow all of the GPUs.
        self._tool = tool if language is Language.CUDA and not peers else None
        self._permit = permit
        self._lease: Lease | None = None
        self._process: Process | None = None
        self._referee: RefereeProcess | None = None
        self._checker: Process | None = None
        self._failure: BaseException | None = None
        self._wanted = Event()
        self._closing = Event()
        self._up = False
        self._loaded = False
        self._clean = False  # the run had no fault, and the runner has exited
        self._diagnostics: tuple[Diagnostic, ...] = ()
        self.alive = False
        self.output = b""
        self.profile_report: bytes | None = None
        self.trace: Trace | None = None  # GPUs record no trace
        self._quiet = contextlib.ExitStack()
        if may_rank:
            self._quiet.enter_context(gpu_runtime.pool.held())
        self._thread = Thread(target=self._begin, name="run", daemon=True)
        self._thread.start()

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The findings about the program, up to now."""
        referee = self._referee
        said = referee.diagnostics if referee else self._diagnostics
        return (*said, *findings(self.output)) if self._tool and self._tool is not Tool.PROFILER else said

    def ready(self) -> None:
        """Wait until the runner is ready and the run holds its share of the card.

        See `judge.target.Referee`.
        """
        self._wanted.set()
        self._thread.join()
        if self._failure is not None:
            raise self._failure
        self.alive = True

    def load(self, *contents: bytes) -> tuple[Verdict, str] | None:
        """Load the program; see `judge.target.Referee`."""
        self._loaded = True
        stopped = self._ask(lambda referee: referee.load(*contents))
        return self._stop(stopped) if stopped else None

    def check(self, drawn: CaseData, flags: RunFlag) -> CaseReport:
        """Run one case and check it in full."""
        return self._reported(drawn.case, self._ask(lambda referee: referee.check(drawn, flags)))

    def promote(self) -> bool:
        """Try to get the card exclusively, waiting only for a draw in progress."""
        deadline = time.monotonic() + _DRAW_S
        while self._lease is not None and not self._lease.try_promote():
            if not self._gpu_runtime.draws_ahead() or time.monotonic() > deadline:
                return False
            time.sleep(_DRAW_POLL_S)
        if self._lease is None:
            return False
        self._permit.grant(alone=True)
        return True

    def rank(self, sets: Sequence[CaseData]) -> CaseReport:
        """Time one case. The run must hold the card alone."""
        case = sets[0].case
        roofline = self._gpu_runtime.hardware.roofline(self._gpu_runtime.card, self._whole, case)
        found = self._ask(lambda referee: referee.rank(sets, roofline=roofline, ours=self._ours()))
        return self._reported(case, found)

    def overdrawn(self) -> tuple[Verdict, str] | None:
        """Return the verdict if a loaded program holds too much GPU memory; see `judge.target.Referee`."""
        process = self._process
        if process is None or not self._loaded or not self._gpu_runtime.overdrawn_mib(process):
            return None
        return Verdict.MEMORY_LIMIT, OVERDRAWN

    def finish(self) -> None:
        """Let the runner exit, and keep its output in `output`."""
        if self.alive:
            self.alive = False
            self._ask(lambda referee: referee.quit())
            completion = self._end_process(patience_s=_TOOL_EXIT_S if self._tool else _EXIT_S)
            self._clean = (completion.ending, completion.status) == (Termination.EXITED, 0)

    def close(self) -> None:
        """End the runner and the referee process, then release the lease. Returns at once.

        The lease is released last, so other users of the card wait for all of this.
        """
        self._quiet.close()
        self._gpu_runtime.later(self._close)

    def _close(self) -> None:
        try:
            if self.alive:
                with contextlib.suppress(JudgeError, IsolationUnavailable):
                    self.finish()  # let it exit if possible: a kill may leave work on the GPU
            self.alive = False
            self._closing.set()
            self._wanted.set()
            self._thread.join()
            self._tear_down()
        finally:
            if self._lease is not None:  # otherwise the card would lose a slot permanently
                self._permit.revoke()
                self._lease.release()

    def _begin(self) -> None:
        try:
            self._lease = self._acquire()
            self._permit.grant(alone=self._alone)
            self._get_ready()
            while not self._wanted.wait(_WATCH_S):
                if not self._gpu_runtime.recovered():
                    self._tear_down()
                    self._get_ready()
        except BaseException as error:  # noqa: BLE001 - the boundary of a thread: `ready` raises it
            self._failure = error

    def _acquire(self) -> Lease:
        label = self._whole.slug
        if self._whole.has_own_gpus:
            return self._gpu_runtime.acquire_with(
                self._peers, self._stop_asking, label=label, reservations=self._reservations
            )
        share = Share.RANK if self._alone else Share.CHECK
        reservation = next(iter(self._reservations), None)
        return self._gpu_runtime.acquire(share, self._stop_asking, label=label, reservation=reservation)

    def _get_ready(self) -> None:
        """Run steps 2 and 3 until they succeed."""
        deadline = time.monotonic() + _START_S
        while True:
            try:
                self._try_to_get_ready()
            except (RunnerUnusable, DeviceLost, MpsUnavailable) as error:
                self._tear_down()
                if time.monotonic() > deadline:
                    if self._alone:
                        self._check_up()
                    uuid = self._gpu_runtime.card.uuid
                    raise RunnerUnusable(f"no run could start on {uuid}: {error}") from error
                _log.info("run_restarted: %s", error)
            else:
                return
            if self._closing.wait(_RETRY_S) or self._cancelled():
                raise JudgementCancelled

    def _try_to_get_ready(self) -> None:
        gpu_runtime = self._gpu_runtime
        gpu_runtime.await_recovery(self._stop_asking)
        referee = self._referee = gpu_runtime.start_referee(self._stop_asking)
        outside_mps = self._tool is not None or self._whole.has_own_gpus
        if self._tool is not None:
            process = self._process = gpu_runtime.start_watched(self._whole, self._tool)
        elif outside_mps:
            process = self._process = gpu_runtime.start_outside_mps(self._peers, self._whole)
        else:
            process = self._process = gpu_runtime.start_runner(self._whole, self._language)
        if self._whole.checker is not None:
            self._checker = gpu_runtime.start_checker(self._whole)
        checker = self._checker.channel if self._checker else None
        referee.attach(self._problem, process.channel, self._language, checker=checker)
        _require(referee.ready(), "opening the GPU")
        under_mps = gpu_runtime.card.mps is not None and not outside_mps
        if under_mps and gpu_runtime.client_of(process) is None:
            raise RunnerUnusable("the runner is not a client of MPS, so its GPU share cannot be enforced")
        self._up = True

    def _ask(self, question: Callable[[RefereeProcess], _Found]) -> _Found:
        """Return the referee process's answer to `question`.

        If the process died, a neighbour may be the cause; in a run alone, it is a failure of the judge.
        """
        if self._referee is None:
            raise RunnerUnusable("the referee was not prepared")
        try:
            return question(self._referee)
        except (DeviceLost, RefereeFailed) as error:
            self.alive = False
            if self._exclusive:
                raise RefereeFailed(f"{self._gpu_runtime.card.uuid}: {error}") from error
            raise Disturbed(f"{self._gpu_runtime.card.uuid}: {error}") from error

    def _reported(self, case: Case, found: CaseReport | Stopped) -> CaseReport:
        if isinstance(found, CaseReport):
            return found
        verdict, message = self._stop(found)
        return CaseReport(
            case.name,
            case.group,
            case.public,
            verdict,
            message,
            sizes=dict(case.sizes),
            scalars=own_scalars(case),
            wall_ms=found.wall_ms,
        )

    def _stop(self, stopped: Stopped) -> tuple[Verdict, str]:
        """End a run that was `stopped`, and return the verdict and the message.

        Raises Disturbed if the cause is unknown.
        """
        self.alive = False
        if stopped.answer is ReplyStatus.CANCELLED:
            raise JudgementCancelled
        completion = self._hear_out() if stopped.answer is ReplyStatus.DONE else self._end(stopped)
        late = took_too_long(stopped, completion)
        ours = blames_us(stopped, completion)
        counts = self._exclusive and (self._alone or not (late or ours))
        if not counts and may_be_a_neighbours(stopped, completion):
            raise Disturbed(f"{self._gpu_runtime.card.uuid}: {stopped.answer.name.lower()}")
        if late or ours or stopped.device_lost:
            self._end_referee()
            sick = self._check_up()
            if ours and sick:
                raise RunnerUnusable(f"{self._gpu_runtime.card.uuid}: {sick}")
        verdict, message = charge(stopped, completion, self.diagnostics, self._whole.limits)
        return refined(verdict, self.diagnostics) if self._tool else verdict, message

    def _check_up(self) -> str:
        """Test all cards of the run. Returns the fault of the first faulty card, or an empty string."""
        found = [runtime.check_up() for runtime in (self._gpu_runtime, *self._peers)]
        return next(filter(None, found), "")

    def _end(self, stopped: Stopped) -> Completion:
        return self._end_process(patience_s=_EXIT_S if stopped.answer is ReplyStatus.DIED else 0)

    def _hear_out(self) -> Completion:
        """End a runner that has reported success, and read the status with which it exits.

        A GPU may report a fault after the call that caused it, and the referee may notice the fault first.
        """
        self._tell_to_leave()
        completion = self._end_process(patience_s=_EXIT_S)
        self._tell_to_leave()  # no user sees the result, but the runner returns its latest diagnostics
        return completion

    def _tell_to_leave(self) -> None:
        if self._referee is not None:
            with contextlib.suppress(RefereeFailed, DeviceLost):
                self._referee.quit()

    @property
    def _exclusive(self) -> bool:
        return self._lease is not None and self._lease.share is Share.RANK

    def _ours(self) -> tuple[int, ...]:
        """Return the process ids that may use the GPU during timing, in addition to the referee."""
        both = [process.pids for process in (self._process, self._checker) if process]
        return (*(pid for pids in both for pid in pids), *self._gpu_runtime.servants())

    def _end_process(self, *, patience_s: float) -> Completion:
        if self._process is None:
            raise RunnerUnusable("there is no runner")
        try:
            completion = self._process.wait(patience_s)
        except TimeoutError:
            self._gpu_runtime.take_off(self._process)
            completion = end(self._process, patience_s=0)
        self.output = completion.stdout
        self.profile_report = completion.files.get(REPORT)
        return completion

    def _tear_down(self) -> None:
        """End the runner and the referee process."""
        process, self._process = self._process, None
        if process is not None:
            if self._up:
                self._gpu_runtime.take_off(process)
            process.close()
        self._end_referee()
        checker, self._checker = self._checker, None
        if checker is not None:  # the referee has waited for its last answer, so it has no work on the GPU
            checker.close()
        self._up = False

    def _end_referee(self) -> None:
        """End the referee process, or keep it for another run if there was no fault. Keep its diagnostics."""
        referee = self._referee
        if referee is None:
            return
        self._diagnostics, self._referee = referee.diagnostics, None
        if self._clean:
            self._gpu_runtime.idle.keep(referee)
        else:
            referee.close()

    def _stop_asking(self) -> bool:
        return self._closing.is_set() or self._cancelled()


def _require(stopped: Stopped | None, doing: str) -> None:
    """Raise RunnerUnusable, which leads to a retry, or JudgementCancelled, if preparing was `stopped`."""
    if stopped is None:
        return
    if stopped.answer is ReplyStatus.CANCELLED:
        raise JudgementCancelled
    raise RunnerUnusable(f"{doing}: {stopped.answer.name.lower()}, device lost: {stopped.device_lost}")
