"""The thread beside each sandbox: starts it, reads its output, enforces its limits, reaps it.

Theory of operation. Everything that can happen to a sandbox is an event on one selector: output,
the end of the monitor, a wish of another thread (`kill`, `begin`), a tick for the clocks. The
thread alone touches the processes, and it alone spawned them, as bwrap dies with the thread that
started it. The end is always the same: kill the init of the sandbox, wait until the kernel says that it is
gone, and with it everything inside, read what is left in the pipes, bring files back, remove the group.
"""

import contextlib
import os
import selectors
import signal
import socket
import threading
import time
from collections.abc import Callable
from typing import Protocol

from sandbox.backend import IsolationUnavailable
from sandbox.cgroup import Group
from sandbox.collect import collect
from sandbox.cpu_time import cpu_of_tree, tree_of
from sandbox.drain import Drain, Stream
from sandbox.launch import Launched, Slot
from sandbox.spec import Command, Completion, Ending, Limits

_TICK_S = 0.1
_DEATH_S = 30.0
_SIGNALLED = 128  # bwrap reports a death by signal n as exit status 128 + n, as shells do
_SIGNAL_NUMBERS = range(_SIGNALLED + 1, _SIGNALLED + 65)
_NO_NAMESPACES = (
    "user namespaces are refused. Debian: sysctl -w kernel.unprivileged_userns_clone=1; "
    "Ubuntu from 23.10: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0 or an AppArmor profile "
    "for bwrap; in a container: allow user namespaces in its seccomp profile"
)
_ADVICE = (
    (
        ("No permissions to create", "Creating new namespace failed", "setting up uid map", "CLONE_NEWUSER"),
        _NO_NAMESPACES,
    ),
    (("Unknown option",), "bubblewrap is too old, 0.8 is needed; run: apt-get install bubblewrap"),
    (("mount proc",), "in a container, /proc must not be masked"),
)


class Starter(Protocol):
    """Something that starts a sandbox."""

    def start(self) -> Launched:
        """Start it. Raises IsolationUnavailable."""


