"""Rings for a worker. A ring that is lost costs latency only: the next sweep rings again."""

from functools import lru_cache

import structlog
from celery import Celery
from django.conf import settings
from kombu.exceptions import KombuError, OperationalError

from web.broker import TASK, new_celery

log = structlog.get_logger(__name__)


def ring(*, expires_s: float | None = None) -> None:
    """Wake a worker. Never fails: without a broker the job waits in the database."""
    try:
        _line().send_task(TASK, expires=expires_s)
    except (OperationalError, KombuError, OSError) as error:
        log.warning("doorbell_unreachable", error=str(error))


@lru_cache(maxsize=1)
def _line() -> Celery:
    return new_celery(settings.WARPCOURT)
