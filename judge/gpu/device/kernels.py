"""The kernels of `kernels.cu`, compiled for the current device and launched on one stream.

NVRTC compiles them once per machine. CuPy caches the result on disk, and later processes load it in
milliseconds.
"""

import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cupy
import numpy as np

from judge.gpu.device.places import OVERFLOW, PLACE, tiles_of
from judge.runner.comparison import SHOWN_MISMATCHES
from judge.runner.poison import STRAIGHT, Bend
from problems.schema import Tolerance
from problems.vocabulary import Dtype

_FOLDER = Path(__file__).parent
_THREADS = 256
_MOST_BLOCKS = 4096  # more blocks do not speed up grid-stride kernels
_BLOCK_BYTES = 16 * _THREADS
_TOTALS_BYTES = 2 * 8
_ANSWER_BYTES = _TOTALS_BYTES + SHOWN_MISMATCHES * PLACE.itemsize


@dataclass(frozen=True, slots=True)
class Secret:
    """A seed of 128 random bits for random bytes. It never leaves this process."""

    words: tuple[int, int, int, int]

    @classmethod
    def draw(cls) -> "Secret":
        """Draw a new seed from the system's CSPRNG."""
        bits = secrets.randbits
        return cls((bits(32), bits(32), bits(32), bits(32)))


@dataclass(frozen=True, slots=True)
class Elements:
    """Operands of a comparison: device pointers (0 for no poison) and the number of elements."""

    got: int
    expected: int
    poison: int
    count: int


def source(name: str) -> str:
    """Return the source of the kernels in file `name` of this folder, with the code that all files share."""
    return "\n".join((_FOLDER / file).read_text(encoding="utf-8") for file in ("common.cu", name))


class Kernels:
    """Launches kernels on `stream`. Methods that return results synchronise it."""

    def __init__(self, stream: cupy.cuda.Stream) -> None:
        self._stream = stream
        module = cupy.RawModule(code=source("kernels.cu"), options=("-std=c++17",))
        names = [f"{kind}_{dtype}" for dtype in Dtype for kind in ("count", "first")]
        names += ["fill_random", "check_random", "check_equal"]
        self._functions = {name: module.get_function(name) for name in names}
        with stream:
            self._answer = cupy.zeros(_ANSWER_BYTES, cupy.uint8)
        self._pinned = cupy.cuda.alloc_pinned_memory(_ANSWER_BYTES)
        self._told = np.frombuffer(self._pinned, np.uint8, _ANSWER_BYTES)

    def fill_random(self, pointer: int, copy: int, count: int, secret: Secret, bend: Bend = STRAIGHT) -> None:
        """Write `count` bytes generated from `secret` to `pointer`, and to `copy` unless it is 0."""
        words = [np.uint32(word) for word in secret.words]
        places = [np.uint64(number) for number in (pointer, copy, count)]
        self._stride("fill_random", count, *places, *words, np.uint64(bend.ones), np.uint64(bend.flips))

    def clear_differences(self) -> None:
        """Clear the recorded differences."""
        cupy.cuda.runtime.memsetAsync(self._answer.data.ptr, 0, _TOTALS_BYTES, self._stream.ptr)

    def check_random(self, pointer: int, count: int, secret: Secret, *, slot: int) -> None:
        """Record in `slot`, 0 or 1, whether the bytes at `pointer` differ from those of `secret`."""
        words = [np.uint32(word) for word in secret.words]
        found = np.uint64(self._answer.data.ptr + 8 * slot)
        self._stride("check_random", count, np.uint64(pointer), np.uint64(count), *words, found)

    def check_equal(self, left: int, right: int, count: int) -> None:
        """Record in slot 0 whether the bytes at both pointers differ."""
        found = np.uint64(self._answer.data.ptr)
        self._stride("check_equal", count, np.uint64(left), np.uint64(right), np.uint64(count), found)

    def differences(self) -> tuple[bool, bool]:
        """Return the differences recorded since `clear_differences`. Synchronises the stream."""
        self._fetch(_TOTALS_BYTES)
        first, second = self._told[:_TOTALS_BYTES].view(np.uint64)
        return bool(first), bool(second)

    def compare(
        self, dtype: Dtype, elements: Elements, tolerance: Tolerance
    ) -> tuple[int, int, np.ndarray[Any, np.dtype[np.void]]]:
        """Return the counts of wrong and of unwritten elements, and the first mismatches. Synchronises."""
        if not elements.count:
            return 0, 0, np.empty(0, PLACE)
        tiles = tiles_of(elements.count)
        answer = self._answer.data.ptr
        with self._stream:
            tile_counts = cupy.empty(tiles, cupy.uint32)
        operands = (
            np.uint64(elements.got),
            np.uint64(elements.expected),
            np.uint64(elements.poison),
            np.uint64(elements.count),
            np.float64(tolerance.absolute),
            np.float64(tolerance.relative),
            np.float64(OVERFLOW.get(dtype, 0.0)),
            np.int32(tolerance.nan),
            np.uint64(tile_counts.data.ptr),
        )
        self.clear_differences()
        self._launch(f"count_{dtype}", tiles, *operands, np.uint64(answer))
        self._fetch(_TOTALS_BYTES)
        wrong, unwritten = (int(total) for total in self._told[:_TOTALS_BYTES].view(np.uint64))
        if wrong:
            limit, places = np.uint32(SHOWN_MISMATCHES), np.uint64(answer + _TOTALS_BYTES)
            self._launch(f"first_{dtype}", 1, *operands, np.uint64(tiles), limit, places)
            self._fetch(_ANSWER_BYTES)
        return wrong, unwritten, self._told[_TOTALS_BYTES:].view(PLACE).copy()

    def _fetch(self, count: int) -> None:
        runtime = cupy.cuda.runtime
        kind = runtime.memcpyDeviceToHost
        runtime.memcpyAsync(self._pinned.ptr, self._answer.data.ptr, count, kind, self._stream.ptr)
        self._stream.synchronize()

    def _stride(self, name: str, count: int, *arguments: np.generic) -> None:
        if count:
            self._launch(name, min(_MOST_BLOCKS, -(-count // _BLOCK_BYTES)), *arguments)

    def _launch(self, name: str, blocks: int, *arguments: np.generic) -> None:
        with self._stream:
            self._functions[name]((blocks,), (_THREADS,), arguments)
