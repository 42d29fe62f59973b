"""The seam between the judge and an isolation mechanism."""

import socket
from typing import Protocol

from sandbox.spec import Command, Completion, Limits


class IsolationUnavailable(Exception):
    """Raised when this host cannot isolate programs. The message names the cause and the fix."""


class Process(Protocol):
    """A running sandbox. Single use; `close` is safe to call at any time, more than once."""

    @property
    def channel(self) -> socket.socket:
        """Our end of the SOCK_SEQPACKET socket. Raises ValueError if the command asked for none."""

    @property
    def pids(self) -> tuple[int, ...]:
        """Its processes by their ids on this host, as far as they can be seen; empty once it has ended."""

    def begin(self, limits: Limits) -> None:
        """Count wall and CPU time from now, and cap memory: for a sandbox that was started ahead.

        Only `wall_s`, `cpu_s`, `idle_s` and `memory_mib` of `limits` matter; all others stay as they were.
        """

    def wait(self, timeout_s: float | None = None) -> Completion:
        """Wait for the end. Raises TimeoutError when it is still running after `timeout_s`."""

    def kill(self) -> None:
        """End it and all its descendants now; `wait` then says `killed`."""

    def close(self) -> None:
        """Kill if running, reap, and remove everything that belonged to it."""


class Backend(Protocol):
    """A way to isolate programs."""

    @property
    def name(self) -> str:
        """One word: `bubblewrap`, `docker`, `fake`."""

    def verify(self) -> None:
        """Prove on this host that isolation works. Raises IsolationUnavailable with the fix."""

    def start(self, command: Command) -> Process:
        """Start `command` isolated. Raises IsolationUnavailable when it cannot be started so."""
