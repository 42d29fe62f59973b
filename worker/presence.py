"""The thread that reports the worker to the fleet and executes staff's orders about its node.

Theory of operation. It runs in the worker's main process, like the sweeper. Every few seconds it reports that
the worker is alive, how many of its children judge, and which queues it serves. The answer says whether its
node is drained. Then the worker stops listening, so that it takes no wake-up message from another worker, and
listens again afterwards. A message that arrives in between does nothing, since `worker.judging` checks before
every claim. Running judgements continue. On SIGTERM the worker reports that it drains, and at its end that it
has stopped. If it is killed, its report grows old and the page shows it as lost.

The thread asks the consumer's own loop to change its queues, as a consumer is not safe to share between
threads.
"""

import os
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from threading import Event, Lock, Thread
from typing import Any, Protocol

import structlog
from celery.worker import state as celery_state
from django.db import Error as DatabaseTrouble
from django.db import connections

from sandbox.gpu.health import Quarantine
from web.config import Config
from web.fleet.models import Duty
from web.fleet.presence import Orders, WorkerReport, orders_for, record_worker
from web.site import metrics
from web.site.broker import job_queue
from web.site.judging import node_settings
from web.site.version import version
from worker.node.holds import obey
from worker.node.inventory import node_name, process_name
from worker.shared_status import shared_status

log = structlog.get_logger(__name__)

INTERVAL_S = 3.0
_GOODBYE_S = 3.0

# A child forked in the middle of a report would inherit a database connection in use.
_reporting = Lock()
os.register_at_fork(
    before=_reporting.acquire, after_in_parent=_reporting.release, after_in_child=_reporting.release
)


class QueueListener(Protocol):
    """The consumer of a worker's wake-up messages."""

    def listen(self, *, on: bool) -> None:
        """Start or stop listening, soon."""


class ConsumerQueueListener:
    """The queues of a Celery consumer that is ready."""

    def __init__(self, consumer: Any) -> None:
        self._consumer = consumer
        self.queues = tuple(sorted(consumer.app.amqp.queues.consume_from))

    def listen(self, *, on: bool) -> None:
        """Start or stop listening in the next iteration of the consumer's loop."""
        change = self._consumer.add_task_queue if on else self._consumer.cancel_task_queue
        for queue in self.queues:
            self._consumer.call_soon(change, queue)


@dataclass(frozen=True, slots=True)
class WorkerIdentity:
    """The constant facts about a running worker. `name` is for display, `instance` identifies this run."""

    node: str
    name: str
    instance: str
    queues: tuple[str, ...]
    concurrency: int

    @classmethod
    def of_this_process(cls, queues: Iterable[str], concurrency: int) -> "WorkerIdentity":
        """Return the identity of this process, with the hardware classes that its Celery queues are for."""
        return cls(
            node=node_name(),
            name=process_name(),
            instance=uuid.uuid4().hex,
            queues=tuple(sorted({job_queue(queue) for queue in queues})),
            concurrency=concurrency,
        )


class Presence:
    """Reports from `start` to `stop`. `quarantine` has this host's GPUs, None if it judges on CPUs."""

    def __init__(
        self,
        identity: WorkerIdentity,
        listener: QueueListener,
        *,
        quarantine: Quarantine | None = None,
        busy: Callable[[], int] = lambda: len(celery_state.active_requests),
        interval_s: float = INTERVAL_S,
    ) -> None:
        self._identity = identity
        self._listener = listener
        self._quarantine = quarantine
        self._busy = busy
        self._interval_s = interval_s
        self._listening = True
        self._leaving = False
        self._wake = Event()
        self._stop = Event()
        self._thread = Thread(target=self._run, name="presence", daemon=True)

    def start(self) -> None:
        """Report at once, and then regularly."""
        self._thread.start()

    def leave(self) -> None:
        """Report that this worker takes no more jobs. Returns at once; safe in a signal handler."""
        self._leaving = True
        self._wake.set()

    def stop(self) -> None:
        """Report that this worker has stopped. Gives up soon if the database does not answer."""
        self._stop.set()
        self._wake.set()
        self._thread.join(_GOODBYE_S)

    def _run(self) -> None:
        while not self._stop.is_set():
            self._report(Duty.DRAINING if self._leaving or not self._listening else Duty.SERVING)
            self._wake.wait(self._interval_s)
            self._wake.clear()
        self._report(Duty.STOPPED)

    def _report(self, state: Duty) -> None:
        with _reporting:
            try:
                record_worker(self._now(state))
                orders = orders_for(self._identity.node)
            except DatabaseTrouble as error:
                metrics.HEARTBEATS_FAILED.inc()
                log.warning("presence_not_recorded", error=str(error))
                return
            finally:
                connections.close_all()
        if state is not Duty.STOPPED:
            self._obey(orders)

    def _now(self, state: Duty) -> WorkerReport:
        return WorkerReport(
            node=self._identity.node,
            name=self._identity.name,
            instance=self._identity.instance,
            queues=self._identity.queues,
            concurrency=self._identity.concurrency,
            version=version(),
            busy=0 if state is Duty.STOPPED else self._busy(),
            state=state,
            message=shared_status.read(),
        )

    def _obey(self, orders: Orders) -> None:
        if self._quarantine is not None:
            obey(self._quarantine, orders.held)
        if self._listening == orders.drained and not self._leaving:
            self._listening = not orders.drained
            self._listener.listen(on=self._listening)
            log.warning("node_drained" if orders.drained else "node_resumed", node=self._identity.node)
            self._wake.set()  # report this at once


def open_presence(consumer: Any, config: Config) -> Presence:
    """Return the presence of the worker whose Celery consumer is ready."""
    listener = ConsumerQueueListener(consumer)
    quarantine = None
    if config.target == "gpu":
        quarantine = Quarantine(node_settings(config).runtime_of(config.data_dir / "cache"))
    identity = WorkerIdentity.of_this_process(listener.queues, consumer.controller.concurrency)
    return Presence(identity, listener, quarantine=quarantine)
