"""Rings for a worker. A ring that is lost costs latency only: the next sweep rings again."""

from functools import lru_cache

import structlog
from celery import Celery
from django.conf import settings
from kombu.exceptions import KombuError, OperationalError

from web.broker import TASK, broker_queue, new_celery
from web.submissions.queues import CPU

log = structlog.get_logger(__name__)


def ring(queue: str = CPU, *, expires_s: float | None = None) -> None:
    """Wake a worker that serves `queue`. Never fails: without a broker the job waits in the database.

    A ring for a queue that nobody serves stays with the broker until somebody does.
    """
    try:
        _line().send_task(TASK, queue=broker_queue(queue), expires=expires_s)
    except (OperationalError, KombuError, OSError) as error:
        log.warning("doorbell_unreachable", error=str(error))


@lru_cache(maxsize=1)
def _line() -> Celery:
    return new_celery(settings.WARPCOURT)
