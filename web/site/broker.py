"""How the site rings for a worker: the same Celery settings at both ends of the line.

The broker only wakes workers (see `web.jobs.queue`). Redis when one is configured, else
files in the data directory, which need no service. It has a queue for each class of hardware (see
`web.submissions.queues`), so that a ring is heard by a worker that can do something about it.
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
    """Return a Celery application that talks to the broker of `config`. Opens no connection."""
    celery = Celery("warpcourt", set_as_current=False, fixups=[])
    celery.conf.update(
        broker_url=config.broker_url or "files://localhost",
        broker_transport_options=_redis_options() if config.broker_url else _filesystem_options(config),
        broker_connection_timeout=_CONNECT_TIMEOUT_S,
        # A worker that starts before its broker waits for it.
        broker_connection_retry_on_startup=True,
        task_default_queue=broker_queue("cpu"),
        # The verdict is in the database; nobody asks the broker for it.
        task_ignore_result=True,
        # A request does not wait for a broker that is away: the sweep rings again.
        task_publish_retry=False,
        task_serializer="json",
        accept_content=["json"],
        worker_hijack_root_logger=False,
        # Nobody commands workers through the broker, so whoever reaches it can do no more than ring.
        worker_enable_remote_control=False,
    )
    return celery


def broker_queue(queue: str) -> str:
    """What the broker calls the queue `queue` of jobs: `judge.cpu`."""
    return f"{_PREFIX}{queue}"


def job_queue(name: str) -> str:
    """Return the queue of jobs that the broker calls `name`."""
    return name.removeprefix(_PREFIX)


def broker_queues(queues: Iterable[str]) -> tuple[Queue, ...]:
    """What a worker listens to that serves `queues`, each with the exchange that `send_task` rings at."""
    names = [broker_queue(queue) for queue in queues]
    return tuple(Queue(name, Exchange(name), routing_key=name) for name in names)


def _redis_options() -> dict[str, Any]:
    return {
        "socket_connect_timeout": _CONNECT_TIMEOUT_S,
        "socket_timeout": _ANSWER_S,
        # A connection that was cut without a word is noticed within twice this and a second.
        "health_check_interval": _LOOK_S,
        "socket_keepalive": True,
        "global_keyprefix": "warpcourt:",
        # After this long a ring that a worker took and did not acknowledge goes to another. Rings are
        # acknowledged when they arrive, so that befalls those alone that a dead worker had in its hands.
        # The sweep has rung for their jobs long before: shorter would only repeat rings.
        "visibility_timeout": 3600,
    }


def _filesystem_options(config: Config) -> dict[str, Any]:
    folder = config.data_dir / "doorbell"
    folder.mkdir(parents=True, exist_ok=True)
    return {"data_folder_in": str(folder), "data_folder_out": str(folder), "polling_interval": _POLL_S}
