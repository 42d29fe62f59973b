"""Tests nodes and GPUs: what nodes write, what staff see, and that other users see nothing."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from sandbox.gpu.fake_nvml import fake_gpu
from web.fleet import pages, queries, services
from web.fleet.models import Gpu, Health, Node, NodeState
from web.fleet.services import GpuStatus

pytestmark = pytest.mark.django_db

VERSIONS = {"driver": "580.159.03", "warpcourt": "0.1.0"}
FIRST, SECOND = fake_gpu(0), fake_gpu(1, model="NVIDIA <b>H200</b>")


@pytest.fixture
def node() -> Node:
    return services.record_inventory("node-1", VERSIONS, [FIRST, SECOND])


def beat(*gpus: GpuStatus, **how: Any) -> bool:
    return services.record_heartbeat("node-1", gpus, **how)


def test_an_inventory_may_be_recorded_again(node):
    Gpu.objects.filter(uuid=FIRST.uuid).update(calibration={"copy_gb_per_s": 3900})
    again = services.record_inventory("node-1", VERSIONS | {"driver": "590.1"}, [FIRST, SECOND])
    assert (Node.objects.count(), Gpu.objects.count()) == (1, 2)
    assert again.versions["driver"] == "590.1"
    assert Gpu.objects.get(uuid=FIRST.uuid).calibration == {"copy_gb_per_s": 3900}


def test_a_gpu_that_is_gone_is_missing_until_it_is_seen_again(node):
    services.record_inventory("node-1", VERSIONS, [FIRST])
    gone = Gpu.objects.get(uuid=SECOND.uuid)
    assert (gone.health, gone.reason) == (Health.MISSING, "its node no longer detects it")
    services.record_inventory("node-1", VERSIONS, [FIRST, SECOND])
    assert beat(GpuStatus(FIRST.uuid), GpuStatus(SECOND.uuid))
    assert Gpu.objects.get(uuid=SECOND.uuid).health == Health.WELL


def test_a_gpu_moves_to_another_node(node):
    services.record_inventory("node-2", VERSIONS, [SECOND])
    assert Gpu.objects.get(uuid=SECOND.uuid).node.name == "node-2"
    assert not beat(GpuStatus(SECOND.uuid)), "the old node has to look again"


def test_a_heartbeat_says_how_gpus_are_and_since_when(node):
    assert beat(GpuStatus(FIRST.uuid, checking=3, waiting=1), GpuStatus(SECOND.uuid, "it hangs"))
    sick = Gpu.objects.get(uuid=SECOND.uuid)
    assert (sick.health, sick.reason) == (Health.QUARANTINED, "it hangs")
    beat(GpuStatus(SECOND.uuid, "it still hangs"))
    assert Gpu.objects.get(uuid=SECOND.uuid).since == sick.since, "the same quarantine"
    beat(GpuStatus(SECOND.uuid))
    well = Gpu.objects.get(uuid=SECOND.uuid)
    assert (well.health, well.reason) == (Health.WELL, "")
    assert well.since >= sick.since


def test_an_unknown_node_has_to_record_its_inventory_first():
    assert not beat(GpuStatus(FIRST.uuid))
    assert not Node.objects.exists()


def test_calibration_is_kept_with_the_gpu(node):
    assert services.record_calibration(FIRST.uuid, {"copy_gb_per_s": 3900.0})
    assert Gpu.objects.get(uuid=FIRST.uuid).calibration == {"copy_gb_per_s": 3900.0}
    assert not services.record_calibration("GPU-nobody", {})


def test_a_node_that_says_nothing_is_lost_unless_it_has_stopped(node):
    def lost(after: timedelta) -> bool:
        return queries.fleet(timezone.now() + after)[0].lost

    assert not lost(timedelta(seconds=10))
    assert lost(timedelta(minutes=1))
    beat(state=NodeState.STOPPED)
    assert not lost(timedelta(minutes=1))


@pytest.mark.parametrize(
    ("row", "columns"),
    [
        (Node, {"state": "asleep"}),
        (Node, {"state": NodeState.TROUBLED, "message": ""}),
        (Gpu, {"health": "poorly", "reason": "x"}),
        (Gpu, {"health": Health.QUARANTINED, "reason": ""}),
        (Gpu, {"health": Health.WELL, "reason": "none"}),
    ],
)
def test_the_database_refuses_what_cannot_be(node, row, columns):
    with pytest.raises(IntegrityError), transaction.atomic():
        row.objects.update(**columns)


def test_the_fleet_is_for_staff(node, owner, staff, stranger, browser_of):
    for person, status in ((owner, 404), (stranger, 404), (staff, 200)):
        assert browser_of(person).get("/fleet").status_code == status
    for person, status in ((owner, 302), (staff, 200)):
        for page in ("node", "gpu"):
            assert browser_of(person).get(f"/admin/fleet/{page}/").status_code == status
    assert browser_of(staff).post("/admin/fleet/gpu/add/").status_code == 403


def test_the_page_shows_health_load_and_age(node, staff, browser_of):
    beat(
        GpuStatus(FIRST.uuid, ranking=True, waiting=2, temperature_c=61),
        GpuStatus(SECOND.uuid, "<script>it hangs</script>"),
        state=NodeState.TROUBLED,
        message="MPS was restarted",
    )
    Node.objects.update(heartbeat=timezone.now() - timedelta(minutes=5))
    page = browser_of(staff).get("/fleet").content.decode()
    for text in ("node-1", "580.159.03", "Lost", "5 min ago", "Quarantined", "61 °C", "MPS was restarted"):
        assert text in page
    assert "ranking, 2 waiting" not in page, "nobody knows what a lost node does"
    assert "<script>it" not in page
    assert "<b>H200" not in page
    Node.objects.update(heartbeat=timezone.now())
    assert "ranking, 2 waiting" in browser_of(staff).get("/fleet").content.decode()


def test_an_empty_fleet_says_how_nodes_come(staff, browser_of):
    assert b"No workers have reported" in browser_of(staff).get("/fleet").content


def test_ages_are_in_words():
    ages = [pages.ago(timedelta(seconds=seconds)) for seconds in (-1, 3, 150, 7300, 200000)]
    assert ages == ["0 s ago", "3 s ago", "2 min ago", "2 h ago", "2 days ago"]
