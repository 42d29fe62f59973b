"""The interface between the judge and an isolation mechanism."""

import socket
from typing import Protocol

from sandbox.spec import Command, Completion, Limits


class IsolationUnavailable(Exception):
    """Raised when this host cannot isolate programs. The message names the cause and the fix."""


class Process(Protocol):
    """A running sandbox. Single use; `close` is safe to call at any time, more than once."""

    @property
    def channel(self) -> socket.socket:
        """The judge's end of the SOCK_SEQPACKET socket. Raises ValueError if the command asked for none."""

    @property
    def pids(self) -> tuple[int, ...]:
        """The ids of its visible processes on this host; empty after it has ended."""

    def begin(self, limits: Limits) -> None:
        """Count wall and CPU time from now, and limit memory. For sandboxes that were started in advance.

        Only `wall_s`, `cpu_s`, `idle_s` and `memory_mib` of `limits` apply; other limits do not change.
        """

    def wait(self, timeout_s: float | None = None) -> Completion:
        """Wait for the end. Raises TimeoutError if the sandbox is still running after `timeout_s`."""

    def kill(self) -> None:
        """Kill all of its processes now. `wait` then reports `killed`."""

    def close(self) -> None:
        """Kill it if it is running, reap its processes, and remove everything that belonged to it."""


class Backend(Protocol):
    """An isolation mechanism for programs."""

    @property
    def name(self) -> str:
        """One word: `bubblewrap`, `docker`, `fake`."""

    def verify(self) -> None:
        """Prove on this host that isolation works. Raises IsolationUnavailable with the fix."""

    def start(self, command: Command) -> Process:
        """Start `command` in a sandbox. Raises IsolationUnavailable if that is impossible."""
