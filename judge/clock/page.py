"""The referee's end of the shared page of a timed session.

Theory of operation. The page is a memfd of `sandbox.wire.Page` that the runner maps too. We store `set` and
`count`, then a new number in `go`, and spin until `done` holds that number. Aligned 64-bit loads and stores
through a ctypes array are single instructions, and x86 keeps stores in order, and loads in order (TSO), so
whoever sees the new `go` sees the `set` and `count` that came before it. On other processors this would
need a release and an acquire.

The clock is time.perf_counter_ns, which is CLOCK_MONOTONIC. One look in the loop below costs about 100 ns in
CPython, so that `done` is seen late by 50 ns on average: the null has the same delay and takes it off again,
and in a batch of 20 ms it is nothing. A helper in C would not change any figure.

Everything in the page is the runner's to write as it likes. It can only make its own answer come later or
earlier than the truth; what it says is believed by nobody before the outputs have been looked at.
"""

import contextlib
import ctypes
import fcntl
import mmap
import os
import time
from collections.abc import Callable
from typing import Self

from judge.conversation import Answer
from sandbox.wire import Page

_LOOKS = 2000  # between two questions whether the runner is still there: about 0.2 ms
_LOOK_NS = 1_000_000_000  # after which naps between looks cost no precision that matters
_NAP_S = 0.0002
_SEALS = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL
_US = 1000


class OrderUnanswered(Exception):
    """Raised when no `done` will come. `answer` says why, as for a request over the socket."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.name)
        self.answer = answer


class Orders:
    """Orders to one runner over one page: `Ordering`. Owns the mapping, not the descriptor; close it.

    `ended` is asked every fraction of a millisecond while waiting: None, or why there is no more to wait
    for (Answer.DIED when the socket has closed, BROKE_PROTOCOL when the runner answered out of turn,
    CANCELLED).
    """

    def __init__(self, descriptor: int, ended: Callable[[], Answer | None]) -> None:
        self._map = mmap.mmap(descriptor, Page.BYTES)
        self._words = (ctypes.c_uint64 * (Page.BYTES // 8)).from_buffer(self._map)
        self._ended = ended
        self._number = 0

    @property
    def premature(self) -> bool:
        """Whether `done` holds another number than that of the last order, which it has reached before."""
        return self._words[Page.DONE // 8] != self._number

    @property
    def self_reported_us(self) -> float:
        """What the runner says that its last order took. Never believed."""
        return self._words[Page.SELF_REPORTED_NS // 8] / _US

    def give(self, *, first_set: int, count: int) -> int:
        """Order `count` calls from set number `first_set` on. Returns when, in nanoseconds."""
        words = self._words
        words[Page.SET // 8] = first_set
        words[Page.COUNT // 8] = count
        self._number += 1
        now = time.perf_counter_ns()
        words[Page.GO // 8] = self._number
        return now

    def wait(self, *, timeout_s: float) -> int:
        """Spin until the last order is said to be done. Returns when, in nanoseconds.

        Raises:
            OrderUnanswered: it took longer than `timeout_s`, the runner has ended, or an order that nobody
                has given is said to be done.
        """
        words, at, number = self._words, Page.DONE // 8, self._number
        started = time.perf_counter_ns()
        deadline = started + int(timeout_s * 1e9)
        while True:
            for _ in range(_LOOKS):
                if words[at] == number:
                    return time.perf_counter_ns()
            if words[at] > number:
                raise OrderUnanswered(Answer.BROKE_PROTOCOL)
            now = time.perf_counter_ns()
            if ended := self._ended():
                raise OrderUnanswered(ended)
            if now > deadline:
                raise OrderUnanswered(Answer.TIMED_OUT)
            if now - started > _LOOK_NS:
                time.sleep(_NAP_S)

    def now(self) -> int:
        """The time of the clock that times the orders, in nanoseconds."""
        return time.perf_counter_ns()

    def pause(self, us: float) -> None:
        """Spin for `us`."""
        until = time.perf_counter_ns() + int(us * _US)
        while time.perf_counter_ns() < until:
            pass

    def end(self) -> None:
        """End the session. The runner answers on the socket."""
        self.give(first_set=0, count=0)

    def close(self) -> None:
        """Release the mapping."""
        self._words = (ctypes.c_uint64 * 0)()
        with contextlib.suppress(BufferError):  # a traceback may still hold the words; they go with it
            self._map.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def create_page() -> int:
    """A descriptor of a fresh page, for one session. The caller closes it.

    Its size is sealed: a runner that could shrink the file would end us with SIGBUS.
    """
    descriptor = os.memfd_create("warpcourt-page", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.ftruncate(descriptor, Page.BYTES)
    fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, _SEALS)
    return descriptor
