"""A running container. Implements `sandbox.watch.RunningSandbox`.

Its first process, `enter.c`, reports over its socket when the program has ended and all other processes of
the container are dead. It runs until the worker closes the other end. Until then, the control group can be
read and does not change. The engine is queried only if this connection breaks.
"""

import contextlib
import os
import socket
import struct
from collections.abc import Callable

from sandbox.backend import IsolationUnavailable
from sandbox.cgroup import ControlGroup
from sandbox.containers.engine import Engine
from sandbox.cpu_time import cpu_of_tree
from sandbox.descriptors import readable
from sandbox.watch import End

_KILL, _END = b"K", b"E"
_END_PACKET = struct.Struct("=c3xiQ")  # kind, wait status, processor time in microseconds
_PACKET_BYTES = 4096
_OBEY_S = 10.0
_DEATH_S = 30.0
_KILLED = 128 + 9


class Container:
    """A container that runs its program. It owns the socket and the descriptor of `/work`."""

    def __init__(
        self,
        *,
        engine: Engine,
        container: str,
        judge: socket.socket,
        work: int | None,
        init: int,
        group: ControlGroup | None,
        memory_mib: int,
        release: Callable[[str], None],
    ) -> None:
        self._engine = engine
        self._container = container
        self._judge = judge
        self._work = work
        self._init = init
        self._group = group
        self._memory_mib = memory_mib
        self._release = release
        self._seen_cpu_s = 0.0

    @property
    def init(self) -> int:
        """The id of the process `enter` on the host, 0 if it is not visible."""
        return self._init

    @property
    def ended(self) -> int:
        """A descriptor that is readable after `enter` has reported the program's end or has ended itself."""
        return self._judge.fileno()

    @property
    def work(self) -> int | None:
        """A descriptor of `/work`, or None if nothing is collected."""
        return self._work

    @property
    def container(self) -> str:
        """The engine's id of the container."""
        return self._container

    @property
    def cpu_s(self) -> float:
        """Return the CPU seconds used, from the control group if readable, else from /proc."""
        with contextlib.suppress(OSError):  # the group is gone
            used_s = cpu_of_tree(self._init) if self._group is None else self._group.cpu_s
            self._seen_cpu_s = max(self._seen_cpu_s, used_s)
        return self._seen_cpu_s

    @property
    def out_of_memory(self) -> bool:
        """Return False: the engine's control group enforces the limit."""
        return False

    def limit_memory(self, memory_mib: int) -> None:
        """Change the memory limit. The engine is called only if the limit differs."""
        if memory_mib != self._memory_mib:
            self._engine.limit_memory(self._container, memory_mib << 20)
            self._memory_mib = memory_mib

    def bury(self) -> End:
        """Let `enter` kill the remaining processes. If it does not, let the engine kill the container."""
        with contextlib.suppress(OSError):
            self._judge.send(_KILL, socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL)
        said = self._hear(_OBEY_S)
        killed = said is None
        if said is None:
            self._engine.kill(self._container)
            said = self._hear(_DEATH_S)
        if said is None:
            raise IsolationUnavailable("a killed container did not exit; is the machine out of memory?")
        if len(said) == _END_PACKET.size and said.startswith(_END):
            return self._end(said)
        return self._lost(killed=killed)

    def close(self) -> None:
        """Let `enter` exit, and queue the container's removal."""
        self._judge.close()
        if self._work is not None:
            os.close(self._work)
        self._release(self._container)

    def _hear(self, patience_s: float) -> bytes | None:
        """Return a message of `enter`, empty if it has exited; None if no message arrives in time."""
        if not readable(self._judge.fileno(), patience_s):
            return None
        try:
            return self._judge.recv(_PACKET_BYTES)
        except ConnectionError:
            return b""

    def _end(self, said: bytes) -> End:
        _, status, cpu_us = _END_PACKET.unpack(said)
        code = os.waitstatus_to_exitcode(status)
        used_s = self.cpu_s if self._group is not None else max(self._seen_cpu_s, cpu_us / 1e6)
        return End(
            code=128 - code if code < 0 else code,
            cpu_s=used_s,
            peak_memory_bytes=None if self._group is None else self._group.peak_memory_bytes,
            out_of_memory=self._group is not None and self._group.out_of_memory,
        )

    def _lost(self, *, killed: bool) -> End:
        """Return the end of a container whose `enter` died silently: killed by us, the kernel, or others."""
        state = self._engine.state(self._container)
        if killed or state.out_of_memory:
            return End(_KILLED, self.cpu_s, None, state.out_of_memory)
        raise IsolationUnavailable(
            "a container ended from outside: the engine restarted, or another process removed the container"
        )
