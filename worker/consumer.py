"""Celery's consumer, which looks for a lost broker every few seconds however long it is gone."""

from functools import partial
from typing import Any

from celery.worker.consumer import Consumer as CeleryConsumer

AGAIN_S = 2


class Consumer(CeleryConsumer):
    """Celery's own waits longer after each failure, up to half a minute, and jobs would wait with it."""

    def ensure_connected(self, conn: Any) -> Any:
        """Connect to the broker, and try again every AGAIN_S until it is there or the worker stops."""
        conn.ensure_connection = partial(
            conn.ensure_connection, interval_start=AGAIN_S, interval_step=0, interval_max=AGAIN_S
        )
        return super().ensure_connected(conn)
