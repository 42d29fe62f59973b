"""Removes containers in the background, because the engine is slow.

By the time a container comes here nothing foreign runs in it. A container that could not be removed, because
the engine is down or we die, is found later by `sandbox.containers.orphans`.
"""

import logging
import queue
import threading

from sandbox.backend import IsolationUnavailable
from sandbox.containers.engine import Engine

_log = logging.getLogger(__name__)


class Removals:
    """A thread that removes what it is given, in order. It starts with the first."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._queue: queue.Queue[str] = queue.Queue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def put(self, container: str) -> None:
        """Have `container` killed and removed soon."""
        self._queue.put(container)
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="container-removal", daemon=True)
                self._thread.start()

    def settle(self) -> None:
        """Wait until all that was given is removed, or has been tried."""
        self._queue.join()

    def _run(self) -> None:
        while True:
            container = self._queue.get()
            try:
                self._engine.remove(container)
            except Exception as error:  # noqa: BLE001 - the boundary of a thread, which must go on
                level = logging.WARNING if isinstance(error, IsolationUnavailable) else logging.ERROR
                _log.log(level, "container_not_removed: %s: %s", container, error)
            finally:
                self._queue.task_done()
