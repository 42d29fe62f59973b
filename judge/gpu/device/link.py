"""Messages with file descriptors between the worker and a referee process.

Theory of operation. Each message is a pickle, which is safe only between processes that trust each other.
Output of a sandbox never uses this link: a runner answers with eight bytes on a separate socket. A message
starts with a header: its length and the number of its descriptors, which are sent with the header. The pickle
follows.
"""

import array
import pickle
import select
import socket
import struct
from collections.abc import Sequence

_HEAD = struct.Struct("<QI")
_MOST_DESCRIPTORS = 253  # the most that the kernel passes with one message


class Link:
    """One end of a link over `channel`, a SOCK_STREAM socket. The link owns the socket until `close`."""

    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel
        self._hung_up = select.poll()
        self._hung_up.register(channel, select.POLLRDHUP)

    @property
    def closed(self) -> bool:
        """Whether the other end has been closed, or its process has ended."""
        return bool(self._hung_up.poll(0))

    def send(self, message: object, descriptors: Sequence[int] = ()) -> None:
        """Send `message`. The descriptors stay open here. Raises OSError if the other end is closed."""
        body = pickle.dumps(message)
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors).tobytes())]
        head = _HEAD.pack(len(body), len(descriptors))
        self._channel.sendmsg([head], rights if descriptors else [])
        self._channel.sendall(body)

    def receive(self, *, timeout_s: float | None = None) -> tuple[object, list[int]]:
        """Receive the next message and its descriptors, which the caller must close.

        Raises:
            EOFError: the other end is closed.
            TimeoutError: no message arrived within `timeout_s`.
        """
        if timeout_s is not None and not self._arrives_within(timeout_s):
            raise TimeoutError
        rights = socket.CMSG_SPACE(_MOST_DESCRIPTORS * array.array("i").itemsize)
        head, ancillary, _, _ = self._channel.recvmsg(_HEAD.size, rights, socket.MSG_CMSG_CLOEXEC)
        head += self._exactly(_HEAD.size - len(head)) if head else b""
        if not head:
            raise EOFError
        descriptors = array.array("i")
        for _, _, data in ancillary:
            descriptors.frombytes(data)
        size, _ = _HEAD.unpack(head)
        return pickle.loads(self._exactly(size)), list(descriptors)  # noqa: S301 - see the module's docstring

    def fileno(self) -> int:
        """Return the file descriptor of the socket, for `select`."""
        return self._channel.fileno()

    def close(self) -> None:
        """Close the link."""
        self._channel.close()

    def _arrives_within(self, timeout_s: float) -> bool:
        waiting = select.poll()
        waiting.register(self._channel, select.POLLIN)
        return bool(waiting.poll(timeout_s * 1000))

    def _exactly(self, count: int) -> bytes:
        chunks = []
        while count > 0:
            chunk = self._channel.recv(min(count, 1 << 20))
            if not chunk:
                raise EOFError
            chunks.append(chunk)
            count -= len(chunk)
        return b"".join(chunks)
