"""A timed session: orders over a shared page, because a socket takes longer than many kernels.

Theory of operation. See `sandbox.wire`. The referee writes `set` and `count` and then `go`; we see the new
`go`, make the calls, wait for the device and store `done`. Between orders we spin, and now and then look
whether the referee is still there. A memoryview reads and writes 64 bits at once, and x86 keeps both
loads and stores in order. What we write here is believed by nobody: the clock is the referee's, and
so is the look at the outputs.
"""

import gc
import mmap
import select
import sys
from collections.abc import Callable, Sequence
from typing import TypeVar

from sandbox.runner.session import CHANNEL
from sandbox.wire import Page, Request

_LOOKS_PER_CHECK = 1 << 16  # some milliseconds
_Arguments = TypeVar("_Arguments")


def bind_sets(
    request: Request, descriptors: Sequence[int], bind: Callable[[Sequence[int]], _Arguments]
) -> list[_Arguments]:
    """The argument sets of TIME, each `bind` of its descriptors. Raises ValueError for what is no TIME."""
    arrays, rest = divmod(len(descriptors) - 1, request.sets) if request.sets else (0, 1)
    if rest or not descriptors:
        raise ValueError(f"{len(descriptors)} descriptors are no page and {request.sets} sets")
    return [bind(descriptors[1 + n * arrays : 1 + (n + 1) * arrays]) for n in range(request.sets)]


def serve_orders(
    page_descriptor: int,
    calls: Sequence[Callable[[], object]],
    *,
    begin: Callable[[], None] = lambda: None,
    finish: Callable[[], int] = lambda: 0,
) -> None:
    """Carry out orders until one asks for no calls. `calls` has one for each set.

    `begin` comes before the calls of an order, `finish` after them: it waits for the device and returns what
    the runner's own events say, in nanoseconds.
    """
    with mmap.mmap(page_descriptor, Page.BYTES) as page, memoryview(page) as view, view.cast("Q") as words:
        number = words[Page.DONE // 8]
        gc.collect()
        gc.disable()  # a collection in the middle of a batch would be timed with it
        try:
            while True:
                number = _await_order(words, number)
                count = words[Page.COUNT // 8]
                if not count:
                    break
                first = words[Page.SET // 8] % len(calls)
                begin()
                if count == 1:
                    calls[first]()
                else:
                    for step in range(first, first + count):
                        calls[step % len(calls)]()
                words[Page.SELF_REPORTED_NS // 8] = finish()
                words[Page.DONE // 8] = number
            words[Page.DONE // 8] = number
        finally:
            gc.enable()


def _await_order(words: "memoryview[int]", last: int) -> int:
    at = Page.GO // 8
    while True:
        for _ in range(_LOOKS_PER_CHECK):
            number = words[at]
            if number != last:
                return number
        if _host_has_gone():
            sys.exit(0)


def _host_has_gone() -> bool:
    poll = select.poll()
    poll.register(CHANNEL, 0)
    return bool(poll.poll(0))
