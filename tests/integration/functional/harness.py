"""Compiles a kernel with the real build, and calls its `solve` over the real wire."""

import json
import os
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judge.cache import ArtifactCache
from judge.replay.recorded import TraceMemory
from problems.libraries import LINKED, linked_libraries
from sandbox.compiled import Compiled
from sandbox.cpu.build import Runtime, build_runtime, runner_command
from sandbox.spec import Limits
from sandbox.toolchain import find_toolkit
from sandbox.wire import (
    REPLY_BYTES,
    Request,
    RequestKind,
    RunFlag,
    WireArgument,
    send_request,
    unpack_reply,
)
from tests.compiling import compile_cuda
from tests.integration.conftest import CACHE
from tests.integration.functional.bare import BareBackend

GUARD_BYTES = 4096
LIMITS = Limits(wall_s=120, cpu_s=240, memory_mib=4096)
_PARAMETER = re.compile(r"(?:const\s+)?(\w[\w ]*?)\s*(\*?)\s*(?:const\s+)?(?:__restrict__\s+)?(\w+)$")
_DTYPES = {
    "float": "float32",
    "double": "float64",
    "int": "int32",
    "unsigned": "uint32",
    "unsigned int": "uint32",
    "long long": "int64",
    "__half": "float16",
    "half": "float16",
    "__nv_bfloat16": "bfloat16",
    "char": "int8",
    "signed char": "int8",
    "unsigned char": "uint8",
}
Argument = NDArray[Any] | int | float


@dataclass(frozen=True)
class Outcome:
    """The end of a runner's calls. `status` is None if every call was answered."""

    status: int | None
    diagnostics: list[dict[str, Any]]
    output: str
    arrays: list[NDArray[Any]] = field(default_factory=list)
    guards_intact: bool = True
    took_s: float = 0.0  # from request to reply

    def finding(self, kind: str) -> dict[str, Any]:
        """Return the only finding of that kind."""
        found = [d for d in self.diagnostics if d["kind"] == kind]
        assert found, f"no {kind} among {self.diagnostics}"
        return found[0]


@cache
def runtime() -> Runtime:
    return build_runtime(CACHE, find_toolkit())


def parameters_of(source: str) -> list[tuple[str, bool, str]]:
    """(C type, whether an array, name) of each parameter of solve."""
    match = re.search(r"\bvoid\s+solve\s*\(([^)]*)\)", source)
    assert match, "the kernel defines no solve"
    found = []
    for text in match.group(1).split(","):
        parsed = _PARAMETER.match(" ".join(text.split()))
        assert parsed, text
        found.append((parsed.group(1), parsed.group(2) == "*", parsed.group(3)))
    return found


def binding_for(source: str) -> str:
    parameters = parameters_of(source)
    names = "".join(f'"{name}", ' for _, _, name in parameters)
    casts = ", ".join(
        f"static_cast<{kind}*>(arguments[{i}])" if array else f"*static_cast<const {kind}*>(arguments[{i}])"
        for i, (kind, array, _) in enumerate(parameters)
    )
    return (
        '#include "solution.cu"\n'
        'extern "C" {\n'
        "extern const char* const warpcourt_argument_names[];\n"
        f"const char* const warpcourt_argument_names[] = {{{names}nullptr}};\n"
        f"void warpcourt_call(void* const* arguments) {{ solve({casts}); }}\n"
        "}\n"
    )


@cache
def compile_source(source: str, counters: tuple[str, ...] = (), *, device_launches: bool = False) -> Compiled:
    backend = BareBackend(runtime().folder)
    binding = binding_for(source).encode()
    libraries = linked_libraries(source, LINKED)
    return compile_cuda(
        source.encode(),
        binding,
        runtime=runtime(),
        backend=backend,
        counters=counters,
        libraries=libraries,
        device_launches=device_launches,
    )


@cache
def artifact_of(source: str, counters: tuple[str, ...] = (), *, device_launches: bool = False) -> bytes:
    """Return the compiled source, which is cached between test runs."""
    kept = ArtifactCache(CACHE / "bare")
    key = ArtifactCache.key([runtime().stamp, source, *counters, *["launches"] * device_launches])
    if artifact := kept.get(key):
        return artifact
    compiled = compile_source(source, counters, device_launches=device_launches)
    assert compiled.artifact, compiled.log
    kept.put(key, compiled.artifact)
    return compiled.artifact


class Memory:
    """A memfd with guard bands, holding one array."""

    def __init__(self, values: NDArray[Any]) -> None:
        self.values = values
        self.descriptor = os.memfd_create("argument")
        self.guard = os.urandom(GUARD_BYTES)
        os.write(self.descriptor, self.guard + values.tobytes() + self.guard)

    def read(self) -> tuple[NDArray[Any], bool]:
        whole = os.pread(self.descriptor, 2 * GUARD_BYTES + self.values.nbytes, 0)
        inner = whole[GUARD_BYTES:-GUARD_BYTES]
        intact = whole[:GUARD_BYTES] == self.guard and whole[-GUARD_BYTES:] == self.guard
        return np.frombuffer(inner, self.values.dtype).reshape(self.values.shape), intact

    def close(self) -> None:
        os.close(self.descriptor)


