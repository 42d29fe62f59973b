"""Shared code of the Python runners: the protocol with the host, arguments in memory, diagnostics.

Theory of operation. The runner reports "ready" after its imports, before it loads any foreign code and before
it uses a GPU, which PREPARE opens. After LOAD, the whole process counts as hostile. No decision depends on
its output, so it holds no secrets, and a submission gains nothing by disabling checks. Failures end the
process at once through `os._exit`, which skips handlers that foreign code may have installed.
"""

import contextlib
import json
import linecache
import mmap
import os
import signal
import socket
import struct
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import CodeType, FrameType, ModuleType
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from sandbox.wire import (
    ExitStatus,
    Request,
    RequestKind,
    WireArgument,
    receive_request,
    send_reply,
)

CHANNEL = 3
OUR_FAULT = 70  # the exit status when the machine fails; compiled runners use the same
_MESSAGE_CHARACTERS = 2000
STORAGE: Mapping[str, np.dtype[Any]] = {
    "float64": np.dtype(np.float64),
    "float32": np.dtype(np.float32),
    "float16": np.dtype(np.float16),
    "bfloat16": np.dtype(np.uint16),
    "int64": np.dtype(np.int64),
    "int32": np.dtype(np.int32),
    "int8": np.dtype(np.int8),
    "uint32": np.dtype(np.uint32),
    "uint8": np.dtype(np.uint8),
    "bool": np.dtype(np.bool_),
}

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Load:
    """The contents of LOAD: the diagnostics pipe, the source, and the signature."""

    diagnostics: "Diagnostics"
    source: str
    manifest: Mapping[str, object]


class Diagnostics:
    """Findings for the author of the program, as JSON lines on a pipe. A full pipe drops them."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def say(
        self,
        severity: str,
        kind: str,
        message: str,
        *,
        line: int | None = None,
        kernel: str | None = None,
        block: Sequence[int] | None = None,
        array: str | None = None,
    ) -> None:
        """Write one finding; `line` is 1-based in the submitted source."""
        finding: dict[str, object] = {
            "severity": severity,
            "kind": kind,
            "message": message[:_MESSAGE_CHARACTERS],
            "kernel": kernel,
            "block": None if block is None else [int(index) for index in block],
            "line": line,
            "array": array,
        }
        self.write(finding)

    def write(self, finding: Mapping[str, object]) -> None:
        """Write one finding that is complete."""
        with contextlib.suppress(OSError):
            os.write(self._descriptor, json.dumps(finding).encode() + b"\n")


class Runner:
    """Handlers of a runner, one per request. Each returns when it is done, or ends the process.

    Descriptors are closed when it returns.
    """

    def prepare(self) -> None:
        """Open the GPU, for a runner that has one."""

    def load(self, load: Load) -> None:
        """Load foreign code. Comes once."""
        raise NotImplementedError

    def run(self, request: Request, descriptors: Sequence[int]) -> None:
        """Run it on the arguments of `request`."""
        raise NotImplementedError

    def time(self, request: Request, descriptors: Sequence[int]) -> None:
        """Carry out a timed session."""
        raise NotImplementedError

    def quit(self) -> None:
        """Report findings that became known only now."""


def serve(runner: Runner) -> None:
    """Answer the host until it closes the channel. Raises ValueError if it breaks the protocol."""
    channel = socket.socket(fileno=CHANNEL)
    send_reply(channel, 0)
    loaded = False
    while (received := receive_request(channel)) is not None:
        request, descriptors = received
        match request.kind:
            case RequestKind.QUIT:
                runner.quit()
                break
            case RequestKind.PREPARE if not loaded:
                _prepare(runner)
            case RequestKind.LOAD if not loaded:
                runner.load(_read_load(descriptors))
                loaded = True
                descriptors = descriptors[1:]  # diagnostics stay open
            case RequestKind.RUN if loaded:
                runner.run(request, descriptors)
            case RequestKind.TIME if loaded:
                runner.time(request, descriptors)
            case kind:
                raise ValueError(f"{kind.name} cannot come {'after' if loaded else 'before'} LOAD")
        for descriptor in descriptors:
            os.close(descriptor)
        sys.stdout.flush()
        sys.stderr.flush()
        send_reply(channel, request.sequence)


def flush() -> None:
    """Flush the output, even if foreign code has replaced the streams."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()


