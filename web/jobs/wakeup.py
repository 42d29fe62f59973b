"""Wakes workers. A message that is lost costs latency only: the next sweep sends another."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import structlog
from celery import Celery
from django.conf import settings
from kombu.exceptions import KombuError, OperationalError

from web.jobs.models import CPU, is_personal
from web.site import metrics, tracing
from web.site.broker import TASK, broker_queue, new_celery

log = structlog.get_logger(__name__)

# For one queue; a worker that finishes a job takes the next one, so a few messages at a time are enough.
MOST_MESSAGES = 16
QUIET_S = 5.0


def wake(queue: str = CPU) -> bool:
    """Wake a worker that serves `queue`. Return False without a broker: the job waits in the database.

    A message for a queue without workers stays with the broker until a worker serves the queue. Nothing is
    sent for queues of personal nodes, because these poll.
    """
    if is_personal(queue):
        return False
    sent = _line.send(queue)
    metrics.WAKEUPS.labels(outcome="sent" if sent else "lost").inc()
    return sent


def wake_for(waiting: Mapping[str, int]) -> int:
    """Wake workers for the jobs that wait in each queue, minus the messages that the broker still holds.

    Return how many messages were sent. Stops at the first message that fails, so that it waits for a dead
    broker only once.
    """
    sent = 0
    for queue, jobs in waiting.items():
        if is_personal(queue):
            continue
        held = undelivered(queue) if jobs else 0
        if held is None:
            return sent
        for _ in range(min(jobs, MOST_MESSAGES) - held):
            if not wake(queue):
                return sent
            sent += 1
    return sent


def undelivered(queue: str) -> int | None:
    """Return how many messages for `queue` the broker still holds; None when it does not answer."""
    return _line.undelivered(queue)


class _Line:
    """The connection to the broker.

    If the broker is down, sending blocks for two seconds. Users who submit programs should not wait that
    long. So after a failure, nothing is sent for QUIET_S, unless a sweep reaches the broker again.
    """

    def __init__(self) -> None:
        self._quiet_until = 0.0

    @cached_property
    def _celery(self) -> Celery:
        return new_celery(settings.WARPCOURT)

    def send(self, queue: str) -> bool:
        if time.monotonic() < self._quiet_until:
            return False
        with self._noting_failure(), tracing.span("send wake-up", role=tracing.SpanRole.PRODUCER):
            self._celery.send_task(TASK, queue=broker_queue(queue), headers=tracing.carrier())
            return True
        return False

    def undelivered(self, queue: str) -> int | None:
        with self._noting_failure(), self._celery.connection_for_write() as connection:
            connection.connect()
            channel: Any = connection.channel()
            held = int(channel.queue_declare(broker_queue(queue)).message_count)
            self._quiet_until = 0.0
            return held
        return None

    @contextmanager
    def _noting_failure(self) -> Iterator[None]:
        try:
            yield
        except (OperationalError, KombuError, OSError) as error:
            self._quiet_until = time.monotonic() + QUIET_S
            log.warning("broker_unreachable", error=str(error))


_line = _Line()
