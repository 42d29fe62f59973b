"""The warm parent of referee processes: imports everything once, and forks referees.

Theory of operation. Importing CuPy takes half a second, too long for each new referee process. So every
worker process has a child, the warm parent, that has imported everything that a referee needs. The warm
parent never uses a GPU, because a process that has used one cannot be forked. It reads requests from a socket
that only its worker holds. A request is an environment, and carries the far end of the link to the referee.
The parent forks, and the child becomes the referee (`judge.gpu.device.service`), which communicates over that
link. The parent itself answers nothing.

When the worker exits, the socket is closed. The links of the referees are closed too, so the referees scrub
their memory and exit. The parent waits a short time for them and then exits, and the kernel kills the rest.
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
_PATIENCE_S = 3  # for referees to exit after the worker
_PR_SET_PDEATHSIG = 1


class _Request(TypedDict):
    environment: dict[str, str]
    gpu_uuid: str | None


def main(descriptor: int) -> None:
    """Fork referees for the worker at the other end of socket `descriptor`, until the worker closes it."""
    requests = socket.socket(fileno=descriptor)
    if importlib.util.find_spec("cupy"):
        _import_for_gpus()
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel reaps children
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
    signal.alarm(_PATIENCE_S)  # ends this process, and then the kernel ends its children
    with contextlib.suppress(ChildProcessError):
        os.waitpid(-1, 0)  # SIGCHLD is ignored, so this waits for the last child


def _import_for_gpus() -> None:
    """Import everything that a referee on a GPU needs, with NVRTC's large library. Uses no GPU."""
    import cupy  # noqa: PLC0415 - CuPy is only on GPU hosts

    import judge.gpu.device.memory  # noqa: F401, PLC0415
    from judge.gpu.device.errors import silence_destructors  # noqa: PLC0415

    silence_destructors()
    with contextlib.suppress(RuntimeError, OSError):  # a referee that needs it reports the error
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
        status = 0  # the worker closed the link
    except BaseException:  # noqa: BLE001 - the boundary of the process: the worker sees its link end
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stderr.flush()
        os._exit(status)  # without destructors: the driver frees GPU memory when the process ends


if __name__ == "__main__":
    main(int(sys.argv[1]))
