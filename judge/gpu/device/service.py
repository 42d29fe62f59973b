"""The referee process: owns memory, controls one runner at a time over its channel, judges and times.

Theory of operation. The process is forked when a judgement needs it, and has not used a GPU before. It opens
its memory at once, while the program compiles. A second thread waits for the runner's channel and tells the
runner to open its GPU, so that both contexts are created in parallel. After that, the process handles the
worker's requests one by one. After a judgement without any fault, the worker may order it to rest: the
process scrubs and releases all memory, closes the channels, and waits for the runner of another judgement.
When the worker closes the link, for any reason, the process scrubs its memory and exits.

The process answers any GPU error: with `Stopped` and `device_lost` if a program was involved, else with
`Failed`. After such an answer, further requests are useless.
"""

import math
import os
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from judge.clock.contracts import Interfered, Policy, policy_for
from judge.clock.guard import GpuGuard, NoGuard
from judge.clock.host_gate import HostGate
from judge.clock.page import ClockOrders, OrderUnanswered, create_page
from judge.clock.roofline import Roofline
from judge.clock.session import time_case
from judge.clock.sets import MemorySets, copies_of, how_many_sets
from judge.drawn import CaseData, outputs
from judge.errors import OracleFailed
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
    Rest,
    SetLayout,
)
from judge.report import CaseReport, Timing
from judge.runner.buffers import HostMemory
from judge.runner.checking import ByChecker, checker_bytes
from judge.runner.client import ReplyStatus, RunnerChannel
from judge.runner.inspector import InspectionResult, Inspector, Stopped, report_on
from judge.runner.memory import DeviceLost, DeviceRefused, PrivateBytes
from judge.sizes import shape_of
from problems.schema import Case
from problems.vocabulary import Verdict
from sandbox.gpu import nvml
from sandbox.wire import RunFlag

if TYPE_CHECKING:  # CuPy is only on GPU hosts
    from judge.gpu.device.gate import DeviceGate
    from judge.gpu.device.memory import DeviceMemory

_PREPARE_S = 30.0
_GRACE_S = 1.5
_END_S = 5.0  # for a runner to leave a timed session
# Without a GPU, the session is a simulation: the scheduler delays calls, and no time counts.
_ON_HOST = Policy(budget_ms=100.0, max_discards=1000, placements=2)


def serve(link: Link, gpu_uuid: str | None) -> None:
    """Serve the worker at the other end of `link` until it hangs up. `gpu_uuid` None means host memory.

    Raises:
        EOFError, OSError: the worker closed the link while a message was sent or expected.
    """
    this = os.pidfd_open(os.getpid())
    link.send(Born(os.getpid()), [this])
    os.close(this)
    with ThreadPoolExecutor(1) as thread:
        attaching = thread.submit(_attach, link)
        try:
            memory = _open_memory(gpu_uuid)
        except (DeviceLost, DeviceRefused) as error:
            attaching.result()
            link.send(_failed(error))
            return
        attached = attaching.result()
    try:
        while True:
            with attached:
                _answer_requests(link, _Service(attached, memory, gpu_uuid), attached.runner)
                link.send(_outcome_of(memory.rest, attached.runner))
            attached = _attach(link)
            if memory.lost(patience_s=0):
                link.send(_failed(DeviceLost("a fault of another program ended the referee's context")))
                return
    finally:
        memory.close()


@dataclass(frozen=True, slots=True)
class _Attached:
    """The inputs of a judgement: its request, and the channels of its runner and of its checker, if any."""

    request: Attach
    runner: RunnerChannel
    checker: RunnerChannel | None
    sockets: tuple[socket.socket, ...]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for closed in (self.runner, self.checker, *self.sockets):
            if closed is not None:
                closed.close()


