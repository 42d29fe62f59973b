"""The Celery application with which the site wakes workers. Sites and workers use the same settings.

The broker only wakes workers (see `web.jobs.queue`). It is Redis if one is configured, else files in the data
directory, which need no service. It has a queue for each class of hardware (see `web.submissions.queues`), so
that a wake-up message reaches a worker that can run the job.
"""

from collections.abc import Iterable
from typing import Any

from celery import Celery
from kombu import Exchange, Queue
from kombu.transport import TRANSPORT_ALIASES

from web.config import Config

TASK = "judge_submission"
_PREFIX = "judge."
_POLL_S = 0.1
_CONNECT_TIMEOUT_S = 2
_ANSWER_S = 5
_LOOK_S = 3

TRANSPORT_ALIASES["files"] = "web.site.filesystem_transport:Transport"


def new_celery(config: Config) -> Celery:
    """Return a Celery application for the broker of `config`. Opens no connection."""
    celery = Celery("warpcourt", set_as_current=False, fixups=[])
    celery.conf.update(
        broker_url=config.broker_url or "files://localhost",
        broker_transport_options=_redis_options() if config.broker_url else _filesystem_options(config),
        broker_connection_timeout=_CONNECT_TIMEOUT_S,
        # A worker that starts before its broker waits for it.
        broker_connection_retry_on_startup=True,
        task_default_queue=broker_queue("cpu"),
        # The verdict is in the database, so Celery stores no results.
        task_ignore_result=True,
        # A request does not wait for a broker that is down, because the sweep sends the message again.
        task_publish_retry=False,
        task_serializer="json",
        accept_content=["json"],
        worker_hijack_root_logger=False,
        # Workers accept no commands through the broker, so clients with access to the broker can only wake
        # workers.
        worker_enable_remote_control=False,
    )
    return celery


def broker_queue(queue: str) -> str:
    """Return the broker's name of the job queue `queue`: `judge.cpu`."""
    return f"{_PREFIX}{queue}"


def job_queue(name: str) -> str:
    """Return the queue of jobs that the broker calls `name`."""
    return name.removeprefix(_PREFIX)


def broker_queues(queues: Iterable[str]) -> tuple[Queue, ...]:
    """Return the Celery queues of a worker that serves `queues`, each with the exchange of its messages."""
    names = [broker_queue(queue) for queue in queues]
    return tuple(Queue(name, Exchange(name), routing_key=name) for name in names)


def _redis_options() -> dict[str, Any]:
    return {
        "socket_connect_timeout": _CONNECT_TIMEOUT_S,
        "socket_timeout": _ANSWER_S,
        # A silently cut connection is detected within twice this time and a second.
        "health_check_interval": _LOOK_S,
        "socket_keepalive": True,
        "global_keyprefix": "warpcourt:",
        # After this time, the broker redelivers a message that a worker took and did not acknowledge. Workers
        # acknowledge on arrival, so this only affects messages that a dead worker had taken. The sweep has
        # woken workers for their jobs long before: a shorter time would only repeat messages.
        "visibility_timeout": 3600,
    }


def _filesystem_options(config: Config) -> dict[str, Any]:
    folder = config.data_dir / "messages"
    folder.mkdir(parents=True, exist_ok=True)
    return {"data_folder_in": str(folder), "data_folder_out": str(folder), "polling_interval": _POLL_S}
