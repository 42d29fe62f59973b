"""Celery's consumer with a constant interval between attempts to reconnect to a lost broker."""

from functools import partial
from typing import Any

from celery.worker.consumer import Consumer as CeleryConsumer

AGAIN_S = 2


class Consumer(CeleryConsumer):
    """Reconnects at a constant interval.

    Celery's own pause grows to half a minute, and jobs would wait for it.
    """

    def ensure_connected(self, conn: Any) -> Any:
        """Connect to the broker. Retry every AGAIN_S until it answers or the worker stops."""
        conn.ensure_connection = partial(
            conn.ensure_connection, interval_start=AGAIN_S, interval_step=0, interval_max=AGAIN_S
        )
        return super().ensure_connected(conn)
