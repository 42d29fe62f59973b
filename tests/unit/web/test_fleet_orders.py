"""Tests orders of staff about nodes and GPUs: on the page, by the API, by commands, and in the audit log."""

import io
import json
from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from sandbox.gpu.fake_nvml import fake_gpu
from web.accounts.models import Scope
from web.accounts.services import issue_token
from web.audit.models import AuditEntry, AuditKind
from web.fleet import orders, pages, queries, services
from web.fleet.models import Duty, Gpu, Node, NodeState, Worker
from web.fleet.presence import WorkerReport, record_worker
from web.fleet.queues import QueueNow, queues_now
from web.site.clock import read_clock
from web.site.version import version
from web.submissions.models import Job

pytestmark = pytest.mark.django_db

WORKER = WorkerReport(
    node="node-1", name="node-1:7", instance="a1", queues=("cpu",), concurrency=2, version=version()
)
GPU = fake_gpu(0)


@pytest.fixture
def node() -> Node:
    """A node with a worker and a GPU."""
    made = services.record_inventory("node-1", {"warpcourt": version()}, [GPU])
    record_worker(WORKER)
    return made


def audit_entries() -> list[tuple[str, str, object]]:
    return list(AuditEntry.objects.order_by("pk").values_list("kind", "actor_name", "details__reason"))


def page_of(browser: Any, **headers: str) -> str:
    return str(browser.get("/fleet", headers=headers).content.decode())


def test_a_drain_keeps_its_first_hour_and_its_last_reason(node, staff):
    assert queries.may_claim("node-1")
    orders.drain(staff, node, reason=" a  new\nfan ")
    since = Node.objects.get().drained_since
    orders.drain(None, node, reason="a new host")
    found = Node.objects.get()
    assert (found.drain_reason, found.drained_by, found.drained_since) == ("a new host", "", since)
    assert not queries.may_claim("node-1")
    assert queries.may_claim("node-2")
    assert orders.undrain(staff, node)
    assert not orders.undrain(staff, node), "there is nothing to end"
    assert queries.may_claim("node-1")
    assert audit_entries() == [
        (AuditKind.NODE_DRAIN, "staff", "a new fan"),
        (AuditKind.NODE_DRAIN, "", "a new host"),
        (AuditKind.NODE_UNDRAIN, "staff", None),
    ]


def test_a_hold_lasts_whatever_the_node_reports(node, staff):
    gpu = Gpu.objects.get()
    orders.hold(staff, gpu, reason="it hums")
    services.record_inventory("node-1", {}, [GPU])
    services.record_heartbeat("node-1", [services.GpuStatus(GPU.uuid)])
    assert Gpu.objects.get().hold_reason == "it hums"
    assert orders.release(staff, gpu)
    assert not orders.release(staff, gpu)
    assert [kind for kind, *_ in audit_entries()] == [AuditKind.GPU_HOLD, AuditKind.GPU_RELEASE]


@pytest.mark.parametrize("order", [orders.drain, orders.hold])
def test_an_order_has_a_reason(node, staff, order):
    with pytest.raises(ValueError, match="Enter a reason"):
        order(staff, node if order is orders.drain else Gpu.objects.get(), reason="  ")
    assert not audit_entries()


