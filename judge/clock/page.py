"""The referee's end of the shared page of a timed session.

Theory of operation. The page is a memfd with the layout `sandbox.wire.Page`, and the runner maps it too. The
referee stores `set` and `kind`, then a new number in `order`, and later polls `queued` and `done`. Aligned
64-bit loads and stores through a ctypes array are single instructions. x86 keeps stores in order, and loads
in order (TSO), so a reader that sees the new `order` also sees the `set` and `kind` stored before it. Other
processors would need a release and an acquire.

This module measures no times; on a GPU, `judge.gpu.device.gate` measures them on the device. The runner can
write anything into the page. It can only make the referee wait, or read outputs that are not finished.
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

_LOOKS = 2000  # polls between two checks that the runner is still alive: about 0.2 ms
_LOOK_NS = 1_000_000_000  # after this time, sleep between polls
_NAP_S = 0.0002
_SEALS = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL
_US = 1000


class OrderUnanswered(Exception):
    """Raised when the runner will not finish a call. `answer` says why, as for a request over the socket."""

    def __init__(self, answer: ReplyStatus) -> None:
        super().__init__(answer.name)
        self.answer = answer


class ClockOrders:
    """Sends orders to one runner over one page. Implements `Ordering`. Owns the mapping, not the descriptor.

    Callers must call `close`. While waiting, a method calls `ended` every fraction of a millisecond. It
    returns None, or why waiting is useless: DIED if the socket was closed, BROKE_PROTOCOL if the runner
    answered out of turn, or CANCELLED.
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
        """Order one call with this argument set, queued ahead or called after `open`. Returns its number."""
        return self._give(argument_set, PageOrder.QUEUED if queued else PageOrder.CALLED)

    def open(self) -> None:
        """Tell the runner that it may start a call that is not queued."""
        self._words[Page.GO // 8] = self._number

    def await_queued(self, *, timeout_s: float) -> bool:
        """Wait until the last order is queued. Returns False if it is not queued within `timeout_s`.

        Raises:
            OrderUnanswered: the runner has ended.
        """
        return self._await(Page.QUEUED, timeout_s)

    def await_done(self, *, timeout_s: float) -> None:
        """Wait until the runner reports that its device has finished the call.

        Raises:
            OrderUnanswered: the call took longer than `timeout_s`, or the runner has ended.
        """
        if not self._await(Page.DONE, timeout_s):
            raise OrderUnanswered(ReplyStatus.TIMED_OUT)

    def require_alive(self) -> None:
        """Raise OrderUnanswered if the runner has ended."""
        if ended := self._ended():
            raise OrderUnanswered(ended)

    def now(self) -> int:
        """Return the current time of the clock that times the orders, in nanoseconds."""
        return time.perf_counter_ns()

    def pause(self, us: float) -> None:
        """Spin for `us` microseconds."""
        until = time.perf_counter_ns() + int(us * _US)
        while time.perf_counter_ns() < until:
            pass

    def end(self) -> None:
        """Order the runner to end the session. It answers on the socket."""
        self._give(0, PageOrder.END)

    def close(self) -> None:
        """Release the mapping of the page."""
        self._words = (ctypes.c_uint64 * 0)()
        with contextlib.suppress(BufferError):  # a traceback that still holds the words frees them later
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
    """Return the descriptor of a new page, for one session. The caller closes it.

    Its size is sealed. If the runner could shrink the file, the referee would be killed by SIGBUS.
    """
    descriptor = os.memfd_create("warpcourt-page", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.ftruncate(descriptor, Page.BYTES)
    fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, _SEALS)
    return descriptor
