"""Timed sessions of the Python runners: orders over a shared page, see `sandbox.wire`.

Theory of operation. On a GPU, where times rank, native code executes the orders (`timed_session.cpp`), so
that no Python code runs between an order and the call. Without a GPU, times do not rank, and a loop in this
module implements the same protocol: a memoryview reads and writes 64 bits at once, and x86 keeps both loads
and stores in order. In either case, the referee does not trust the page.
"""

import ctypes
import gc
import mmap
import os
import select
from collections.abc import Callable, Sequence
from typing import TypeVar

from sandbox.runner.session import CHANNEL, flush
from sandbox.wire import Page, PageOrder, Request

LIBRARY = "WARPCOURT_TIMED_SESSION"  # names the native library, where there is a GPU
_LOOKS_PER_CHECK = 1 << 16  # some milliseconds
_Arguments = TypeVar("_Arguments")


def bind_sets(
    request: Request, descriptors: Sequence[int], bind: Callable[[Sequence[int]], _Arguments]
) -> list[_Arguments]:
    """The argument sets of TIME, each `bind` of its descriptors. Raises ValueError if they differ in size."""
    arrays, rest = divmod(len(descriptors), request.sets) if request.sets else (0, 1)
    if rest:
        raise ValueError(f"{len(descriptors)} descriptors do not make {request.sets} sets")
    return [bind(descriptors[n * arrays : (n + 1) * arrays]) for n in range(request.sets)]


class NativeSession:
    """The native library, loaded before any foreign code is."""

    def __init__(self, path: str) -> None:
        self._serve = ctypes.PyDLL(path).warpcourt_serve
        self._serve.argtypes = (ctypes.c_int, ctypes.py_object, ctypes.c_uint64)
        self._serve.restype = ctypes.c_int

    @classmethod
    def of_environment(cls) -> "NativeSession":
        """Return the session of the library that the runner's command names."""
        return cls(os.environ[LIBRARY])

    def serve(self, page_descriptor: int, calls: list[Callable[[], object]], flags: int) -> None:
        """Carry out orders until one ends the session. Empties `calls`, which has one for each set.

        `flags` is the address of the flags in device memory, 0 without a GPU. Raises any error of a call. An
        error of the device ends the session too; the next call that waits for the device reports it again.
        """
        gc.collect()
        gc.disable()  # a collection during a call would count to its time
        try:
            self._serve(page_descriptor, calls, flags)
        finally:
            gc.enable()


def serve_orders(page_descriptor: int, calls: Sequence[Callable[[], object]]) -> None:
    """Carry out orders until one ends the session. `calls` has one for each set. For hosts without a GPU."""
    with mmap.mmap(page_descriptor, Page.BYTES) as page, memoryview(page) as view, view.cast("Q") as words:
        number = words[Page.DONE // 8]
        gc.collect()
        gc.disable()
        try:
            while True:
                number = _await(words, Page.ORDER, number + 1)
                kind = words[Page.KIND // 8]
                if kind != PageOrder.END:
                    _await(words, Page.GO, number)
                    calls[words[Page.SET // 8] % len(calls)]()
                    words[Page.QUEUED // 8] = number
                words[Page.DONE // 8] = number
                if kind == PageOrder.END:
                    break
        finally:
            gc.enable()


def _await(words: "memoryview[int]", field: int, least: int) -> int:
    at = field // 8
    while True:
        for _ in range(_LOOKS_PER_CHECK):
            number = words[at]
            if number >= least:
                return number
        if _host_has_gone():
            flush()
            os._exit(0)  # an exception would be attributed to the submission


def _host_has_gone() -> bool:
    poll = select.poll()
    poll.register(CHANNEL, 0)
    return bool(poll.poll(0))