def _attach(link: Link) -> _Attached:
    message, descriptors = link.receive()
    if not isinstance(message, Attach):
        raise TypeError(f"{message} comes before a runner")
    sockets = tuple(socket.socket(fileno=descriptor) for descriptor in descriptors)
    runner, *others = (RunnerChannel(channel, lambda: link.closed) for channel in sockets)
    runner.send_prepare(devices=message.problem.devices_needed)
    return _Attached(message, runner, next(iter(others), None), sockets)


def _open_memory(gpu_uuid: str | None) -> "HostMemory | DeviceMemory":
    if gpu_uuid is None:
        return HostMemory()
    from judge.gpu.device.memory import DeviceMemory  # noqa: PLC0415 - CuPy is only on GPU hosts

    return DeviceMemory.open()


def _answer_requests(link: Link, service: "_Service", exchange: RunnerChannel) -> None:
    """Handle the worker's requests until it orders the process to rest."""
    link.send(_outcome_of(service.prepare, exchange))
    while True:
        request, descriptors = link.receive()
        if isinstance(request, Rest):
            return
        try:
            answer = _outcome_of(lambda: service.do(request, descriptors), exchange)  # noqa: B023 - called at once
        finally:
            for descriptor in descriptors:
                os.close(descriptor)
        link.send(answer)


def _outcome_of(do: Callable[[], RefereeOutcome], exchange: RunnerChannel) -> Answered | Failed:
    try:
        return Answered(do(), exchange.diagnostics)
    except (DeviceLost, DeviceRefused, OracleFailed) as error:
        return _failed(error)


def _failed(error: Exception) -> Failed:
    return Failed(str(error), lost=isinstance(error, DeviceLost))


