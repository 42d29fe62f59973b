"""Starts processes for a runner that may not start any: compilers, which need no GPU and get none.

Theory of operation. `Helper.start` runs this module as a separate process, before foreign code is loaded. The
helper gives up all devices (`lockdown.forbid_devices`), which its children inherit, and then starts requested
processes. `Helper.install` replaces `subprocess.Popen` by a `Popen` that sends requests to the helper. A
request is the arguments, the environment and the folder as JSON, with four descriptors: one for the answers,
and the standard streams. The answers are the process id or an error, and later the exit status.

The helper trusts no process, and no decision depends on it. Hostile code can make it start any program in the
sandbox, as often as the limits allow, but these programs cannot reach a GPU.
"""

import contextlib
import json
import os
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from sandbox.runner import lockdown

_REQUEST_BYTES = 1 << 20
_DESCRIPTORS = 4
_ANSWER = struct.Struct("<ii")  # process id and errno; then 0 and the exit status as Popen has it
_SENT_BYTES = 1 << 19


class Helper:
    """The runner's end: asks for processes."""

    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel

    @classmethod
    def start(cls) -> "Helper":
        """Run the helper. It ends with this process."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SENT_BYTES)
        with theirs:
            argv = [sys.executable, "-s", "-B", "-m", __name__, str(theirs.fileno())]
            subprocess.Popen(argv, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL)
        if ours.recv(1) != b"+":
            raise OSError("the helper did not start")
        return cls(ours)

    def install(self) -> None:
        """Have all of `subprocess` go by way of the helper."""
        helper = self

        class Popen(_AskedFor):
            """A process that the helper started."""

            _helper = helper

        subprocess.Popen = Popen  # type: ignore[misc]

    def spawn(
        self,
        argv: Sequence[str],
        streams: Sequence[int],
        *,
        executable: str | None,
        folder: str | None,
        environment: Mapping[str, str],
    ) -> tuple[int, socket.socket]:
        """Start a process. Its id, and where the answer comes when it ends. Raises OSError."""
        answers, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        asked = {"argv": argv, "executable": executable, "cwd": folder, "env": dict(environment)}
        with theirs:
            socket.send_fds(self._channel, [json.dumps(asked).encode()], [theirs.fileno(), *streams])
        said = answers.recv(_ANSWER.size)
        pid, error = _ANSWER.unpack(said) if said else (0, 5)
        if error:
            answers.close()
            raise OSError(error, os.strerror(error), argv[0])
        return pid, answers


class _AskedFor(subprocess.Popen):  # type: ignore[type-arg]
    """`subprocess.Popen` with the work of starting and waiting done by a helper."""

    _helper: Helper
    _answers: socket.socket

    def _execute_child(self, args: Any, executable: Any, *rest: Any) -> None:
        _, _, _, cwd, env, _, _, shell, *pipes = rest[:14]
        words = [args] if isinstance(args, str | bytes | os.PathLike) else list(args)
        if shell:
            words = ["/bin/sh", "-c", *words]
        given, _, _, out, _, err = pipes
        streams = [own if stream == -1 else stream for own, stream in enumerate((given, out, err))]
        try:
            self.pid, self._answers = self._helper.spawn(
                [os.fsdecode(word) for word in words],
                streams,
                executable=None if executable is None else os.fsdecode(executable),
                folder=None if cwd is None else os.fsdecode(cwd),
                environment={
                    os.fsdecode(name): os.fsdecode(value)
                    for name, value in (os.environ if env is None else env).items()
                },
            )
        finally:
            self._close_pipe_fds(*pipes)  # type: ignore[attr-defined]
        self._child_created = True

    def _try_wait(self, wait_flags: int) -> tuple[int, int]:
        """As os.waitpid does."""
        try:
            said = self._answers.recv(_ANSWER.size, socket.MSG_DONTWAIT if wait_flags else 0)
        except BlockingIOError:
            return 0, 0
        self._answers.close()
        code = _ANSWER.unpack(said)[1] if said else -9
        return self.pid, code << 8 if code >= 0 else -code

    def _internal_poll(self, *_: Any, **__: Any) -> int | None:
        if self.returncode is None:
            pid, status = self._try_wait(os.WNOHANG)
            if pid == self.pid:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode


def serve(channel: socket.socket) -> None:
    """Serve requests to start processes until the channel is closed."""
    while True:
        said, descriptors, _, _ = socket.recv_fds(channel, _REQUEST_BYTES, _DESCRIPTORS)
        if not said:
            return
        answers = socket.socket(fileno=descriptors[0])
        streams = descriptors[1:]
        try:
            process = _start(json.loads(said), streams)
        except OSError as error:
            answers.send(_ANSWER.pack(0, error.errno or 5))
            answers.close()
        else:
            answers.send(_ANSWER.pack(process.pid, 0))
            threading.Thread(target=_see_off, args=(process, answers), daemon=True).start()
        finally:
            for stream in streams:
                os.close(stream)


def _start(asked: Mapping[str, Any], streams: Sequence[int]) -> "subprocess.Popen[bytes]":
    given, out, err = streams
    return subprocess.Popen(
        asked["argv"],
        executable=asked["executable"],
        cwd=asked["cwd"],
        env=asked["env"],
        stdin=given,
        stdout=out,
        stderr=err,
    )


def _see_off(process: "subprocess.Popen[bytes]", answers: socket.socket) -> None:
    with answers, contextlib.suppress(OSError):
        answers.send(_ANSWER.pack(0, process.wait()))


def main() -> None:
    """Give up all devices, say so, and serve."""
    channel = socket.socket(fileno=int(sys.argv[1]))
    lockdown.forbid_devices()
    channel.send(b"+")
    serve(channel)


if __name__ == "__main__":
    main()
