"""The referee's end of the shared page of a timed session.

Theory of operation. The page is a memfd of `sandbox.wire.Page` that the runner maps too. We store `set` and
`kind`, then a new number in `order`, and later look at `queued` and `done`. Aligned 64-bit loads and stores
through a ctypes array are single instructions, and x86 keeps stores in order, and loads in order (TSO), so
a reader that sees the new `order` also sees the `set` and `kind` stored before it. On other processors this
would need a release and an acquire.

No time is taken here: on a GPU that happens on the device (`judge.gpu.device.gate`). Everything in the page
is the runner's to write as it likes. It can only make us wait, or look at outputs that are not there.
"""

import contextlib
import ctypes
import fcntl
import mmap
import os
import time
from collections.abc import Callable
from typing import Self

from judge.runner.client import ReplyStatus
from sandbox.wire import Page, PageOrder

_LOOKS = 2000  # between two questions whether the runner is still there: about 0.2 ms
_LOOK_NS = 1_000_000_000  # after which we take naps between looks
_NAP_S = 0.0002
_SEALS = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL
_US = 1000


class OrderUnanswered(Exception):
    """Raised when a call will not be done. `answer` says why, as for a request over the socket."""

    def __init__(self, answer: ReplyStatus) -> None:
        super().__init__(answer.name)
        self.answer = answer


class ClockOrders:
    """Orders to one runner over one page: `Ordering`. Owns the mapping, not the descriptor; close it.

    `ended` is asked every fraction of a millisecond while waiting: None, or why there is no more to wait
    for (Answer.DIED when the socket has closed, BROKE_PROTOCOL when the runner answered out of turn,
    CANCELLED).
    """

    def __init__(self, descriptor: int, ended: Callable[[], ReplyStatus | None]) -> None:
        self._map = mmap.mmap(descriptor, Page.BYTES)
        self._words = (ctypes.c_uint64 * (Page.BYTES // 8)).from_buffer(self._map)
        self._ended = ended
        self._number = 0

    @property
    def number(self) -> int:
        """The number of the last order."""
        return self._number

    def give(self, *, argument_set: int, queued: bool) -> int:
        """Order one call with that argument set: queued ahead, or called when `open` says so."""
        return self._give(argument_set, PageOrder.QUEUED if queued else PageOrder.CALLED)

    def open(self) -> None:
        """Tell the runner that a call which is not queued may begin."""
        self._words[Page.GO // 8] = self._number

    def await_queued(self, *, timeout_s: float) -> bool:
        """Wait until the last order is queued. False when it is not within `timeout_s`.

        Raises:
            OrderUnanswered: the runner has ended.
        """
        return self._await(Page.QUEUED, timeout_s)

    def await_done(self, *, timeout_s: float) -> None:
        """Wait until the runner has waited for its device.

        Raises:
            OrderUnanswered: it took longer than `timeout_s`, or the runner has ended.
        """
        if not self._await(Page.DONE, timeout_s):
            raise OrderUnanswered(ReplyStatus.TIMED_OUT)

    def require_alive(self) -> None:
        """Raise OrderUnanswered if the runner has ended."""
        if ended := self._ended():
            raise OrderUnanswered(ended)

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
        self._give(0, PageOrder.END)

    def close(self) -> None:
        """Release the mapping."""
        self._words = (ctypes.c_uint64 * 0)()
        with contextlib.suppress(BufferError):  # a traceback may still hold the words; they go with it
            self._map.close()

    def _give(self, argument_set: int, kind: PageOrder) -> int:
        words = self._words
        words[Page.SET // 8] = argument_set
        words[Page.KIND // 8] = kind
        self._number += 1
        words[Page.ORDER // 8] = self._number
        return self._number

    def _await(self, field: int, timeout_s: float) -> bool:
        words, at, number = self._words, field // 8, self._number
        started = time.perf_counter_ns()
        deadline = started + int(timeout_s * 1e9)
        while True:
            for _ in range(_LOOKS):
                if words[at] >= number:
                    return True
            self.require_alive()
            now = time.perf_counter_ns()
            if now > deadline:
                return False
            if now - started > _LOOK_NS:
                time.sleep(_NAP_S)

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
