"""The thread of each sandbox: starts it, reads its output, enforces its limits, reaps it.

Theory of operation. All events of a sandbox come through one selector: output, its end, a request of another
thread (`kill`, `begin`), and a tick for time limits. The backend implements how a sandbox is started,
measured and removed (`SandboxStarter`, `RunningSandbox`). Only this thread starts and removes the sandbox,
because bwrap dies with the thread that spawned it. The end is always the same: kill all processes inside,
wait until they have exited, read the rest of the pipes, collect files, notify waiters, and clean up.
"""

import contextlib
import os
import selectors
import signal
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol

from sandbox.backend import IsolationUnavailable
from sandbox.collect import collect
from sandbox.cpu_time import all_sleep, tree_of
from sandbox.drain import Drain, Stream
from sandbox.spec import Command, Completion, Limits, Termination

_TICK_S = 0.1
_LOOK_S = 0.05
_LOOK_SHARE = 9
_SIGNALLED = 128  # both backends report a death by signal n as exit status 128 + n, as shells do
_SIGNAL_NUMBERS = range(_SIGNALLED + 1, _SIGNALLED + 65)


class Inherited(IntEnum):
    """Descriptor numbers in the program: the first three always, CHANNEL if asked for."""

    STDIN = 0
    STDOUT = 1
    STDERR = 2
    CHANNEL = 3


@dataclass(frozen=True, slots=True)
class End:
    """The end of a program as its backend saw it. `code` is an exit status in shell convention."""

    code: int
    cpu_s: float
    peak_memory_bytes: int | None
    out_of_memory: bool


class RunningSandbox(Protocol):
    """A sandbox that runs its program. `cpu_s` and `limit_memory` may be called from any thread.

    `out_of_memory` may be slow, so it is called for at most a tenth of the time.
    """

    @property
    def init(self) -> int:
        """The host id of the process with which all others inside die, 0 if it is not visible."""

    @property
    def ended(self) -> int:
        """A descriptor that becomes readable when the program has ended."""

    @property
    def work(self) -> int | None:
        """A descriptor of `/work`, opened before any foreign code ran; None if nothing is collected."""

    @property
    def cpu_s(self) -> float:
        """Processor time that it has used."""

    @property
    def out_of_memory(self) -> bool:
        """Return whether it exceeds its memory limit and must be killed, if the kernel does not do this."""

    def limit_memory(self, memory_mib: int) -> None:
        """Change the cap on its memory."""

    def bury(self) -> End:
        """Kill the remaining processes and wait for their end. Raises IsolationUnavailable if that fails."""

    def close(self) -> None:
        """Release and remove what belonged to it."""


class SandboxStarter(Protocol):
    """Something that starts a sandbox."""

    def start(self) -> RunningSandbox:
        """Start it. Raises IsolationUnavailable."""

    def explain(self, error: IsolationUnavailable, said: str) -> IsolationUnavailable:
        """Return the error with the output until the failure, and the fix for known messages."""


