"""The Celery application of the worker: `celery -A worker.app worker`.

Theory of operation. One worker has a main process, which receives wake-up messages and sweeps, and
`worker_concurrency` children, which judge one submission each at a time. A child opens its judging target
when it starts and keeps it. No job depends on a message, since the sweeper of any worker sends another one
for waiting jobs. The settings below follow from that (docs/adr/0011).

The sweeper is a thread of the main process instead of Celery beat: the embedded installation then needs no
third process and no schedule file, a live worker always sweeps, and several sweepers at a time do no harm.
The main process forks children while that thread exists, so forks wait until a sweep is over (see
`worker.sweeper`).

The main process kills a child that hangs in one call of the interpreter, and ends its job
(`worker.watchdog`). A child that hangs in another way is asked to end at the job's limit, and killed before
its lease ends. The lease is extended only until that limit (see `worker.heartbeat`), so another worker can
always take the job. `worker.shutdown` describes how a worker stops.
"""

import os
import warnings
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import django
from billiard.process import current_process
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

from web.config import Config, use_settings
from web.observability import prometheus_multiproc
from web.setting import ConfigError
from web.site import tracing
from web.site.broker import TASK, broker_queues, new_celery

use_settings()
try:
    _config = Config.from_env()
except ConfigError as error:
    raise SystemExit(str(error)) from None  # celery prints it without a traceback
# Before any metric is used. Without a port, metrics cannot be read.
if _config.metrics_port:
    prometheus_multiproc.join(f"worker-{os.getpid()}")
django.setup()

from web.submissions.queues import served_by  # noqa: E402 - needs Django's settings
from worker.hardware import NoHardware, gpu_models  # noqa: E402 - as above
from worker.judge_handle import judge_handle  # noqa: E402 - as above
from worker.judging import judge_next  # noqa: E402 - as above
from worker.pod_cost import PodApi, PodCost  # noqa: E402 - as above
from worker.presence import Presence, open_presence  # noqa: E402 - as above
from worker.probes import Probes  # noqa: E402 - as above
from worker.pulse import pulse  # noqa: E402 - as above
from worker.shared_status import shared_status  # noqa: E402 - as above
from worker.shutdown import shutdown  # noqa: E402 - as above
from worker.sweeper import Sweeper  # noqa: E402 - as above
from worker.watchdog import Watchdog, silent_s  # noqa: E402 - as above

# From the limit of a job to the end of its child. This is less than a lease, which is not extended past the
# limit. So a hung child is dead before another worker takes its job.
KILL_GRACE_S = min(10.0, settings.WARPCOURT.lease_s / 2)
# The first child on a new machine compiles the functional engine; Celery would kill it after 4 s.
START_S = 600

# Celery warns about root because of pickled messages; these messages are empty JSON.
warnings.filterwarnings("ignore", message="You're running the worker with superuser privileges")

# A connection pool has threads and sockets, which do not survive the fork of a child.
settings.DATABASES["default"].get("OPTIONS", {}).pop("pool", None)

try:
    _queues = served_by(gpu_models(settings.WARPCOURT))
except NoHardware as error:
    raise SystemExit(str(error)) from error

celery = new_celery(settings.WARPCOURT)
celery.conf.update(
    task_queues=broker_queues(_queues),
    worker_concurrency=settings.WARPCOURT.worker_concurrency,
    # Acknowledged on arrival, because a wake-up message contains no work that could be lost. With late
    # acknowledgement, the broker would have a second record of the jobs, and would withhold messages from
    # other workers while a submission is judged.
    task_acks_late=False,
    # Take no message while all children are busy: another worker may be idle. Celery supports this with
    # Redis. With the file broker, which has only one worker, Celery prefetches one message for each child.
    worker_prefetch_multiplier=1,
    worker_disable_prefetch=bool(settings.WARPCOURT.broker_url),
    worker_consumer="worker.consumer:Consumer",
    worker_proc_alive_timeout=START_S,
    # The first limit returns the job to the queue, the second kills the child; see KILL_GRACE_S.
    task_soft_time_limit=settings.WARPCOURT.job_limit_s,
    task_time_limit=settings.WARPCOURT.job_limit_s + KILL_GRACE_S,
    # If the broker is lost, running judgements continue, and the worker reconnects until the broker is back.
    worker_cancel_long_running_tasks_on_connection_loss=False,
    broker_connection_retry=True,
    broker_connection_max_retries=None,
)
_sweeper = Sweeper(settings.WARPCOURT.sweep_s)
_watchdog = Watchdog(pulse, silent_s())
_presences: list[Presence] = []


def _trouble() -> str:
    return "this worker is stopping" if shutdown.asked else shared_status.read() or _sweeper.trouble


_probes = Probes(
    settings.WARPCOURT.metrics_host,
    settings.WARPCOURT.metrics_port,
    token=settings.WARPCOURT.metrics_token,
    folder=prometheus_multiproc.joined(),
    trouble=_trouble,
)


@celery.task(name=TASK, bind=True)
def judge_submission(self: Any) -> None:
    """Judge the most urgent waiting submission, if any."""
    sender = (self.request.headers or {}).get("traceparent", "")
    role = tracing.SpanRole.CONSUMER
    with tracing.span("receive wake-up", role=role, parent=sender) if sender else nullcontext():
        judge_next()


@setup_logging.connect
def _keep_our_logging(**_: Any) -> None:
    """Do nothing. A handler of this signal makes Celery keep the logging of the settings."""


@worker_process_init.connect
def _open(**_: Any) -> None:
    connections.close_all()
    # The child's index in the pool: no other living child has the same.
    pulse.start(getattr(current_process(), "index", 0), every_s=silent_s() / 16)
    tracing.start("warpcourt-worker", settings.WARPCOURT.otlp_url)
    judge_handle.judge()


@worker_process_shutdown.connect
def _close(**_: Any) -> None:
    judge_handle.close()
    tracing.stop()


@worker_ready.connect
def _start_sweeping(**_: Any) -> None:
    _sweeper.start()


@worker_ready.connect
def _watch_children(**_: Any) -> None:
    _watchdog.start()


@worker_shutting_down.connect
def _stop_judging(how: str, **_: Any) -> None:
    shutdown.ask(grace_s=settings.WARPCOURT.stop_grace_s if how == "Warm" else 0)


@worker_shutting_down.connect
def _stop_sweeping(**_: Any) -> None:
    _sweeper.stop()


@worker_ready.connect
def _answer_probes(**_: Any) -> None:
    _probes.start()


@worker_ready.connect
def _tell_kubernetes(**_: Any) -> None:
    if folder := settings.WARPCOURT.pod_account_dir:
        PodCost(PodApi.of_this_pod(Path(folder)).write).start()


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
