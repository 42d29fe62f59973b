"""The warm parent of referee processes: has everything imported, and forks.

Theory of operation. A referee process is used once, and importing CuPy takes half a second. So every worker
process has a child that has imported all that a referee needs and never touches a GPU, because a process
that did cannot be forked. It reads requests from a socket that only its worker holds: an environment, with
the far end of the link to the referee. It forks, and the child becomes the referee
(`judge.gpu.device.service`); what the child has to say goes over that link. The parent answers nothing.

When the worker has gone the socket is at its end. The referees see their links end, scrub their memory
and leave; the parent waits a moment for them and leaves too, and the kernel kills the rest.
"""

import contextlib
import ctypes
import gc
import importlib.util
import json
import os
import signal
import socket
import sys
from typing import NoReturn, TypedDict

from judge.gpu.device.link import Link
from judge.gpu.device.service import serve

_MESSAGE_BYTES = 64 * 1024
_PATIENCE_S = 3  # for referees to leave when the worker has gone
_PR_SET_PDEATHSIG = 1


class _Request(TypedDict):
    environment: dict[str, str]
    gpu_uuid: str | None


def main(descriptor: int) -> None:
    """Fork referees as the worker at the other end of socket `descriptor` asks, until it has gone."""
    requests = socket.socket(fileno=descriptor)
    if importlib.util.find_spec("cupy"):
        _import_for_gpus()
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel reaps
    parent = os.getpid()
    while True:
        data, descriptors, _, _ = socket.recv_fds(requests, _MESSAGE_BYTES, 1)
        if not data:
            break
        if os.fork() == 0:
            requests.close()
            _become_referee(parent, json.loads(data), descriptors[0])
        for link in descriptors:
            os.close(link)
    signal.alarm(_PATIENCE_S)  # ends this process, and with it what is left
    with contextlib.suppress(ChildProcessError):
        os.waitpid(-1, 0)  # as children are not to be reaped, until the last has gone


def _import_for_gpus() -> None:
    """Import what a referee on a GPU needs, NVRTC's large library too, and touch no GPU."""
    import cupy  # noqa: PLC0415 - CuPy is on GPU hosts alone

    import judge.gpu.device.memory  # noqa: F401, PLC0415

    with contextlib.suppress(RuntimeError, OSError):  # a referee that needs it will say what is missing
        cupy.cuda.compiler.nvrtc.getVersion()


def _become_referee(parent: int, request: _Request, descriptor: int) -> NoReturn:
    status = 1
    try:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() == parent:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.environ.update(request["environment"])
            serve(Link(socket.socket(fileno=descriptor)), request["gpu_uuid"])
        status = 0
    except (EOFError, BrokenPipeError, ConnectionResetError):
        status = 0  # the worker has gone
    except BaseException:  # noqa: BLE001 - the boundary of the process: the worker sees its link end
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stderr.flush()
        os._exit(status)  # past every destructor: what is on the GPU goes with the process


if __name__ == "__main__":
    main(int(sys.argv[1]))
