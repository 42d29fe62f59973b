"""The worker's handle on a referee process.

Theory of operation. The worker never uses a GPU itself, because a GPU fault would end it. It makes the warm
parent fork a referee process (`judge.gpu.device.warm_parent`). It passes the channel of a runner and the
descriptors of drawn sets to the referee, and sends one request after the other. A referee that has judged
without any fault can `rest` and serve another judgement, which saves the time to create a context. Every wait
ends: when the referee answers, when the judgement is cancelled, when the referee has died, or at a limit that
only a hung GPU can reach. A referee that does not exit in time is killed.

If an MPS client is killed while it has work on the GPU, the other clients fail too. So the worker first asks
the referee to exit, and calls `terminate` before it kills the process.
"""

import contextlib
import os
import select
import signal
import socket
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, Self, TypeVar

from judge.clock.contracts import Interfered as NotTimed
from judge.clock.roofline import Roofline
from judge.drawn import CaseData
from judge.errors import Disturbed, JudgementCancelled, NeverQuiet, RunnerUnusable
from judge.gpu.device.link import Link
from judge.gpu.device.messages import (
    Answered,
    Attach,
    Born,
    CheckCase,
    Failed,
    Leave,
    LoadProgram,
    Rank,
    RefereeOutcome,
    Request,
    Rest,
    SetLayout,
)
from judge.gpu.device.parents import fork_referee
from judge.report import CaseReport, Diagnostic
from judge.runner.client import ReplyStatus
from judge.runner.inspector import Stopped
from judge.runner.memory import DeviceLost
from problems.schema import Problem
from problems.vocabulary import Language
from sandbox.spec import SandboxGpu
from sandbox.wire import RunFlag

_BORN_S = 30.0  # includes the imports of a parent that is still starting
_READY_S = 40.0
_LOAD_S = 45.0
_ANSWER_S = 20.0  # in addition to the runner's own limit
_RANK_S = 120.0
_CALLS = 30  # so many timed calls may each take the time limit of a case; more is a hang
_LEAVE_S = 3.0
_DEATH_S = 5.0
_POLL_S = 0.05
_OUTSIDE_MPS = "/nonexistent"
_Kind = TypeVar("_Kind")


class RefereeFailed(RunnerUnusable):
    """Raised when a referee process does not start, fails, or its GPU refuses an operation.

    The program is not at fault. A new referee and a new runner may succeed.
    """