def _scalar_bits(value: float, dtype: str) -> int:
    return int.from_bytes(np.array([value], dtype).tobytes(), "little")


class Runner:
    """A runner with one submission loaded."""

    def __init__(
        self,
        source: str,
        counters: tuple[str, ...] = (),
        *,
        device_launches: bool = False,
        processors: int | None = None,
    ) -> None:
        contents = artifact_of(source, counters, device_launches=device_launches)
        self._parameters = parameters_of(source)
        command = runner_command(runtime(), limits=LIMITS, processors=processors)
        self._process = BareBackend(runtime().folder).start(command)
        self._sequence = 0
        assert self._reply() == 0
        self._pipe, write_end = os.pipe()
        os.set_blocking(self._pipe, False)
        artifact = os.memfd_create("artifact")
        os.write(artifact, contents)
        self._ask(Request(RequestKind.LOAD, 1), [write_end, artifact])
        os.close(write_end)
        os.close(artifact)
        if self._reply() != 1:
            status = self._end()
            raise AssertionError(f"LOAD ended with {status}: {self.diagnostics()} {self._output}")

    @property
    def pid(self) -> int:
        """The process of the runner."""
        (pid,) = self._process.pids
        return pid

    def call(
        self,
        *arguments: Argument,
        flags: RunFlag = RunFlag.NONE,
        time_limit_ms: int = 60_000,
        memory: Sequence[str] = (),
        trace: TraceMemory | None = None,
        devices: Sequence[int] = (),
        device_count: int = 1,
    ) -> Outcome:
        """Call solve once. `memory` says where each array is, in order: in device memory if it is empty.

        `devices` says on which of the `device_count` devices: on device 0 if it is empty. With `trace`,
        `flags` have TRACE.
        """
        held: list[Memory] = []
        wire: list[WireArgument] = []
        for (kind, array, _), argument in zip(self._parameters, arguments, strict=True):
            dtype = _DTYPES[kind]
            if array:
                assert isinstance(argument, np.ndarray)
                wire.append(
                    WireArgument(
                        dtype,
                        scalar=False,
                        descriptor=len(held),
                        offset=GUARD_BYTES,
                        bytes=argument.nbytes,
                        shape=argument.shape,
                        memory=memory[len(held)] if memory else "device",
                        device=devices[len(held)] if devices else 0,
                    )
                )
                held.append(Memory(argument))
            else:
                assert not isinstance(argument, np.ndarray)
                wire.append(WireArgument(dtype, scalar=True, value=_scalar_bits(argument, dtype)))
        self._sequence += 1
        request = Request(
            RequestKind.RUN, 100 + self._sequence, tuple(wire), time_limit_ms, flags, devices=device_count
        )
        started = time.perf_counter()
        traces = [trace.descriptor] if trace else []
        self._ask(request, [*(one.descriptor for one in held), *traces])
        answered = self._reply() == 100 + self._sequence
        took_s = time.perf_counter() - started
        read = [one.read() for one in held]
        for one in held:
            one.close()
        status = None if answered else self._end()
        return Outcome(
            status,
            self.diagnostics(),
            self._output,
            [values for values, _ in read],
            all(intact for _, intact in read),
            took_s,
        )

    _output = ""

    def _end(self) -> int:
        completion = self._process.wait(10)
        self._output = completion.stdout.decode()
        return completion.status

    def finish(self) -> str:
        """End the runner, and return the output of the program."""
        self._ask(Request(RequestKind.QUIT, 0), [])
        self._end()
        return self._output

    def diagnostics(self) -> list[dict[str, Any]]:
        try:
            text = os.read(self._pipe, 1 << 20).decode()
        except BlockingIOError:
            text = ""
        return [json.loads(line) for line in text.splitlines()]

    def _ask(self, request: Request, descriptors: Sequence[int]) -> None:
        send_request(self._process.channel, request, descriptors)

    def _reply(self) -> int | None:
        try:
            return unpack_reply(self._process.channel.recv(REPLY_BYTES + 1))
        except ConnectionResetError:
            return None

    def close(self) -> None:
        self._process.close()
        os.close(self._pipe)


def run(
    source: str, *arguments: Argument, flags: RunFlag = RunFlag.NONE, time_limit_ms: int = 60_000
) -> Outcome:
    """Compile `source` and call its solve once."""
    runner = Runner(source)
    try:
        outcome = runner.call(*arguments, flags=flags, time_limit_ms=time_limit_ms)
        if outcome.status is None:
            output = runner.finish()
            outcome = Outcome(None, outcome.diagnostics, output, outcome.arrays, outcome.guards_intact)
        return outcome
    finally:
        runner.close()
