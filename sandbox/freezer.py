"""Stops all processes of a sandbox for a moment, and measures whether any of them ran meanwhile.

Theory of operation. The first process of a container (`sandbox/containers/enter.c`) is ours and holds the
other end of a socket. On request it sends SIGSTOP to everything else in the container, waits until the
processor time of all processes stands still, and answers. When it lets them go on, it reports the
processor time that they have used in between: a process that continued another one shows there, whatever
it did it with. If the holder of this end dies, everything goes on.
"""

import socket
import struct

_FREEZE, _FROZEN, _THAW, _THAWED = b"Z", b"z", b"T", b"t"
_ANSWER = struct.Struct("=c7xQ")  # kind, nanoseconds
_TIMEOUT_S = 2.0
_NS_PER_US = 1000.0


class FreezerFailed(Exception):
    """Raised when the sandbox does not answer: it has ended, or the machine is overloaded."""


class Freezer:
    """The freezer of one sandbox. Owns `connection`; close it. Not for several threads."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        connection.settimeout(_TIMEOUT_S)

    def freeze(self) -> None:
        """Stop all processes of the sandbox. Takes some 100 us. Raises FreezerFailed."""
        self._send(_FREEZE)
        self._receive(_FROZEN)

    def thaw(self) -> None:
        """Let them go on, without waiting until they do; `used_us` must follow. Raises FreezerFailed."""
        self._send(_THAW)

    def used_us(self) -> float:
        """The processor time in microseconds that they used while frozen. Raises FreezerFailed."""
        return self._receive(_THAWED) / _NS_PER_US

    def close(self) -> None:
        """Close the connection. What is frozen goes on."""
        self._connection.close()

    def _send(self, word: bytes) -> None:
        try:
            self._connection.send(word)
        except OSError as error:
            raise FreezerFailed(f"the sandbox could not be told to stop or to continue: {error}") from error

    def _receive(self, expected: bytes) -> int:
        try:
            answer = self._connection.recv(_ANSWER.size)
        except OSError as error:
            raise FreezerFailed(f"the sandbox did not stop or continue in time: {error}") from error
        if len(answer) != _ANSWER.size or not answer.startswith(expected):
            raise FreezerFailed("the sandbox ended while it was stopped")
        return int(_ANSWER.unpack(answer)[1])
