"""The warm parent of this worker process. It is started when it is first needed.

Theory of operation. Each worker process has its own warm parent, because the parent reads requests from a
socket that this process holds. The parent exits when the socket is closed, at the latest when this process
ends. If this process forks a child, as Celery does, the child starts its own parent. If a parent dies,
another one is started.
"""

import array
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

_ROOT = Path(__file__).parents[3]
# The only environment variables that the parent gets. None of them contains a credential of the worker.
_HANDED_ON = (
    *("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "PYTHONPATH", "LD_LIBRARY_PATH"),
    *("CUDA_HOME", "CUDA_PATH", "CUPY_CACHE_DIR", "XDG_CACHE_HOME"),
)


class _Parent:
    """Starts the warm parent and asks it to fork. Safe to share between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: socket.socket | None = None

    def fork(self, environment: Mapping[str, str], gpu_uuid: str | None) -> socket.socket:
        """Make the warm parent fork a referee. Returns this process's end of the link."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        request = json.dumps({"environment": dict(environment), "gpu_uuid": gpu_uuid}).encode()
        with theirs, self._lock:
            try:
                _send(self._running(), request, theirs)
            except OSError:  # the parent has died
                self.forget()
                _send(self._running(), request, theirs)
        return ours

    def start(self) -> None:
        """Start the warm parent now, so that its imports are finished when it is needed."""
        with self._lock:
            self._running()

    def forget(self) -> None:
        """Close the socket to the warm parent. It exits when no process has the socket open."""
        if self._requests is not None:
            self._requests.close()
            self._requests = None

    def forget_after_fork(self) -> None:
        """Reset the lock in a forked child, where no other thread holds it."""
        self._lock = threading.Lock()
        self.forget()

    def _running(self) -> socket.socket:
        if self._requests is None:
            self._requests, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            with theirs:
                subprocess.Popen(
                    [sys.executable, "-m", "judge.gpu.device.warm_parent", str(theirs.fileno())],
                    cwd=_ROOT,
                    env={name: os.environ[name] for name in _HANDED_ON if name in os.environ}
                    | {"OPENBLAS_NUM_THREADS": "1"},  # a process with threads cannot be forked safely
                    stdin=subprocess.DEVNULL,
                    pass_fds=[theirs.fileno()],
                    start_new_session=True,  # Ctrl-C must reach only the worker, which then closes the socket
                )
        return self._requests


def _send(requests: socket.socket, request: bytes, link: socket.socket) -> None:
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [link.fileno()]).tobytes())]
    requests.sendmsg([request], rights, socket.MSG_NOSIGNAL)


_parent = _Parent()
os.register_at_fork(after_in_child=_parent.forget_after_fork)
fork_referee = _parent.fork
start_warm_parent = _parent.start
