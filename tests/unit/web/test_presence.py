"""Tests the reports of workers, and the treatment of workers that stop reporting."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from sandbox.gpu.fake_nvml import fake_gpu
from web.fleet import orders, queries, services
from web.fleet.models import Duty, Gpu, Node, NodeState, Worker
from web.fleet.presence import Orders, WorkerReport, orders_for, record_worker
from web.fleet.queues import QueueNow, queues_now
from web.site.clock import read_clock
from web.submissions.models import Job

pytestmark = pytest.mark.django_db

REPORT = WorkerReport(
    node="node-1", name="node-1:7", instance="a1", queues=("cpu",), concurrency=2, version="0.1.0", busy=1
)


def now_at(**later: int) -> queries.NodeNow:
    return queries.fleet(read_clock() + timedelta(**later))[0]


def test_a_worker_introduces_its_node_and_reports_again():
    record_worker(REPORT)
    record_worker(replace(REPORT, busy=2))
    node = Node.objects.get()
    assert (node.name, node.has_service) == ("node-1", False)
    assert list(node.workers.values_list("name", "busy", "queues")) == [("node-1:7", 2, ["cpu"])]


def test_a_report_that_changes_nothing_new_is_one_query(django_assert_num_queries):
    record_worker(REPORT)
    with django_assert_num_queries(1):
        record_worker(REPORT)


def test_times_are_those_of_the_database(monkeypatch):
    monkeypatch.setattr(timezone, "now", lambda: read_clock() + timedelta(minutes=10))
    record_worker(REPORT)
    record_worker(REPORT)
    services.record_inventory("node-2", {}, [])
    services.record_heartbeat("node-2", [])
    for heard in (Worker.objects.get().heartbeat, *Node.objects.values_list("heartbeat", flat=True)):
        assert abs(read_clock() - heard) < timedelta(minutes=1)


def test_a_worker_comes_back_after_its_node_was_removed():
    record_worker(REPORT)
    Node.objects.all().delete()
    record_worker(REPORT)
    assert Worker.objects.get().node.name == "node-1"


def test_a_worker_that_was_started_again_takes_the_place_of_its_former_self():
    record_worker(REPORT)
    record_worker(replace(REPORT, instance="b2"))
    assert Worker.objects.count() == 2, "both live: containers may have the same process ids"
    Worker.objects.filter(instance="a1").update(heartbeat=read_clock() - timedelta(seconds=10))
    record_worker(replace(REPORT, instance="b2", state=Duty.STOPPED))
    record_worker(replace(REPORT, instance="c3"))
    record_worker(replace(REPORT, instance="d4", name="node-1:8"))
    assert sorted(Worker.objects.values_list("instance", flat=True)) == ["c3", "d4"]


def test_those_that_are_long_gone_are_forgotten_when_another_comes():
    record_worker(REPORT)
    Worker.objects.update(heartbeat=read_clock() - timedelta(hours=25))
    record_worker(replace(REPORT, instance="b2", name="node-2:1", node="node-2"))
    assert Worker.objects.get().instance == "b2"


def test_a_node_without_a_service_lives_as_long_as_its_workers():
    record_worker(REPORT)
    assert not now_at(seconds=10).lost
    assert now_at(seconds=10).age >= timedelta(seconds=10)
    assert now_at(minutes=1).lost
    assert not now_at(minutes=1).live_workers
    record_worker(replace(REPORT, state=Duty.STOPPED, busy=0))
    assert not now_at(minutes=1).lost


def test_a_node_with_a_service_is_judged_by_that():
    services.record_inventory("node-1", {}, [])
    record_worker(REPORT)
    assert Node.objects.get().has_service, "a worker does not take the service's place"
    services.record_heartbeat("node-1", [], state=NodeState.STOPPED)
    assert not now_at(minutes=1).lost
    assert now_at(minutes=1).workers[0].lost


def test_a_service_says_all_of_a_node_that_a_worker_introduced():
    record_worker(REPORT)
    assert not services.record_heartbeat("node-1", []), "it has to record its inventory first"
    services.record_inventory("node-1", {"driver": "580"}, [])
    assert Node.objects.get().has_service
    assert services.record_heartbeat("node-1", [])


def test_a_drained_node_is_idle_once_its_workers_know_and_have_finished():
    record_worker(REPORT)
    orders.drain(None, Node.objects.get(), reason="a new fan")
    assert not now_at().idle, "it judges"
    record_worker(replace(REPORT, busy=0))
    assert not now_at().idle, "it has not heard of the drain, and may yet take something"
    record_worker(replace(REPORT, busy=1, state=Duty.DRAINING))
    assert (now_at().idle, now_at().busy, now_at().slots) == (False, 1, 2)
    record_worker(replace(REPORT, busy=0, state=Duty.DRAINING))
    assert now_at().idle


def test_a_worker_reads_what_is_ordered_about_its_own_node():
    node = services.record_inventory("node-1", {}, [fake_gpu(0), fake_gpu(1)])
    services.record_inventory("node-2", {}, [fake_gpu(2)])
    for gpu in Gpu.objects.exclude(uuid=fake_gpu(0).uuid):
        orders.hold(None, gpu, reason=f"of {gpu.node}")
    assert orders_for("node-1") == Orders(drained=False, held={fake_gpu(1).uuid: "of node-1"})
    orders.drain(None, node, reason="a new fan")
    assert orders_for("node-1").drained
    assert not orders_for("node-2").drained
    assert orders_for("nobody") == Orders(drained=False, held={})


def test_what_is_drained_or_held_is_not_offered(live_gpus):
    node = live_gpus("NVIDIA H100", "NVIDIA H200")
    orders.hold(None, node.gpus.get(model="NVIDIA H100"), reason="it hums")
    assert queries.offered_gpu_models() == ("NVIDIA H200",)
    assert [gpu.model for gpu in now_at().offered] == ["NVIDIA H200"]
    orders.drain(None, node, reason="a new fan")
    assert queries.offered_gpu_models() == ()
    assert now_at().offered == ()


def test_queues_tell_what_waits_and_who_takes_it(owner, handed_in):
    handed_in(owner)
    Job.objects.update(queue="gpu.nvidia-h200")
    assert queues_now(queries.fleet()) == [QueueNow("gpu.nvidia-h200", 1, 0)]
    assert queues_now(queries.fleet())[0].forsaken
    record_worker(replace(REPORT, queues=("cpu", "gpu.nvidia-h200")))
    record_worker(replace(REPORT, instance="b2", name="b", state=Duty.DRAINING))
    assert queues_now(queries.fleet()) == [QueueNow("cpu", 0, 1), QueueNow("gpu.nvidia-h200", 1, 1)]


@pytest.mark.parametrize(
    ("row", "columns"),
    [
        (Worker, {"state": "asleep"}),
        (Node, {"drained": True}),
        (Node, {"drain_reason": "no drain"}),
        (Node, {"drained": True, "drain_reason": "no time"}),
    ],
)
def test_the_database_refuses_what_cannot_be(row, columns):
    record_worker(REPORT)
    with pytest.raises(IntegrityError), transaction.atomic():
        row.objects.update(**columns)
