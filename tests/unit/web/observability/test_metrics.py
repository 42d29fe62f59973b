"""Tests the contents of `/metrics`, and who may read them."""

import re
from datetime import timedelta

import pytest
from django.db import OperationalError
from django.test import Client
from django.utils import timezone

from tests.unit.web.observability.families import every_family
from web.authoring.models import ProofRun, Revision, RunKind, Workspace
from web.fleet.models import Gpu, Health, Node, Worker
from web.observability import census
from web.observability.access import may_read
from web.submissions import services
from web.submissions.models import Job
from web.upkeep.models import Backup

pytestmark = pytest.mark.django_db


def read() -> str:
    answer = Client().get("/metrics")
    assert answer.status_code == 200
    return answer.content.decode()


def value(line: str) -> float:
    found = re.findall(rf"^{re.escape(line)} (\S+)$", read(), re.MULTILINE)
    assert len(found) == 1, line
    return float(found[0])


def test_requests_are_counted_by_the_name_of_their_address(problem) -> None:
    line = 'warpcourt_http_requests_total{method="GET",status="200",view="problem"}'
    Client().get(f"/problems/{problem.slug}")
    before = value(line)
    Client().get(f"/problems/{problem.slug}")
    assert value(line) == before + 1
    assert problem.slug not in read()


def test_what_has_no_address_has_one_name() -> None:
    Client().get("/nowhere/at/all")
    Client().generic("BREW", "/healthz")
    assert value('warpcourt_http_requests_total{method="GET",status="404",view="none"}') >= 1
    assert value('warpcourt_http_requests_total{method="other",status="405",view="healthz"}') >= 1
    assert "nowhere" not in read()
    assert "BREW" not in read()


def test_queues_show_their_depth_and_the_age_of_the_oldest(handed_in, owner) -> None:
    assert value('warpcourt_queue_jobs{queue="cpu",state="queued"}') == 0
    old, *_ = [handed_in(owner) for _ in range(3)]
    Job.objects.filter(submission=old).update(queued=timezone.now() - timedelta(minutes=5))
    assert services.claim("w:1") is not None
    assert value('warpcourt_queue_jobs{queue="cpu",state="queued"}') == 2
    assert value('warpcourt_queue_jobs{queue="cpu",state="leased"}') == 1
    assert value('warpcourt_queue_oldest_seconds{queue="cpu"}') < 100
    Job.objects.update(lease_until=timezone.now() - timedelta(seconds=3), state="leased")
    assert value("warpcourt_leases_expired") == 3


def test_what_is_asked_beside_submissions_is_shown_too(owner) -> None:
    workspace = Workspace.objects.create(slug="my-sum", owner=owner)
    revision = Revision.objects.create(workspace=workspace, number=1, content_hash="0" * 64)
    asked = timezone.now() - timedelta(minutes=5)
    ProofRun.objects.create(workspace=workspace, revision=revision, kind=RunKind.PROOF, queued=asked)
    assert value('warpcourt_background_jobs{kind="proof",state="queued"}') == 1
    assert value('warpcourt_background_jobs{kind="proof",state="leased"}') == 0
    assert value('warpcourt_background_jobs{kind="import",state="queued"}') == 0
    assert value('warpcourt_background_oldest_seconds{kind="proof"}') > 290
    assert value('warpcourt_background_oldest_seconds{kind="rejudge"}') == 0
    assert "my-sum" not in read()


def test_the_fleet_shows_what_is_well_and_what_is_lost(live_gpus) -> None:
    node = live_gpus("NVIDIA H200", "NVIDIA B200")
    sick = Gpu.objects.get(model="NVIDIA B200")
    Gpu.objects.filter(pk=sick.pk).update(health=Health.QUARANTINED, reason="too hot", temperature_c=91)
    Node.objects.update(heartbeat=timezone.now() - timedelta(minutes=2))
    Worker.objects.create(node=node, name="w", instance="1", concurrency=4, busy=3)
    label = f'{{gpu="{sick.uuid}",model="NVIDIA B200",node="node-1"}}'
    assert value(f"warpcourt_gpu_well{label}") == 0
    assert value(f"warpcourt_gpu_temperature_celsius{label}") == 91
    assert read().count("\nwarpcourt_gpu_temperature_celsius{") == 1  # the other has not been read yet
    assert 110 < value('warpcourt_node_heartbeat_age_seconds{node="node-1",state="serving"}') < 200
    assert value('warpcourt_worker_busy{node="node-1",worker="w"}') == 3


def test_a_database_that_does_not_answer_is_a_metric_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise OperationalError("gone")

    assert value("warpcourt_database_up") == 1
    monkeypatch.setattr(census, "read_clock", refuse)  # the first that it asks
    assert value("warpcourt_database_up") == 0
    assert "warpcourt_queue_jobs" not in read()


def test_it_costs_few_queries(django_assert_max_num_queries, live_gpus) -> None:
    live_gpus(*["NVIDIA H200"] * 3)
    with django_assert_max_num_queries(8):
        Client().get("/metrics")


def test_the_age_of_a_backup_is_shown_once_there_is_one() -> None:
    assert "\nwarpcourt_backup_age_seconds " not in read()
    Backup.objects.create(made=timezone.now() - timedelta(hours=2), size_bytes=1, took_ms=1)
    assert 7100 < value("warpcourt_backup_age_seconds") < 7300


def test_without_a_token_only_the_loopback_address_reads() -> None:
    assert Client().get("/metrics", REMOTE_ADDR="192.0.2.7").status_code == 403
    assert Client().get("/metrics", HTTP_X_FORWARDED_FOR="192.0.2.7").status_code == 403
    assert Client().get("/metrics", REMOTE_ADDR="127.0.0.1").status_code == 200


@pytest.mark.parametrize(
    ("token", "authorization", "client", "forwarded", "allowed"),
    [
        ("", "", "127.0.0.1", False, True),
        ("", "", "::1", False, True),
        ("", "", "127.0.0.1", True, False),
        ("", "", "10.0.0.1", False, False),
        ("", "", "unix", False, False),
        ("secret", "Bearer secret", "10.0.0.1", True, True),
        ("secret", "Bearer other", "10.0.0.1", False, False),
        ("secret", "Bearer secr\u00e9t", "10.0.0.1", False, False),
        ("secret", "", "127.0.0.1", False, False),
    ],
)
def test_who_may_read(token: str, authorization: str, client: str, forwarded: bool, allowed: bool) -> None:
    assert may_read(token=token, authorization=authorization, client=client, forwarded=forwarded) is allowed


def test_every_metric_has_our_prefix_its_unit_and_a_sentence() -> None:
    assert len(every_family()) > 30
    for family in every_family().values():
        assert re.fullmatch(r"warpcourt_[a-z_]+", family.name)
        assert family.documentation.endswith(".")
        assert not family.name.endswith(("_ms", "_mib", "_percent")), "Prometheus counts in base units"