def test_staff_drain_a_node_and_quarantine_a_gpu_on_the_page(node, staff, browser_of):
    browser = browser_of(staff)
    browser.handler.enforce_csrf_checks = False
    gpu = Gpu.objects.get()
    refused = browser.post(f"/fleet/nodes/{node.pk}/drain", {"reason": ""}, follow=True)
    assert b"Enter a reason" in refused.content
    for address, reason in (
        (f"nodes/{node.pk}/drain", "a new fan"),
        (f"gpus/{gpu.pk}/quarantine", "it <b>hums"),
    ):
        answer = browser.post(f"/fleet/{address}", {"reason": reason})
        assert (answer.status_code, answer["Location"]) == (302, "/fleet")
    page = page_of(browser)
    for text in (
        "Draining",
        "a new fan. By staff",
        "it &lt;b&gt;hums. By staff",
        "has not confirmed this yet",
    ):
        assert text in page
    services.record_heartbeat("node-1", [services.GpuStatus(GPU.uuid, "it <b>hums")])
    record_worker(replace(WORKER, state=Duty.DRAINING))
    page = page_of(browser)
    assert "has not confirmed this yet" not in page
    assert "Drained" in page
    assert "You can stop its workers" in page
    assert "node probes the GPU" not in page, "nobody probes what staff hold"
    for address in (f"nodes/{node.pk}/undrain", f"gpus/{gpu.pk}/release"):
        browser.post(f"/fleet/{address}")
    assert not Node.objects.get().drained
    assert not Gpu.objects.get().hold_reason
    again = browser.post(f"/fleet/nodes/{node.pk}/undrain", follow=True)
    assert b"was not drained" in again.content


def test_the_page_shows_workers_and_what_they_take(node, staff, browser_of, django_assert_max_num_queries):
    record_worker(replace(WORKER, busy=1))
    record_worker(replace(WORKER, instance="b2", name="node-1:9", message="no room left on the disk"))
    browser = browser_of(staff)
    with django_assert_max_num_queries(10):
        page = page_of(browser)
    for text in ("node-1:7", "1 of 2", "Cannot judge", "no room left on the disk", "1 of 4 slots busy"):
        assert text in page
    Worker.objects.update(heartbeat=read_clock() - timedelta(minutes=2))
    page = page_of(browser_of(staff))
    assert "no room left" not in page, "nobody knows what a lost worker lacks"
    assert "2 min ago" in page


def test_htmx_gets_the_part_that_changes(node, staff, browser_of):
    part = page_of(browser_of(staff), **{"HX-Request": "true"})
    assert "node-1:7" in part
    assert "<html" not in part


def test_what_waits_for_nobody_is_told(node, staff, browser_of, owner, handed_in):
    handed_in(owner)
    Job.objects.update(queue="gpu.nvidia-h200")
    assert "no worker serves that queue" in page_of(browser_of(staff))


def test_mixed_versions_are_flagged(node, staff, browser_of):
    assert "different versions" not in page_of(browser_of(staff))
    record_worker(replace(WORKER, instance="b2", name="node-1:9", version="0.0.9"))
    record_worker(replace(WORKER, instance="c3", name="node-1:10", version="0.0.8", state=Duty.STOPPED))
    page = page_of(browser_of(staff))
    assert "0.0.9: 1 worker" in page
    assert f"{version()}: this site, 1 worker, 1 node service" in page
    assert "other version" in page
    assert "0.0.8: " not in page, "what has stopped needs no restart"


@pytest.mark.parametrize(
    ("worker", "service", "minutes", "word"),
    [
        (Duty.SERVING, None, 0, "Serving"),
        (Duty.STOPPED, None, 0, "Stopped"),
        (Duty.STOPPED, None, 5, "Stopped"),
        (Duty.SERVING, None, 5, "Lost"),
        (Duty.SERVING, NodeState.STOPPED, 0, "Stopped"),
        (Duty.STOPPED, NodeState.SERVING, 0, "Serving"),
    ],
)
def test_a_node_looks_as_its_service_or_its_workers_say(worker, service, minutes, word):
    record_worker(replace(WORKER, state=worker))
    if service:
        services.record_inventory("node-1", {}, [])
        services.record_heartbeat("node-1", [], state=service)
    (now,) = queries.fleet(read_clock() + timedelta(minutes=minutes))
    assert pages.card(now).badge.word == word


def test_a_node_of_which_no_worker_can_judge_is_told_apart(node):
    record_worker(replace(WORKER, message="no room"))
    assert pages.card(queries.fleet()[0]).badge.word == "Cannot judge"
    assert queues_now(queries.fleet()) == []
    record_worker(replace(WORKER, instance="b2", name="b"))
    assert pages.card(queries.fleet()[0]).badge.word == "Serving"
    assert queues_now(queries.fleet()) == [QueueNow("cpu", 0, 1)]


