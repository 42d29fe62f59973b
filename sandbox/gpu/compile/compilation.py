"""One compilation in a warm compile sandbox: the host's counterpart of `server.py`.

Theory of operation. The sandbox writes its results into two memory files that the worker created, so there is
no pipe to drain while it works. After the sandbox has answered, the worker reads a bounded part of both files
and validates it. The sandbox then continues with the listings, and `listings` waits for its end.
"""

import json
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sandbox.backend import Process
from sandbox.chains import REJECTED
from sandbox.compiled import (
    MAX_ARTIFACT_BYTES,
    TOO_LARGE,
    Compiled,
    CompileOutcome,
    clean_log,
    clean_paths,
    exceeded,
)
from sandbox.descriptors import readable
from sandbox.gpu.compile.compiler import LISTINGS
from sandbox.gpu.compile.recipe import GpuCompileRecipe
from sandbox.spec import Termination
from sandbox.wire import REPLY_BYTES, Request, RequestKind, send_request, unpack_reply

_MAX_REPORT_BYTES = 4 << 20
_MAX_NAMES = 64
_MAX_NAME = 1000
_POLL_S = 0.05
_END_S = 5.0
_SEQUENCE = 1


class CompilationCancelled(Exception):
    """Raised by `Compilation.result` when the caller gave up."""


@dataclass(frozen=True, slots=True)
class ResourceTexts:
    """Output of ptxas and cuobjdump per kernel, and readable names by mangled ones. Untrusted."""

    ptxas: str = ""
    usage: str = ""
    names: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GpuCompiled(Compiled):
    """As for any target, with the resources that the kernels take."""

    resources: ResourceTexts = field(default_factory=ResourceTexts)


class Compilation:
    """A source being compiled by `process`, from a pool of `Compiler.command`. Owns it; close it."""

    def __init__(self, process: Process, source: bytes, binding: bytes, recipe: GpuCompileRecipe) -> None:
        self._process = process
        self._recipe = recipe
        self._started = time.monotonic()
        self._report = _memory_file("report")
        self._artifact = _memory_file("artifact")
        inputs = [_memory_file(name, text) for name, text in self._inputs(source, binding)]
        try:
            request = Request(RequestKind.LOAD, _SEQUENCE)
            send_request(process.channel, request, [self._report, *inputs, self._artifact])
        except OSError:
            pass  # the sandbox has died, which `result` reports
        finally:
            for descriptor in inputs:
                os.close(descriptor)

    def result(self, cancelled: Callable[[], bool] = lambda: False) -> GpuCompiled:
        """Wait for the result, without the listings. Raises CompilationCancelled."""
        answered = self._await_answer(cancelled)
        wall_s = time.monotonic() - self._started
        if not answered:
            return self._ended(wall_s)
        try:
            status, log, resources = _parse(_read(self._report, _MAX_REPORT_BYTES))
        except ValueError as error:
            return GpuCompiled(
                CompileOutcome.BROKEN, None, f"the compile sandbox: {error}", Termination.EXITED, wall_s
            )
        log = clean_log(log.encode(), (self._recipe.root,))
        if status != 0:
            outcome = CompileOutcome.REJECTED if status == REJECTED else CompileOutcome.BROKEN
            return GpuCompiled(outcome, None, log, Termination.EXITED, wall_s)
        artifact = _read(self._artifact, MAX_ARTIFACT_BYTES + 1)
        if len(artifact) > MAX_ARTIFACT_BYTES:
            return GpuCompiled(
                CompileOutcome.EXCEEDED, None, f"{TOO_LARGE}\n{log}", Termination.EXITED, wall_s
            )
        return GpuCompiled(CompileOutcome.BUILT, artifact, log, Termination.EXITED, wall_s, resources)

    def listings(self, patience_s: float = 10.0) -> Mapping[str, str]:
        """`ptx` and `sass`, as far as they are ready after `patience_s`. Ends the sandbox."""
        try:
            completion = self._process.wait(patience_s)
        except TimeoutError:
            self._process.kill()
            completion = self._process.wait(_END_S)
        found = {kind: completion.files[name] for kind, name in LISTINGS.items() if name in completion.files}
        return {
            kind: clean_paths(content.decode("utf-8", "replace"), (self._recipe.root,))
            for kind, content in found.items()
        }

    def close(self) -> None:
        """End the sandbox and release everything."""
        self._process.close()
        for descriptor in (self._report, self._artifact):
            if descriptor >= 0:
                os.close(descriptor)
        self._report = self._artifact = -1

    def _inputs(self, source: bytes, binding: bytes) -> tuple[tuple[str, bytes], ...]:
        return (("solution", source), ("binding", binding), ("recipe", self._recipe.to_json().encode()))

    def _await_answer(self, cancelled: Callable[[], bool]) -> bool:
        channel = self._process.channel
        while not readable(channel.fileno(), _POLL_S):
            if cancelled():
                raise CompilationCancelled
        try:
            return unpack_reply(channel.recv(REPLY_BYTES + 1)) == _SEQUENCE
        except OSError:
            return False

    def _ended(self, wall_s: float) -> GpuCompiled:
        """Return the result of a sandbox without an answer: it exceeded a limit, or the judge is at fault."""
        completion = self._process.wait(_END_S)
        if completion.ending is not Termination.EXITED:
            log = exceeded(completion.ending) + "\n"
            return GpuCompiled(CompileOutcome.EXCEEDED, None, log, completion.ending, wall_s)
        said = completion.stderr.decode(errors="replace")[-4000:]
        return GpuCompiled(
            CompileOutcome.BROKEN, None, f"the compile sandbox: {said}", completion.ending, wall_s
        )


def _parse(data: bytes) -> tuple[int, str, ResourceTexts]:
    """Parse the status, the log and the resources in a report.

    Raises ValueError if the report is malformed.
    """
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ValueError("its report is not JSON") from error
    match value:
        case {
            "status": int(status),
            "log": str(log),
            "ptxas": str(ptxas),
            "usage": str(usage),
            "names": dict(names),
        }:
            readable = {str(key): str(name)[:_MAX_NAME] for key, name in list(names.items())[:_MAX_NAMES]}
            return status, log, ResourceTexts(ptxas, usage, readable)
    raise ValueError("its report has another form")


def _memory_file(name: str, content: bytes = b"") -> int:
    descriptor = os.memfd_create(f"warpcourt-{name}", os.MFD_CLOEXEC)
    with open(descriptor, "wb", closefd=False) as file:
        file.write(content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _read(descriptor: int, limit_bytes: int) -> bytes:
    chunks = []
    at = 0
    while at < limit_bytes and (chunk := os.pread(descriptor, min(limit_bytes - at, 1 << 24), at)):
        chunks.append(chunk)
        at += len(chunk)
    return b"".join(chunks)