class _Service:
    """Handles the requests that concern one runner."""

    def __init__(
        self, attached: _Attached, memory: "HostMemory | DeviceMemory", gpu_uuid: str | None
    ) -> None:
        request = attached.request
        self._problem = request.problem
        self._checking = ByChecker(request.problem, memory, attached.checker) if attached.checker else None
        self._memory = memory
        self._limit_bytes = request.memory_mib << 20
        self._exchange = attached.runner
        self._gpu_uuid = gpu_uuid
        self._inspector = Inspector(request.problem, memory, attached.runner, self._checking)
        self._policy = _ON_HOST if gpu_uuid is None else policy_for(time_sliced=request.time_sliced)

    def do(self, request: object, descriptors: Sequence[int]) -> RefereeOutcome:
        """Handle `request`. Raises DeviceRefused, and DeviceLost if no runner is involved."""
        match request:
            case LoadProgram(files):
                return self._inspector.load(*files)
            case CheckCase(layout, flags):
                return self._check(_drawn(layout, descriptors[0]), flags)
            case Rank(layouts, roofline, ours):
                sets = [_drawn(*pair) for pair in zip(layouts, descriptors, strict=True)]
                return self._rank(sets, roofline, ours | {os.getpid()})
            case Leave():
                self._exchange.send_quit()
                return None
        raise TypeError(f"no request: {request}")

    def prepare(self) -> Stopped | None:
        """Wait until the runner and the checker have opened the GPU."""
        started = time.monotonic()
        answer = self._exchange.answer(timeout_s=_PREPARE_S)
        if answer is ReplyStatus.DONE and self._checking is not None:
            self._checking.open()
        return None if answer is ReplyStatus.DONE else self._inspector.stopped(answer, _ms_since(started))

    def _check(self, drawn: CaseData, flags: RunFlag) -> CaseReport | Stopped:
        try:
            (contents,) = self._opened([drawn])
        except DeviceLost:
            return self._lost(wall_ms=0.0)
        return self._inspector.check(drawn.case, contents, flags)

    def _rank(
        self, sets: Sequence[CaseData], roofline: Roofline | None, ours: frozenset[int]
    ) -> CaseReport | Stopped | Interfered:
        case, started = sets[0].case, time.monotonic()
        self._exchange.hear_no_more()
        try:
            with (
                self._patience(),
                self._timed_sets(sets) as timed,
                closing(self._open_gate()) as gate,
                self._session(timed, gate) as orders,
            ):
                found = time_case(
                    orders,
                    timed,
                    gate,
                    self._guard(ours),
                    self._policy,
                    timeout_s=self._problem.limits.case_s + _GRACE_S,
                    roofline=roofline,
                )
        except OrderUnanswered as unanswered:
            return self._inspector.stopped(unanswered.answer, _ms_since(started))
        except DeviceLost:
            return self._lost(wall_ms=_ms_since(started))
        if isinstance(found, Interfered):
            return found
        return self._report(case, found, _ms_since(started))

    def _lost(self, *, wall_ms: float) -> Stopped:
        self._inspector.alive = False
        return Stopped(ReplyStatus.DONE, device_lost=True, wall_ms=wall_ms)

    def _timed_sets(self, sets: Sequence[CaseData]) -> MemorySets:
        memory, case = self._memory, sets[0].case
        contents = self._opened(sets)
        taken = checker_bytes(self._problem, case) + copies_of(self._problem, case)
        free_bytes = max(0, memory.free_bytes - taken)
        count = how_many_sets(
            self._problem, case, self._policy, free_bytes=free_bytes, limit_bytes=self._limit_bytes
        )
        return MemorySets(self._problem, case, memory, contents, count, self._checking)

    def _opened(self, sets: Sequence[CaseData]) -> list[Mapping[str, PrivateBytes]]:
        """Open the contents of a case.

        Closes those of the last case: MPS may not let a client map all of them.
        """
        self._memory.close_sets()
        return [self._memory.open_set(drawn) for drawn in sets]

    def _patience(self) -> AbstractContextManager[None]:
        """Limit each wait for the referee's own work: the program may fill the GPU for ever."""
        if isinstance(self._memory, HostMemory):
            return nullcontext()
        return self._memory.stream.patience(self._problem.limits.case_s + _GRACE_S)

    def _open_gate(self) -> "HostGate | DeviceGate":
        return HostGate() if isinstance(self._memory, HostMemory) else self._memory.gate()

    @contextmanager
    def _session(self, timed: MemorySets, gate: "HostGate | DeviceGate") -> Iterator[ClockOrders]:
        """Run a timed session over `timed`. Raises OrderUnanswered if the session does not end."""
        page = create_page()
        flags = () if gate.descriptor is None else (gate.descriptor,)
        try:
            with ClockOrders(page, self._exchange.hung_up) as orders:
                self._exchange.open_timing(
                    page,
                    timed.arguments,
                    (*flags, *timed.descriptors),
                    sets=timed.count,
                    time_limit_ms=int(self._problem.limits.case_s * 1000),
                )
                yield orders
                orders.end()
                answer = self._exchange.answer(timeout_s=_END_S)
                if answer is not ReplyStatus.DONE:
                    raise OrderUnanswered(answer)
        finally:
            os.close(page)

    def _guard(self, ours: frozenset[int]) -> NoGuard | GpuGuard:
        uuid = self._gpu_uuid
        return NoGuard() if uuid is None else GpuGuard(lambda: nvml.sample(uuid), ours.__contains__)

    def _report(self, case: Case, found: Timing | InspectionResult, wall_ms: float) -> CaseReport:
        if isinstance(found, InspectionResult):
            return report_on(case, found, wall_ms=wall_ms)
        checked = sum(math.prod(shape_of(argument, case.sizes)) for argument in outputs(self._problem))
        accepted = InspectionResult(Verdict.ACCEPTED, checked=checked)
        return replace(report_on(case, accepted, wall_ms=wall_ms), timing=found)


def _drawn(layout: SetLayout, descriptor: int) -> CaseData:
    return CaseData(layout.case, layout.parts, layout.size_bytes, descriptor)


def _ms_since(started: float) -> float:
    return (time.monotonic() - started) * 1000
