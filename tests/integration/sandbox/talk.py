"""The host's side of the wire, as small as it can be: for tests of the runners alone."""

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sandbox.backend import Backend
from sandbox.spec import Command, Completion
from sandbox.wire import Flag, Kind, Request, WireArgument, send_request, unpack_reply

GUARD = 4096


class Talk:
    """One conversation with a runner."""

    def __init__(self, backend: Backend, command: Command) -> None:
        self.process = backend.start(command)
        self.process.channel.settimeout(60)
        self._sequence = 0
        self._read_end, self._write_end = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        assert self._answer() == 0

    def load(self, source: str, manifest: Mapping[str, object]) -> bool:
        files = [_memory(source.encode()), _memory(json.dumps(manifest).encode())]
        try:
            return self._ask(Kind.LOAD, [self._write_end, *files])
        finally:
            for file in files:
                os.close(file)

    def run(self, arguments: Sequence["np.ndarray[Any, Any] | tuple[str, int]"], **rest: Any) -> bool:
        """Run on arrays, which are filled in place, and on scalars as (dtype, bits).

        An array may come as (array, "bfloat16") through `dtypes`.
        """
        dtypes: Mapping[int, str] = rest.pop("dtypes", {})
        memory: list[int] = []
        wire: list[WireArgument] = []
        for index, argument in enumerate(arguments):
            if isinstance(argument, tuple):
                wire.append(WireArgument(argument[0], True, value=argument[1]))
                continue
            dtype = dtypes.get(index, str(argument.dtype))
            wire.append(
                WireArgument(dtype, False, len(memory), GUARD, argument.nbytes, 0, tuple(argument.shape))
            )
            memory.append(_memory(bytes(GUARD) + argument.tobytes() + bytes(GUARD)))
        try:
            done = self._ask(Kind.RUN, memory, arguments=tuple(wire), **rest)
            arrays = [argument for argument in arguments if not isinstance(argument, tuple)]
            for array, descriptor in zip(arrays, memory, strict=True):
                data = os.pread(descriptor, array.nbytes, GUARD)
                array[...] = np.frombuffer(data, array.dtype).reshape(array.shape)
            return done
        finally:
            for descriptor in memory:
                os.close(descriptor)

    def findings(self) -> list[dict[str, Any]]:
        try:
            said = os.read(self._read_end, 1 << 20)
        except BlockingIOError:
            return []
        return [json.loads(line) for line in said.splitlines()]

    def end(self) -> Completion:
        return self.process.wait(30)

    def close(self) -> None:
        self.process.close()
        os.close(self._read_end)
        os.close(self._write_end)

    def __enter__(self) -> "Talk":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(self, kind: Kind, descriptors: Sequence[int], **rest: Any) -> bool:
        self._sequence += 1
        send_request(self.process.channel, Request(kind, self._sequence, **rest), descriptors)
        return self._answer() == self._sequence

    def _answer(self) -> int | None:
        try:
            return unpack_reply(self.process.channel.recv(64))
        except ConnectionResetError:
            return None


def _memory(content: bytes) -> int:
    descriptor = os.memfd_create("test", os.MFD_CLOEXEC)
    os.write(descriptor, content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


__all__ = ["Flag", "Talk"]
