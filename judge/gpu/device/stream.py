"""The referee's stream, with a limit for waiting.

In a timed session, the program has the GPU alone. It may leave a kernel on the GPU that fills all slots and
never ends, at any moment. Work of the referee then waits for a slot until the sandbox has ended.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager

import cupy

from judge.clock.page import OrderUnanswered
from judge.runner.client import ReplyStatus

_NAP_S = 0.0002
_SPIN_S = 0.005  # work of the referee usually takes less


class RefereeStream(cupy.cuda.Stream):  # type: ignore[misc]
    """A stream that does not wait for the default stream. Not thread-safe."""

    def __init__(self) -> None:
        super().__init__(non_blocking=True)
        self._patience_s: float | None = None

    @contextmanager
    def patience(self, seconds: float) -> Iterator[None]:
        """Limit each wait in the `with` block to `seconds`."""
        self._patience_s = seconds
        try:
            yield
        finally:
            self._patience_s = None

    def synchronize(self) -> None:
        """Wait until all work in the stream is done.

        Raises:
            OrderUnanswered: the work takes longer than the patience.
        """
        if self._patience_s is None:
            super().synchronize()
            return
        started = time.monotonic()
        while not self.done:
            waited_s = time.monotonic() - started
            if waited_s > self._patience_s:
                raise OrderUnanswered(ReplyStatus.TIMED_OUT)
            if waited_s > _SPIN_S:
                time.sleep(_NAP_S)
