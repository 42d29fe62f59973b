"""A running bubblewrap sandbox. Implements `sandbox.watch.RunningSandbox`.

Its monitor, bwrap, is a child of this process and reports how the program ended. When its init dies, the
kernel kills all processes inside before the monitor reports, so data that is read afterwards cannot change.
"""

import contextlib
import os
import signal

from sandbox.backend import IsolationUnavailable
from sandbox.cgroup import ControlGroup
from sandbox.cpu_time import cpu_of_tree
from sandbox.descriptors import readable
from sandbox.memory_use import memory_of_tree
from sandbox.watch import End

_DEATH_S = 30.0


class Launched:
    """A sandbox that runs its program. It owns the descriptors and the group."""

    def __init__(
        self,
        *,
        monitor: int,
        monitor_descriptor: int,
        init: int,
        init_descriptor: int,
        work: int | None,
        group: ControlGroup | None,
        memory_bytes: int,
        folders: tuple[str, ...],
    ) -> None:
        """`memory_bytes` is its memory limit, which includes files in `folders`."""
        self._monitor = monitor
        self._monitor_descriptor = monitor_descriptor
        self._init = init
        self._init_descriptor = init_descriptor
        self._work = work
        self._group = group
        self._memory_bytes = memory_bytes
        self._folders = folders
        self._seen_cpu_s = 0.0
        self._seen_memory_bytes = 0

    @property
    def init(self) -> int:
        """The host's id of bwrap's init."""
        return self._init

    @property
    def ended(self) -> int:
        """Readable once the monitor has ended."""
        return self._monitor_descriptor

    @property
    def work(self) -> int | None:
        """A descriptor of `/work`, or None if nothing is collected."""
        return self._work

    @property
    def group(self) -> ControlGroup | None:
        """Its control group, None where there are none."""
        return self._group

    @property
    def cpu_s(self) -> float:
        """Return the CPU seconds used; without a control group, as far as /proc has shown them."""
        if self._group is not None:
            return self._group.cpu_s
        self._seen_cpu_s = max(self._seen_cpu_s, cpu_of_tree(self._init))
        return self._seen_cpu_s

    @property
    def out_of_memory(self) -> bool:
        """Return whether it exceeds its memory limit. With a control group, the kernel enforces the limit."""
        if self._group is not None:
            return False
        held = memory_of_tree(self._init, self._folders, enough_bytes=self._memory_bytes)
        self._seen_memory_bytes = max(self._seen_memory_bytes, held)
        return held > self._memory_bytes

    def limit_memory(self, memory_mib: int) -> None:
        """Change the cap."""
        self._memory_bytes = memory_mib << 20
        if self._group is not None:
            self._group.limit_memory(self._memory_bytes)

    def bury(self) -> End:
        """Kill init, wait until it is gone, and reap the monitor."""
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._init_descriptor, signal.SIGKILL)
        if not readable(self._init_descriptor, _DEATH_S):
            raise IsolationUnavailable("a killed sandbox did not exit; is the machine out of memory?")
        _, status, usage = os.wait4(self._monitor, 0)
        with contextlib.suppress(ChildProcessError):  # it is our child only where we are the reaper
            os.waitpid(self._init, os.WNOHANG)
        code = os.waitstatus_to_exitcode(status)
        if self._group is None:
            cpu_s = max(self._seen_cpu_s, usage.ru_utime + usage.ru_stime)
            return End(code, cpu_s, self._seen_memory_bytes or None, False)
        return End(code, self._group.cpu_s, self._group.peak_memory_bytes, self._group.out_of_memory)

    def close(self) -> None:
        """Close the descriptors and remove the group."""
        for descriptor in (self._monitor_descriptor, self._init_descriptor, self._work):
            if descriptor is not None:
                os.close(descriptor)
        if self._group is not None:
            self._group.remove()