class RefereeProcess:
    """One referee process: start it early, attach a runner, send requests, close it. Not thread-safe.

    Each request may raise RefereeFailed, JudgementCancelled if the judgement is cancelled while the request
    waits, and, before `load`, DeviceLost if the GPU is not available. After such an error or a `Stopped`,
    only `close` may be called.
    """

    def __init__(
        self,
        link: Link,
        cancelled: Callable[[], bool],
        terminate: Callable[[int], object] | None,
        *,
        time_sliced: bool = False,
        memory_mib: int = 0,
    ) -> None:
        self._link = link
        self._time_sliced = time_sliced
        self._memory_mib = memory_mib
        self._cancelled = cancelled
        self._terminate = terminate
        self._pid = 0
        self._process = -1
        self._case_s = 0.0
        self._preparing = False
        self.diagnostics: tuple[Diagnostic, ...] = ()

    @classmethod
    def start(
        cls,
        memory: Literal["host"] | SandboxGpu,
        *,
        cancelled: Callable[[], bool] = lambda: False,
        terminate: Callable[[int], object] | None = None,
    ) -> Self:
        """Start a referee process, which begins to open its memory. Returns at once.

        The methods below call `cancelled` while they wait. `terminate` ends the GPU work of the MPS client
        with the given process id; it is called before the referee is killed.
        """
        gpu = None if memory == "host" else memory
        link = Link(fork_referee(_environment(gpu), gpu.uuid if gpu else None))
        sliced = gpu is not None and gpu.mps_directory is None
        memory_mib = gpu.memory_mib if gpu else 0
        return cls(link, cancelled, terminate, time_sliced=sliced, memory_mib=memory_mib)

    @property
    def pid(self) -> int:
        """The id of the process on this host. Waits until the process has started."""
        if not self._pid:
            try:
                message, (self._process,) = self._receive(_BORN_S, lambda: False)
            except TimeoutError as error:
                raise RefereeFailed(
                    "the referee process did not start in time; is the machine overloaded?"
                ) from error
            self._pid = _expected(message, Born).pid
        return self._pid

    def attach(
        self,
        problem: Problem,
        channel: socket.socket,
        language: Language = Language.CUDA,
        *,
        checker: socket.socket | None = None,
    ) -> None:
        """Pass the channel of a runner of `language`, which has reported ready.

        The runner then opens its GPU.

        `checker` is the channel of the sandbox for the problem's own checker, which has also reported ready.
        Returns at once. The caller keeps its ends of the channels but must not read from them.
        """
        self._case_s = problem.limits.case_s
        descriptors = [channel.fileno(), *([checker.fileno()] if checker else [])]
        self._ask(Attach(problem, language, self._time_sliced, self._memory_mib), descriptors)
        self._preparing = True

    def ready(self) -> Stopped | None:
        """Wait until runner and referee have opened their GPU. The first request also waits for this."""
        if not self._preparing:
            return None
        self._preparing = False
        outcome = self._outcome(_READY_S)
        return outcome if outcome is None else _expected(outcome, Stopped)

    def load(self, *contents: bytes) -> Stopped | None:
        """Load the program. Returns None if that succeeded."""
        outcome = self._do(LoadProgram(contents), (), _LOAD_S)
        return outcome if outcome is None else _expected(outcome, Stopped)

    def check(self, drawn: CaseData, flags: RunFlag) -> CaseReport | Stopped:
        """Run one case and check it in full."""
        request = CheckCase(_layout(drawn), flags)
        outcome = self._do(request, [drawn.descriptor], self._case_s + _ANSWER_S)
        return outcome if isinstance(outcome, Stopped) else _expected(outcome, CaseReport)

    def rank(
        self, sets: Sequence[CaseData], *, roofline: Roofline | None = None, ours: Iterable[int] = ()
    ) -> CaseReport | Stopped:
        """Time one case with the contents `sets`: at least two that the runner has never seen.

        `roofline` is the roofline of the case on this GPU. `ours` are the ids of other processes that may use
        the GPU at the same time: those of the runner, of MPS and of the secret pool.

        Raises:
            judge.errors.Disturbed: the GPU was never idle for long enough. NeverQuiet if only the program
                itself can be the cause.
        """
        request = Rank(tuple(_layout(drawn) for drawn in sets), roofline, frozenset(ours))
        patience_s = _RANK_S + _CALLS * self._case_s
        outcome = self._do(request, [drawn.descriptor for drawn in sets], patience_s)
        if isinstance(outcome, NotTimed):
            raise (Disturbed if outcome.outside else NeverQuiet)(outcome.reason)
        return outcome if isinstance(outcome, Stopped) else _expected(outcome, CaseReport)

    def rest(self) -> bool:
        """Make the process release everything of this judgement. Returns whether another one can `resume` it.

        If not, the caller must close it.
        """
        self._cancelled = lambda: False
        try:
            return self._do(Rest(), (), _LEAVE_S) is None
        except (RefereeFailed, DeviceLost):
            return False

    def resume(self, cancelled: Callable[[], bool]) -> Self:
        """Begin another judgement, which must attach a runner. `cancelled` is called as in `start`."""
        self._cancelled = cancelled
        self.diagnostics = ()
        return self

    @property
    def closed(self) -> bool:
        """Whether the process has closed its end of the link or has exited."""
        return self._link.closed

    def quit(self) -> None:
        """Tell the runner to exit, and keep its findings in `diagnostics`."""
        self._do(Leave(), (), _ANSWER_S)

    def close(self) -> None:
        """Let the process scrub its memory and exit; kill it if it does not.

        Can be called at any time, repeatedly.
        """
        if self._link.fileno() < 0:
            return
        with contextlib.suppress(RefereeFailed):
            self.pid  # noqa: B018 - waits for the process, so that it can be killed
        self._link.close()
        if self._process >= 0:
            self._see_off()
            os.close(self._process)
            self._process = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _do(self, request: Request, descriptors: Sequence[int], patience_s: float) -> RefereeOutcome:
        if stopped := self.ready():
            return stopped
        self._ask(request, descriptors)
        return self._outcome(patience_s)

    def _ask(self, request: Request, descriptors: Sequence[int]) -> None:
        try:
            self._link.send(request, descriptors)
        except OSError as error:
            raise RefereeFailed(f"the connection to the referee process was lost: {error}") from error

    def _outcome(self, patience_s: float) -> RefereeOutcome:
        started = time.monotonic()
        self.pid  # noqa: B018 - reads the process's first message before the answer
        try:
            message, _ = self._receive(patience_s, self._cancelled)
        except TimeoutError:
            return Stopped(
                ReplyStatus.TIMED_OUT, device_lost=True, wall_ms=(time.monotonic() - started) * 1000
            )
        if isinstance(message, Failed):
            raise (DeviceLost if message.lost else RefereeFailed)(message.reason)
        answered = _expected(message, Answered)
        self.diagnostics = answered.diagnostics
        return answered.outcome

    def _receive(self, patience_s: float, cancelled: Callable[[], bool]) -> tuple[object, list[int]]:
        deadline = time.monotonic() + patience_s
        while True:
            try:
                return self._link.receive(timeout_s=_POLL_S)
            except TimeoutError:
                if cancelled():
                    raise JudgementCancelled from None
                if time.monotonic() >= deadline:
                    raise
            except (EOFError, OSError) as error:
                raise RefereeFailed(
                    "the referee process exited unexpectedly; see its log for the cause"
                ) from error

    def _see_off(self) -> None:
        if self._gone_within(_LEAVE_S):
            return
        if self._terminate:
            self._terminate(self._pid)
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._process, signal.SIGKILL)
        self._gone_within(_DEATH_S)

    def _gone_within(self, patience_s: float) -> bool:
        waiting = select.poll()
        waiting.register(self._process, select.POLLIN)
        return bool(waiting.poll(patience_s * 1000))


def _environment(gpu: SandboxGpu | None) -> dict[str, str]:
    """Return the environment variables for CUDA: only this GPU, with its MPS or without MPS."""
    if gpu is None:
        return {}
    pipes = _OUTSIDE_MPS if gpu.mps_directory is None else str(gpu.mps_directory)
    return {"CUDA_VISIBLE_DEVICES": gpu.uuid, "CUDA_MPS_PIPE_DIRECTORY": pipes}


def _layout(drawn: CaseData) -> SetLayout:
    return SetLayout(drawn.case, drawn.parts, drawn.size_bytes)


def _expected(message: object, kind: type[_Kind]) -> _Kind:
    if not isinstance(message, kind):
        raise RefereeFailed(f"the referee answered with {type(message).__name__}, not a {kind.__name__}")
    return message