class WatchedProcess:
    """A sandbox and the thread that watches it. Implements `sandbox.backend.Process`."""

    def __init__(self, command: Command, launch: Callable[[dict[Inherited, int]], SandboxStarter]) -> None:
        self._command = command
        self._launch = launch
        self._lock = threading.Lock()
        self._cause: Termination | None = None
        self._completion: Completion | None = None
        self._failure: Exception | None = None
        self._started = threading.Event()
        self._ended = threading.Event()
        self._closed = False
        self._running: RunningSandbox | None = None
        self._wake = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._channel: socket.socket | None = None
        self._next_look_s = 0.0
        self._limit(command.limits, spent_cpu_s=0.0)
        self._thread = threading.Thread(target=self._run, name=f"sandbox-{command.label}", daemon=True)
        self._thread.start()
        self._started.wait()
        if self._failure is not None:
            self.close()
            raise self._failure

    @property
    def channel(self) -> socket.socket:
        """The judge's end of the SOCK_SEQPACKET socket. Raises ValueError if the command asked for none."""
        if self._channel is None:
            raise ValueError(f"the command of {self._command.label!r} asked for no channel")
        return self._channel

    @property
    def pids(self) -> tuple[int, ...]:
        """Its processes by their ids on this host, init first; empty once it has ended."""
        init = 0 if self._running is None or self._ended.is_set() else self._running.init
        return tuple(tree_of(init)) if init else ()

    def begin(self, limits: Limits) -> None:
        """Count wall, CPU and idle time from now, and cap memory: see `Process.begin`."""
        with self._lock:
            if self._running is not None and not self._ended.is_set():
                self._limit(limits, spent_cpu_s=self._running.cpu_s)
                self._running.limit_memory(limits.memory_mib)
                os.eventfd_write(self._wake, 1)

    def wait(self, timeout_s: float | None = None) -> Completion:
        """Wait for the end. Raises TimeoutError if the sandbox is still running after `timeout_s`."""
        if not self._ended.wait(timeout_s):
            raise TimeoutError(f"{self._command.label} is still running")
        if self._completion is None:
            raise self._failure or IsolationUnavailable("the sandbox was lost")
        return self._completion

    def kill(self) -> None:
        """Kill all of its processes now. `wait` then reports `killed`."""
        self._stop(Termination.KILLED)

    def close(self) -> None:
        """Kill it if it is running, reap its processes, and remove everything that belonged to it."""
        self.kill()
        self._thread.join()
        with self._lock:
            if not self._closed:
                self._closed = True
                os.close(self._wake)
                if self._channel is not None:
                    self._channel.close()

    def _limit(self, limits: Limits, *, spent_cpu_s: float) -> None:
        self._began_s = self._last_idle_look_s = time.monotonic()
        self._deadline_s = self._began_s + limits.wall_s
        self._cpu_before_s = spent_cpu_s
        self._cpu_limit_s = limits.cpu_s
        self._idle_limit_s, self._idle_s = limits.idle_s, 0.0

    def _stop(self, cause: Termination) -> None:
        with self._lock:
            if self._cause is None and not self._ended.is_set():
                self._cause = cause
                os.eventfd_write(self._wake, 1)

    def _run(self) -> None:
        try:
            self._live()
        except Exception as error:  # noqa: BLE001 - the boundary of a thread: `start` or `wait` raises it
            self._failure = error
        finally:
            with self._lock:
                self._ended.set()
            self._started.set()
            if self._running is not None:
                self._running.close()

    def _live(self) -> None:
        with contextlib.ExitStack() as stack:
            drain, running = self._start(stack)
            self._running = running
            self._started.set()
            try:
                self._watch(drain, running)
            finally:
                end = running.bury()
                drain.finish()
            self._completion = self._complete(drain, running.work, end)

    def _start(self, stack: contextlib.ExitStack) -> tuple[Drain, RunningSandbox]:
        limits = self._command.limits
        with contextlib.ExitStack() as inner:
            stdin = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
            inner.callback(os.close, stdin)
            (stdout, stdout_inner), (stderr, stderr_inner) = os.pipe(), os.pipe()
            inner.callback(os.close, stdout_inner)
            inner.callback(os.close, stderr_inner)
            drain = Drain(
                stdout, stderr, keep_bytes=limits.output_kib << 10, flood_bytes=limits.flood_kib << 10
            )
            stack.callback(drain.finish)
            wired = {Inherited.STDIN: stdin, Inherited.STDOUT: stdout_inner, Inherited.STDERR: stderr_inner}
            if self._command.channel:
                self._channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                inner.enter_context(theirs)
                wired[Inherited.CHANNEL] = theirs.fileno()
            starter = self._launch(wired)
            try:
                return drain, starter.start()
            except IsolationUnavailable as error:
                drain.finish()
                raise starter.explain(error, drain.stderr.kept.decode(errors="replace").strip()) from error

    def _watch(self, drain: Drain, running: RunningSandbox) -> None:
        """Return when the program has ended or must end."""
        with selectors.DefaultSelector() as selector:
            drain.register(selector)
            selector.register(running.ended, selectors.EVENT_READ, "end")
            selector.register(self._wake, selectors.EVENT_READ, "wake")
            while True:
                for key, _ in selector.select(self._patience_s()):
                    if key.data == "end":
                        return
                    if isinstance(key.data, Stream):
                        if not key.data.read() and not key.data.open:
                            selector.unregister(key.fd)
                    else:
                        os.eventfd_read(self._wake)
                if drain.flooded:
                    self._stop(Termination.OUTPUT)
                self._check_clocks(running)
                self._check_idle(running)
                self._check_memory(running)
                if self._cause is not None:
                    return

    def _patience_s(self) -> float:
        return min(_TICK_S, max(0.0, self._deadline_s - time.monotonic()))

    def _check_clocks(self, running: RunningSandbox) -> None:
        with self._lock:
            late = time.monotonic() >= self._deadline_s
            spent = running.cpu_s - self._cpu_before_s >= self._cpu_limit_s
        if late or spent:
            self._stop(Termination.WALL_TIME if late else Termination.CPU_TIME)

    def _check_idle(self, running: RunningSandbox) -> None:
        """Add up the time in which all processes slept. A delay of this thread counts as one tick at most."""
        with self._lock:
            now = time.monotonic()
            passed_s = now - self._last_idle_look_s
            if not self._idle_limit_s or not running.init or passed_s < _TICK_S:
                return
            self._last_idle_look_s = now
            self._idle_s = self._idle_s + min(passed_s, 2 * _TICK_S) if all_sleep(running.init) else 0.0
            idle = self._idle_s >= self._idle_limit_s
        if idle:
            self._stop(Termination.IDLE)

    def _check_memory(self, running: RunningSandbox) -> None:
        started = time.monotonic()
        if started >= self._next_look_s:
            if running.out_of_memory:
                self._stop(Termination.MEMORY)
            now = time.monotonic()
            self._next_look_s = now + max(_LOOK_S, _LOOK_SHARE * (now - started))

    def _complete(self, drain: Drain, work: int | None, end: End) -> Completion:
        ending, number = self._verdict(end)
        return Completion(
            ending=ending,
            status=number,
            stdout=bytes(drain.stdout.kept),
            stderr=bytes(drain.stderr.kept),
            wall_s=time.monotonic() - self._began_s,
            cpu_s=end.cpu_s - self._cpu_before_s,
            peak_memory_bytes=end.peak_memory_bytes,
            files={} if work is None else collect(work, self._command.collect),
            dropped_bytes=drain.dropped_bytes,
        )

    def _verdict(self, end: End) -> tuple[Termination, int]:
        """Return ending and status: from our own actions, else the kernel, else the program."""
        signalled = end.code in _SIGNAL_NUMBERS
        number = end.code - _SIGNALLED if signalled else max(end.code, 0)
        if self._cause is not None:
            return self._cause, number
        if end.code != 0 and end.out_of_memory:
            return Termination.MEMORY, number
        if end.code == _SIGNALLED + signal.SIGXCPU:
            return Termination.CPU_TIME, number
        return (Termination.SIGNALLED if signalled else Termination.EXITED), number