def stop(status: ExitStatus) -> NoReturn:
    """Flush the output and end this process now."""
    flush()
    os._exit(status)


def compile_source(load: Load, filename: str) -> CodeType:
    """Compile the source, or report its syntax error and end with LOAD_ERROR."""
    linecache.cache[filename] = (len(load.source), None, load.source.splitlines(keepends=True), filename)
    try:
        return compile(load.source, filename, "exec", dont_inherit=True)
    except SyntaxError as error:
        load.diagnostics.say("error", "syntax", f"{type(error).__name__}: {error.msg}", line=error.lineno)
    except (ValueError, RecursionError, MemoryError) as error:
        load.diagnostics.say("error", "syntax", f"{type(error).__name__}: {error}")
    stop(ExitStatus.LOAD_ERROR)


def run_module(code: CodeType, name: str) -> ModuleType:
    """Run compiled source as the module `name`. Raises whatever it raises."""
    module = ModuleType(name)
    module.__file__ = code.co_filename
    sys.modules[name] = module
    exec(code, module.__dict__)  # noqa: S102 - to run foreign code is what this sandbox is for
    return module


def explain(error: BaseException, filename: str) -> tuple[str, int | None]:
    """A sentence on `error` with the lines of `filename` that led to it, and the innermost line."""
    while error.__cause__ is not None and _lines(error.__cause__, filename):
        error = error.__cause__
    lines = _lines(error, filename)
    sentence = "".join(traceback.format_exception_only(error)).strip()
    if len(lines) > 1:
        sentence += " (called from line " + ", ".join(str(line) for line in lines[-2::-1]) + ")"
    return sentence, lines[-1] if lines else None


def line_of(frame: FrameType | None, filename: str) -> int | None:
    """The line of `filename` that is running in `frame` or its callers."""
    while frame is not None:
        if frame.f_code.co_filename == filename:
            return frame.f_lineno
        frame = frame.f_back
    return None


@contextlib.contextmanager
def time_limit(limit_ms: int, on_limit: Callable[[FrameType | None], None]) -> Iterator[None]:
    """Call `on_limit` with the running frame after `limit_ms` of wall time; 0 disables the limit."""
    signal.signal(signal.SIGALRM, lambda _number, frame: on_limit(frame))
    signal.setitimer(signal.ITIMER_REAL, limit_ms / 1000)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def array_of(argument: WireArgument, descriptors: Sequence[int]) -> Array:
    """The payload of an array argument, shared with the host. bfloat16 comes as its bits in uint16."""
    dtype = STORAGE[argument.dtype]
    if argument.bytes == 0:
        return np.empty(argument.shape, dtype)
    memory = mmap.mmap(descriptors[argument.descriptor], 0)
    count = argument.bytes // dtype.itemsize
    return np.frombuffer(memory, dtype, count, argument.offset).reshape(argument.shape)


def scalar_of(argument: WireArgument) -> int | float | bool:
    """The value of a scalar argument."""
    bits = argument.value.to_bytes(8, "little")
    match argument.dtype:
        case "bool":
            return bool(bits[0])
        case "bfloat16":
            return float(struct.unpack("<f", b"\0\0" + bits[:2])[0])
        case dtype:
            value: int | float = np.frombuffer(bits, STORAGE[dtype], 1)[0].item()
            return value


def _prepare(runner: Runner) -> None:
    """Have `runner` open its GPU. A GPU that fails to open is not charged to the program."""
    try:
        runner.prepare()
    except Exception as error:  # noqa: BLE001 - whatever the driver's libraries raise
        sys.stderr.write(f"runner: {type(error).__name__}: {error}\n")
        flush()
        os._exit(OUR_FAULT)


def _lines(error: BaseException, filename: str) -> list[int]:
    frames = traceback.extract_tb(error.__traceback__)
    return [frame.lineno for frame in frames if frame.filename == filename and frame.lineno]


def _read_load(descriptors: Sequence[int]) -> Load:
    diagnostics, source, manifest = descriptors
    return Load(
        Diagnostics(diagnostics),
        read(source).decode("utf-8", "replace"),
        json.loads(read(manifest)),
    )


def read(descriptor: int) -> bytes:
    """Return the contents of a memory file that the host sent."""
    with open(descriptor, "rb", closefd=False) as file:
        file.seek(0)
        return file.read()
