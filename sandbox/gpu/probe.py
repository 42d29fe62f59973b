"""Tests whether a GPU works by computing on it in a new process.

Theory of operation. `probe` starts `probe_program.py` in an environment that shows it one GPU. The program
creates a context and prints `context`. Under MPS, `probe` then checks that the process is a client, because a
process that does not find its daemon silently runs outside MPS. After another message, the program runs a
kernel and prints `well`. Any other output, or no output within the limit, is a failure. A hung probe is ended
like every MPS client: it is terminated before it is killed.
"""

import contextlib
import os
import selectors
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

from sandbox.gpu.mps import Mps, MpsUnavailable

LIMIT_S = 30.0
_PROGRAM = Path(__file__).with_name("probe_program.py")


class ProbeFailed(Exception):
    """Raised when a fresh process cannot compute on the GPU. The message says how it failed."""


def probe(uuid: str, mps: Mps | None, *, program: Path = _PROGRAM, limit_s: float = LIMIT_S) -> None:
    """Compute something on a GPU. Raises ProbeFailed."""
    environment = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    environment |= {"CUDA_VISIBLE_DEVICES": uuid}
    environment |= {"CUDA_MPS_PIPE_DIRECTORY": str(mps.pipe_directory if mps else "/nonexistent")}
    deadline = time.monotonic() + limit_s
    process = subprocess.Popen(
        [sys.executable, "-I", str(program)],
        env=environment,
        cwd="/",
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert process.stdin is not None and process.stdout is not None  # noqa: S101, PT018 - asked for above
    try:
        _expect(process.stdout, b"context", deadline)
        if mps is not None and process.pid not in mps.clients():
            raise ProbeFailed(
                f"a process that should use MPS bypasses it; is the daemon in {mps.pipe_directory} running?"
            )
        process.stdin.write(b"\n")
        process.stdin.flush()
        _expect(process.stdout, b"well", deadline)
    except (OSError, MpsUnavailable) as error:
        raise ProbeFailed(f"the probe failed: {error}") from error
    finally:
        _end(process, mps)


def _expect(stream: IO[bytes], word: bytes, deadline: float) -> None:
    """Read a line and compare it."""
    said = b""
    with selectors.DefaultSelector() as selector:
        selector.register(stream, selectors.EVENT_READ)
        while not said.endswith(b"\n"):
            if not selector.select(max(0.0, deadline - time.monotonic())):
                raise ProbeFailed(f"a new process did not report {word.decode()!r} in time: the GPU hangs")
            block = os.read(stream.fileno(), 1 << 12)
            if not block:
                break
            said += block
    if said.strip() != word:
        text = said.decode(errors="replace").strip()[-500:]
        raise ProbeFailed(f"a new process cannot compute on it: {text or 'it exited without a message'}")


def _end(process: subprocess.Popen[bytes], mps: Mps | None) -> None:
    """End the probe. A client of MPS that still runs is terminated first, as a kill would hurt the others."""
    if process.stdin is not None:
        with contextlib.suppress(OSError):
            process.stdin.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(1.0)
    if process.poll() is None:
        if mps is not None:
            with contextlib.suppress(MpsUnavailable):
                mps.terminate(process.pid)
        process.kill()
        process.wait()
    if process.stdout is not None:
        process.stdout.close()
