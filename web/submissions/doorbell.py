"""Rings for a worker. A ring that is lost costs latency only: the next sweep rings again."""

from collections.abc import Mapping
from functools import lru_cache

import structlog
from celery import Celery
from django.conf import settings
from kombu.exceptions import KombuError, OperationalError

from web import metrics
from web.broker import TASK, broker_queue, new_celery
from web.observability import tracing
from web.submissions.models import CPU

log = structlog.get_logger(__name__)

MOST_RINGS = 16  # for one queue: who hears one and is done looks no further, so some at a time are enough
_UNREACHABLE = (OperationalError, KombuError, OSError)


def ring(queue: str = CPU) -> bool:
    """Wake a worker that serves `queue`. False without a broker: the job waits in the database.

    A ring for a queue that nobody serves stays with the broker until somebody does.
    """
    try:
        with tracing.span("ring", role=tracing.Role.PRODUCER):
            _line().send_task(TASK, queue=broker_queue(queue), headers=tracing.carrier())
    except _UNREACHABLE as error:
        metrics.RINGS.labels(outcome="lost").inc()
        log.warning("doorbell_unreachable", error=str(error))
        return False
    metrics.RINGS.labels(outcome="sent").inc()
    return True


def ring_for(waiting: Mapping[str, int]) -> int:
    """Ring for what waits in each queue, less the rings that nobody has heard yet.

    Returns how many were sent. Ends with the first that is not, so that a broker which does not answer is
    waited for once.
    """
    sent = 0
    for queue, jobs in waiting.items():
        held = unheard(queue) if jobs else 0
        if held is None:
            return sent
        for _ in range(min(jobs, MOST_RINGS) - held):
            if not ring(queue):
                return sent
            sent += 1
    return sent


def unheard(queue: str) -> int | None:
    """How many rings for `queue` the broker still holds; None when it does not answer."""
    try:
        with _line().connection_for_write() as connection:
            connection.connect()
            with connection.channel() as channel:
                return int(channel.queue_declare(broker_queue(queue)).message_count)
    except _UNREACHABLE as error:
        log.warning("doorbell_unreachable", error=str(error))
        return None


@lru_cache(maxsize=1)
def _line() -> Celery:
    return new_celery(settings.WARPCOURT)
