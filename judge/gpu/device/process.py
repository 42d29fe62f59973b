"""The worker's handle on a referee process.

Theory of operation. The worker never uses a GPU itself, because a fault would end it. It has a referee
process forked (`judge.gpu.device.warm_parent`), hands it the channel of a runner and the descriptors of drawn
sets, and asks for one thing after the other. A referee that has judged without any fault can `rest`, and
serve another judgement, which saves the time to make a context. Every wait ends: when the referee answers,
when the worker is told to give up, when the referee has died, or at a limit that only a hung GPU can
reach. A referee that does not exit in time is killed.

Under MPS a process that is killed while it has work on the GPU takes its neighbours along. That is why it is
first asked to leave, and why `terminate` is called before it is killed.
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

_BORN_S = 30.0  # with the imports of a parent that is just starting
_READY_S = 40.0
_LOAD_S = 45.0
_ANSWER_S = 20.0  # on top of what the runner may take
_RANK_S = 120.0
_CALLS = 30  # timed calls that may each take as long as a case may, before that is a hang
_LEAVE_S = 3.0
_DEATH_S = 5.0
_POLL_S = 0.05
_OUTSIDE_MPS = "/nonexistent"
_Kind = TypeVar("_Kind")


class RefereeFailed(RunnerUnusable):
    """Raised when a referee process does not come up, breaks, or is refused something by its GPU.

    Nothing of it is the program's doing. A fresh referee and a fresh runner may fare better.
    """


class RefereeProcess:
    """One referee process. Start it early, attach a runner, ask; close it. For one thread at a time.

    Each request raises RefereeFailed, JudgementCancelled when the judgement was cancelled while it waited,
    and, before `load`, DeviceLost if no GPU is available. After any of them, and after a `Stopped`,
    only `close` is left to call.
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
        """Begin to start one, which opens its memory at once. Returns at once.

        `cancelled` is asked whenever one of the methods below waits. `terminate` takes the MPS client with
        that process id off the GPU; it is called before a kill.
        """
        gpu = None if memory == "host" else memory
        link = Link(fork_referee(_environment(gpu), gpu.uuid if gpu else None))
        sliced = gpu is not None and gpu.mps_directory is None
        memory_mib = gpu.memory_mib if gpu else 0
        return cls(link, cancelled, terminate, time_sliced=sliced, memory_mib=memory_mib)

    @property
    def pid(self) -> int:
        """Its process id on this host. Waits until it is there."""
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
        """Hand over the channel of a runner of `language` that has said ready; it is told to open its GPU.

        `checker` is the channel of the sandbox for the problem's own checker, which has said ready too.
        Returns at once. The channels stay the caller's too, who must not read from them.
        """
        self._case_s = problem.limits.case_s
        descriptors = [channel.fileno(), *([checker.fileno()] if checker else [])]
        self._ask(Attach(problem, language, self._time_sliced, self._memory_mib), descriptors)
        self._preparing = True

    def ready(self) -> Stopped | None:
        """Wait until runner and referee have opened their GPU. The first request waits for it as well."""
        if not self._preparing:
            return None
        self._preparing = False
        outcome = self._outcome(_READY_S)
        return outcome if outcome is None else _expected(outcome, Stopped)

    def load(self, *contents: bytes) -> Stopped | None:
        """Load the program. None when it did."""
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
        """Time one case, whose contents are `sets`: at least two that the runner has never seen.

        `roofline` is how fast the case can be on this GPU. `ours` are the processes, besides the referee,
        that may use the GPU at the same time: the runner's, MPS's, the secret pool's.

        Raises:
            judge.errors.Disturbed: the GPU was never idle long enough; NeverQuiet if only the program itself
                can be the cause.
        """
        request = Rank(tuple(_layout(drawn) for drawn in sets), roofline, frozenset(ours))
        patience_s = _RANK_S + _CALLS * self._case_s
        outcome = self._do(request, [drawn.descriptor for drawn in sets], patience_s)
        if isinstance(outcome, NotTimed):
            raise (Disturbed if outcome.outside else NeverQuiet)(outcome.reason)
        return outcome if isinstance(outcome, Stopped) else _expected(outcome, CaseReport)

    def rest(self) -> bool:
        """Have it release all of this judgement. Whether another judgement can `resume` it; else close it."""
        self._cancelled = lambda: False
        try:
            return self._do(Rest(), (), _LEAVE_S) is None
        except (RefereeFailed, DeviceLost):
            return False

    def resume(self, cancelled: Callable[[], bool]) -> Self:
        """Begin another judgement, which attaches a runner. `cancelled` is asked as in `start`."""
        self._cancelled = cancelled
        self.diagnostics = ()
        return self

    @property
    def closed(self) -> bool:
        """Whether the process has closed its end of the link, as it does when it exits."""
        return self._link.closed

    def quit(self) -> None:
        """Tell the runner to leave, and keep what it has said in `diagnostics`."""
        self._do(Leave(), (), _ANSWER_S)

    def close(self) -> None:
        """Have it scrub its memory and leave, or kill it. Safe to call again, and at any time."""
        if self._link.fileno() < 0:
            return
        with contextlib.suppress(RefereeFailed):
            self.pid  # noqa: B018 - to have something to kill
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
        self.pid  # noqa: B018 - its first message comes first
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