class WatchedProcess:
    """A sandbox and the thread that watches it. Implements `sandbox.backend.Process`."""

    def __init__(
        self, command: Command, group: Group | None, launch: Callable[[dict[int, int]], Starter]
    ) -> None:
        self._command = command
        self._group = group
        self._launch = launch
        self._lock = threading.Lock()
        self._cause: Ending | None = None
        self._completion: Completion | None = None
        self._failure: Exception | None = None
        self._started = threading.Event()
        self._ended = threading.Event()
        self._closed = False
        self._init: int | None = None
        self._seen_cpu_s = 0.0
        self._wake = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._channel: socket.socket | None = None
        self._limit(command.limits.wall_s, command.limits.cpu_s, spent_cpu_s=0.0)
        self._thread = threading.Thread(target=self._run, name=f"sandbox-{command.label}", daemon=True)
        self._thread.start()
        self._started.wait()
        if self._failure is not None:
            self.close()
            raise self._failure

    @property
    def channel(self) -> socket.socket:
        """Our end of the SOCK_SEQPACKET socket. Raises ValueError if the command asked for none."""
        if self._channel is None:
            raise ValueError(f"the command of {self._command.label!r} asked for no channel")
        return self._channel

    @property
    def pids(self) -> tuple[int, ...]:
        """Its processes by their ids on this host, init first; empty once it has ended."""
        return () if self._init is None or self._ended.is_set() else tuple(tree_of(self._init))

    def begin(self, limits: Limits) -> None:
        """Count wall and CPU time from now, and cap memory: see `Process.begin`."""
        with self._lock:
            if not self._ended.is_set():
                self._limit(limits.wall_s, limits.cpu_s, spent_cpu_s=self._cpu_s())
                if self._group is not None:
                    self._group.limit_memory(limits.memory_mib << 20)
                os.eventfd_write(self._wake, 1)

    def wait(self, timeout_s: float | None = None) -> Completion:
        """Wait for the end. Raises TimeoutError when it is still running after `timeout_s`."""
        if not self._ended.wait(timeout_s):
            raise TimeoutError(f"{self._command.label} is still running")
        if self._completion is None:
            raise self._failure or IsolationUnavailable("the sandbox was lost")
        return self._completion

    def kill(self) -> None:
        """End it and all its descendants now; `wait` then says `killed`."""
        self._stop(Ending.KILLED)

    def close(self) -> None:
        """Kill if running, reap, and remove everything that belonged to it."""
        self.kill()
        self._thread.join()
        with self._lock:
            if not self._closed:
                self._closed = True
                os.close(self._wake)
                if self._channel is not None:
                    self._channel.close()

    def _limit(self, wall_s: float, cpu_s: float, *, spent_cpu_s: float) -> None:
        self._began_s = time.monotonic()
        self._deadline_s = self._began_s + wall_s
        self._cpu_before_s = spent_cpu_s
        self._cpu_limit_s = cpu_s

    def _stop(self, cause: Ending) -> None:
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
            if self._group is not None:
                self._group.remove()
            with self._lock:
                self._ended.set()
            self._started.set()

    def _live(self) -> None:
        with contextlib.ExitStack() as stack:
            drain, launched = self._start(stack)
            stack.callback(os.close, launched.monitor_descriptor)
            stack.callback(os.close, launched.init_descriptor)
            if launched.work is not None:
                stack.callback(os.close, launched.work)
            self._init = launched.init
            self._started.set()
            try:
                self._watch(drain, launched)
            finally:
                status, used_cpu_s = self._bury(launched)
                drain.finish()
            self._completion = self._complete(drain, launched.work, status, used_cpu_s)

    def _start(self, stack: contextlib.ExitStack) -> tuple[Drain, Launched]:
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
            wired = {Slot.STDIN: stdin, Slot.STDOUT: stdout_inner, Slot.STDERR: stderr_inner}
            if self._command.channel:
                self._channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                inner.enter_context(theirs)
                wired[Slot.CHANNEL] = theirs.fileno()
            starter = self._launch({int(slot): number for slot, number in wired.items()})
            try:
                return drain, starter.start()
            except IsolationUnavailable as error:
                drain.finish()
                raise _explained(error, bytes(drain.stderr.kept)) from error

    def _watch(self, drain: Drain, launched: Launched) -> None:
        """Return when the program has ended or must end."""
        with selectors.DefaultSelector() as selector:
            drain.register(selector)
            selector.register(launched.monitor_descriptor, selectors.EVENT_READ, "end")
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
                    self._stop(Ending.OUTPUT)
                self._check_clocks()
                if self._cause is not None:
                    return

    def _patience_s(self) -> float:
        return min(_TICK_S, max(0.0, self._deadline_s - time.monotonic()))

    def _check_clocks(self) -> None:
        with self._lock:
            late = time.monotonic() >= self._deadline_s
            spent = self._cpu_s() - self._cpu_before_s >= self._cpu_limit_s
        if late or spent:
            self._stop(Ending.WALL_TIME if late else Ending.CPU_TIME)

    def _cpu_s(self) -> float:
        if self._group is not None:
            return self._group.cpu_s
        self._seen_cpu_s = max(self._seen_cpu_s, 0.0 if self._init is None else cpu_of_tree(self._init))
        return self._seen_cpu_s

    def _bury(self, launched: Launched) -> tuple[int, float]:
        """Kill what is left, wait until it is gone. The monitor's wait status, and the CPU time used."""
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(launched.init_descriptor, signal.SIGKILL)
        with selectors.DefaultSelector() as selector:
            selector.register(launched.init_descriptor, selectors.EVENT_READ)
            if not selector.select(_DEATH_S):
                raise IsolationUnavailable("a killed sandbox does not die; is the machine out of memory?")
        _, status, usage = os.wait4(launched.monitor, 0)
        with contextlib.suppress(ChildProcessError):  # it is our child only where we are the reaper
            os.waitpid(launched.init, os.WNOHANG)
        if self._group is None:
            return status, max(self._seen_cpu_s, usage.ru_utime + usage.ru_stime)
        return status, self._group.cpu_s

    def _complete(self, drain: Drain, work: int | None, status: int, used_cpu_s: float) -> Completion:
        code = os.waitstatus_to_exitcode(status)
        ending, number = self._verdict(code)
        return Completion(
            ending=ending,
            status=number,
            stdout=bytes(drain.stdout.kept),
            stderr=bytes(drain.stderr.kept),
            wall_s=time.monotonic() - self._began_s,
            cpu_s=used_cpu_s - self._cpu_before_s,
            peak_memory_bytes=None if self._group is None else self._group.peak_memory_bytes,
            files={} if work is None else collect(work, self._command.collect),
            dropped_bytes=drain.dropped_bytes,
        )

    def _verdict(self, code: int) -> tuple[Ending, int]:
        """How it ended, from what we did, what the kernel says, and last what the program says."""
        number = code - _SIGNALLED if code in _SIGNAL_NUMBERS else max(code, 0)
        if self._cause is not None:
            return self._cause, number
        if code != 0 and self._group is not None and self._group.out_of_memory:
            return Ending.MEMORY, number
        if code == _SIGNALLED + signal.SIGXCPU:
            return Ending.CPU_TIME, number
        return (Ending.SIGNALLED if code in _SIGNAL_NUMBERS else Ending.EXITED), number


def _explained(error: IsolationUnavailable, said: bytes) -> IsolationUnavailable:
    """The error with what bwrap printed, and the fix where the words are known."""
    words = said.decode(errors="replace").strip()
    fix = next((fix for signs, fix in _ADVICE if any(sign in words for sign in signs)), "")
    return IsolationUnavailable(": ".join(part for part in (str(error), words, fix) if part))
