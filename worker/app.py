"""The Celery application of the worker: `celery -A worker.app worker`.

Theory of operation. One worker has a main process, which listens for rings and sweeps, and
`worker_concurrency` children, which judge one submission each at a time. A child opens its judging
target when it starts and keeps it. Rings are acknowledged on arrival and one at a time is prefetched:
nothing depends on a ring, since the sweeper of any worker rings again for what waits.

The sweeper is a thread of the main process instead of Celery beat: the embedded installation then
needs no third process and no schedule file, a worker that is alive always sweeps, and several
sweepers at a time do no harm. The main process forks children while that thread exists, so forks wait
until a sweep is over (see `worker.sweeper`).

A child that hangs is killed at the hard time limit. The lease is extended only until then (see
`worker.heartbeat`), so its job is always free for another.
"""

import warnings
from typing import Any

import django
from celery.signals import (
    setup_logging,
    worker_process_init,
    worker_process_shutdown,
    worker_ready,
    worker_shutdown,
    worker_shutting_down,
)
from django.conf import settings
from django.db import connections

from web.broker import TASK, new_celery
from web.config import use_settings

use_settings()
django.setup()

from worker.bench import bench  # noqa: E402 - needs Django's settings
from worker.judging import judge_next  # noqa: E402 - as above
from worker.presence import Presence, open_presence  # noqa: E402 - as above
from worker.sweeper import Sweeper  # noqa: E402 - as above

KILL_GRACE_S = 10
# The first child on a fresh machine compiles the functional engine; Celery would kill it after 4 s.
START_S = 600

# Celery warns of root because of pickled messages; ours carry nothing, and are JSON.
warnings.filterwarnings("ignore", message="You're running the worker with superuser privileges")

# A connection pool has threads and sockets, and neither survives the fork of a child.
settings.DATABASES["default"].get("OPTIONS", {}).pop("pool", None)

celery = new_celery(settings.WARPCOURT)
celery.conf.update(
    worker_concurrency=settings.WARPCOURT.worker_concurrency,
    worker_prefetch_multiplier=1,
    worker_proc_alive_timeout=START_S,
    task_soft_time_limit=settings.WARPCOURT.job_limit_s,
    task_time_limit=settings.WARPCOURT.job_limit_s + KILL_GRACE_S,
)
_sweeper = Sweeper(settings.WARPCOURT.sweep_s)
_presences: list[Presence] = []


@celery.task(name=TASK)
def judge_submission() -> None:
    """Judge the most urgent submission that waits, if any."""
    judge_next()


@setup_logging.connect
def _keep_our_logging(**_: Any) -> None:
    """Connected, so that Celery leaves the logging of the settings alone."""


@worker_process_init.connect
def _open(**_: Any) -> None:
    connections.close_all()
    bench.judge()


@worker_process_shutdown.connect
def _close(**_: Any) -> None:
    bench.close()


@worker_ready.connect
def _start_sweeping(**_: Any) -> None:
    _sweeper.start()


@worker_shutting_down.connect
def _stop_sweeping(**_: Any) -> None:
    _sweeper.stop()


@worker_ready.connect
def _appear(sender: Any, **_: Any) -> None:
    presence = open_presence(sender, settings.WARPCOURT)
    _presences.append(presence)
    presence.start()


@worker_shutting_down.connect
def _leave(**_: Any) -> None:
    for presence in _presences:
        presence.leave()


@worker_shutdown.connect
def _disappear(**_: Any) -> None:
    for presence in _presences:
        presence.stop()
