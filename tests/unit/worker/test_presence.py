"""Tests the thread that reports a worker: its reports, its orders, and failures of the database."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.db import DatabaseError

from sandbox.gpu.fake_nvml import fake_gpu
from sandbox.gpu.health import Quarantine
from tests.unit.worker.test_node import until
from web.accounts.models import User
from web.fleet import orders, services
from web.fleet.models import Duty, Gpu, Node, Worker
from web.submissions.models import Job, Submission
from worker import presence
from worker.judge_handle import JudgeHandle as JudgeBench
from worker.judging import judge_next
from worker.node.holds import obey
from worker.node.inventory import node_name
from worker.presence import ConsumerQueueListener, Presence, WorkerIdentity
from worker.shared_status import SharedStatus

GPU = fake_gpu()
IDENTITY = WorkerIdentity("node-1", "node-1:7", "a1", ("cpu",), 2)


class RecordingListener:
    """Notes what it is told."""

    def __init__(self) -> None:
        self.heard: list[bool] = []

    def listen(self, *, on: bool) -> None:
        self.heard.append(on)


class ReportingWorker:
    """A presence that reports often."""

    def __init__(self, quarantine: Quarantine | None = None) -> None:
        self.listener, self.busy = RecordingListener(), 0
        self.presence = Presence(
            IDENTITY, self.listener, quarantine=quarantine, busy=lambda: self.busy, interval_s=0.01
        )


@pytest.fixture
def reporting(tmp_path: Path, transactional_db: None) -> Iterator[ReportingWorker]:
    made = ReportingWorker(Quarantine(tmp_path))
    made.presence.start()
    yield made
    made.presence.stop()


def state() -> str | None:
    return Worker.objects.values_list("state", flat=True).first()


def test_a_worker_says_that_it_serves_leaves_and_has_stopped(reporting: ReportingWorker) -> None:
    until(lambda: state() == Duty.SERVING)
    reporting.busy = 2
    until(lambda: Worker.objects.filter(busy=2).exists())
    reporting.presence.leave()
    until(lambda: state() == Duty.DRAINING)
    reporting.presence.stop()
    assert (state(), Worker.objects.get().busy) == (Duty.STOPPED, 0)


def test_a_worker_whose_node_is_drained_listens_no_more(reporting: ReportingWorker) -> None:
    until(Node.objects.exists)
    orders.drain(None, Node.objects.get(), reason="a new fan")
    until(lambda: state() == Duty.DRAINING)
    assert reporting.listener.heard == [False]
    orders.undrain(None, Node.objects.get())
    until(lambda: state() == Duty.SERVING)
    assert reporting.listener.heard == [False, True]


def test_a_worker_that_leaves_does_not_listen_again(reporting: ReportingWorker) -> None:
    until(Node.objects.exists)
    orders.drain(None, Node.objects.get(), reason="a new fan")
    until(lambda: reporting.listener.heard == [False])
    reporting.presence.leave()
    orders.undrain(None, Node.objects.get())
    reporting.presence.stop()
    assert reporting.listener.heard == [False]


def test_a_hold_becomes_a_mark_without_a_node_service(reporting: ReportingWorker, tmp_path: Path) -> None:
    quarantine = Quarantine(tmp_path)
    services.record_inventory("node-1", {}, [GPU])
    orders.hold(None, Gpu.objects.get(), reason="it hums")
    until(lambda: quarantine.quarantined() == {GPU.uuid: "it hums"})
    orders.release(None, Gpu.objects.get())
    until(lambda: not quarantine.held())
    assert "it has not passed a check yet" in quarantine.quarantined()[GPU.uuid]


def test_a_database_that_does_not_answer_is_survived(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, transactional_db: None
) -> None:
    quarantine, calls = Quarantine(tmp_path), []

    def fail(*_: object) -> None:
        calls.append(1)
        raise DatabaseError("gone")

    quarantine.hold(GPU.uuid, "it hums")
    monkeypatch.setattr(presence, "record_worker", fail)
    made = ReportingWorker(quarantine)
    made.presence.start()
    until(lambda: len(calls) > 2)
    made.presence.stop()
    assert quarantine.held() == {GPU.uuid: "it hums"}, "orders stay as they were"
    assert made.listener.heard == []


@pytest.mark.django_db(transaction=True)
def test_a_ring_on_a_drained_node_does_nothing(owner: User, handed_in: Callable[[User], Submission]) -> None:
    submission = handed_in(owner)
    node = services.record_inventory(node_name(), {}, [])
    orders.drain(None, node, reason="a new fan")
    judge_next(JudgeBench())
    assert Job.objects.get(submission=submission).attempt == 0
    orders.undrain(None, node)
    judge_next(JudgeBench())
    assert Job.objects.get(submission=submission).attempt == 1


def test_orders_are_obeyed_as_often_as_they_come(tmp_path: Path) -> None:
    quarantine = Quarantine(tmp_path)
    for reason in ("it hums", "it hums", "it howls"):
        obey(quarantine, {GPU.uuid: reason})
        assert quarantine.held() == {GPU.uuid: reason}
    for _ in range(2):
        obey(quarantine, {})
        assert quarantine.held() == {}


class Consumer:
    """As much of a Celery consumer as listener use. What it shall do waits for its loop."""

    def __init__(self) -> None:
        self.done: list[tuple[str, str]] = []
        self.later: list[tuple[object, str]] = []
        self.app = self.amqp = self.queues = self
        self.consume_from = {"judge.gpu": 1, "judge.cpu": 2}

    def call_soon(self, work: object, queue: str) -> None:
        self.later.append((work, queue))

    def add_task_queue(self, queue: str) -> None:
        self.done.append(("add", queue))

    def cancel_task_queue(self, queue: str) -> None:
        self.done.append(("cancel", queue))


def test_ears_let_the_consumers_own_loop_do_it() -> None:
    consumer = Consumer()
    listener = ConsumerQueueListener(consumer)
    consumer.consume_from.clear()  # as Celery does when a queue is cancelled
    listener.listen(on=False)
    listener.listen(on=True)
    assert consumer.done == []
    for work, queue in consumer.later:
        work(queue)  # type: ignore[operator]
    assert consumer.done == [
        *(("cancel", queue) for queue in ("judge.cpu", "judge.gpu")),
        *(("add", queue) for queue in ("judge.cpu", "judge.gpu")),
    ]


def test_a_post_names_host_process_and_hardware() -> None:
    post = WorkerIdentity.of_this_process(("judge.gpu", "judge.cpu"), 3)
    assert post.name.endswith(f":{os.getpid()}")
    assert (post.queues, post.concurrency) == (("cpu", "gpu"), 3)
    assert post.node
    assert post.instance != WorkerIdentity.of_this_process((), 1).instance


def test_a_child_says_what_keeps_it_from_judging() -> None:
    status = SharedStatus()
    assert status.read() == ""
    child = os.fork()
    if child == 0:
        status.put("no room left " + "é" * 2000)
        os._exit(0)
    os.waitpid(child, 0)
    assert status.read().startswith("no room left é")
    status.put("")
    assert status.read() == ""
