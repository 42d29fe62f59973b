"""Removes containers in the background, because the engine is slow.

No foreign code runs in these containers any more. If a container could not be removed, because the engine is
down or this process dies, `sandbox.containers.orphans` finds it later.
"""

import logging
import queue
import threading

from sandbox.backend import IsolationUnavailable
from sandbox.containers.engine import Engine

_log = logging.getLogger(__name__)


class Removals:
    """A thread that removes containers in order. It starts with the first container."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._queue: queue.Queue[str] = queue.Queue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def put(self, container: str) -> None:
        """Queue `container` to be killed and removed."""
        self._queue.put(container)
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="container-removal", daemon=True)
                self._thread.start()

    def settle(self) -> None:
        """Wait until the removal of all queued containers has been tried."""
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