def headers_of(person, scope=Scope.SUBMIT) -> dict[str, str]:
    _, secret = issue_token(person, name="test", scope=scope)
    return {"Authorization": f"Bearer {secret}"}


def test_programs_of_staff_see_the_fleet(node, staff, client):
    orders.hold(staff, Gpu.objects.get(), reason="it hums")
    seen = client.get("/api/v1/fleet", headers=headers_of(staff, Scope.READ)).json()
    (told,) = seen["nodes"]
    assert seen["version"] == version()
    assert (told["name"], told["state"], told["lost"], told["drained"]) == ("node-1", "serving", False, False)
    assert (told["workers"][0]["name"], told["workers"][0]["queues"]) == ("node-1:7", ["cpu"])
    assert (told["gpus"][0]["uuid"], told["gpus"][0]["hold_reason"]) == (GPU.uuid, "it hums")
    assert seen["queues"] == [{"queue": "cpu", "waiting": 0, "workers": 1}]


def test_programs_of_staff_give_orders(node, staff, client):
    def order(address: str, **body: str) -> Any:
        sent = json.dumps(body)
        return client.post(f"/api/v1/fleet/{address}", sent, "application/json", headers=headers_of(staff))

    drain, quarantine = "nodes/node-1/drain", f"gpus/{GPU.uuid}/quarantine"
    assert order(drain, reason="  ").status_code == 422
    assert order(drain, reason="a new fan").json() == {"changed": True}
    assert order(drain, reason="a new host").json() == {"changed": False}
    assert Node.objects.get().drain_reason == "a new host"
    assert order("nodes/node-1/undrain").json() == {"changed": True}
    assert order(quarantine, reason="it hums").json() == {"changed": True}
    assert order(f"gpus/{GPU.uuid}/release").json() == {"changed": True}
    assert order("nodes/nobody/drain", reason="x").status_code == 404
    assert order("gpus/nobody/release").status_code == 404
    assert order("gpus/%00/release").status_code == 422


def test_a_token_that_may_read_gives_no_orders(node, staff, client):
    answer = client.post("/api/v1/fleet/nodes/node-1/undrain", headers=headers_of(staff, Scope.READ))
    assert answer.status_code == 403


def manage(*arguments: str) -> str:
    said = io.StringIO()
    call_command(*arguments, stdout=said)
    return said.getvalue()


def test_a_node_is_drained_by_command(node):
    assert "takes no new submissions" in manage("drain", "node-1", "--reason", "a new fan")
    assert Node.objects.get().drain_reason == "a new fan"
    assert audit_entries() == [(AuditKind.NODE_DRAIN, "", "a new fan")]
    assert "takes submissions again" in manage("undrain", "node-1")
    assert "was not drained" in manage("undrain", "node-1")


def test_a_drain_waits_for_what_is_being_judged(node, monkeypatch):
    record_worker(replace(WORKER, busy=1))
    with monkeypatch.context() as patch:
        ticks = iter(range(9))
        clock = SimpleNamespace(monotonic=lambda: next(ticks), sleep=lambda _: None)
        patch.setattr("web.fleet.management.commands.drain.time", clock)
        with pytest.raises(CommandError, match="still judging 1 submissions after 3 s"):
            manage("drain", "node-1", "--wait", "3")
    record_worker(replace(WORKER, state=Duty.DRAINING))
    assert "You can stop its workers" in manage("drain", "node-1", "--wait", "3")


@pytest.mark.parametrize("command", ["drain", "undrain"])
def test_a_command_names_the_nodes_that_there_are(node, command):
    with pytest.raises(CommandError, match=r"Node 'nobody' not found\. Known nodes: node-1"):
        manage(command, "nobody")
