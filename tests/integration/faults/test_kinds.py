"""The decisive faults, met by what is not a submission: previews, proofs, imports and hidden runs."""

import signal
import time

import pytest

from tests.cluster import KINDS, Cluster, HeldJob, Stage, hold_kind
from tests.cluster.cluster import SWEEP_S
from tests.integration.faults import real
from tests.integration.faults.conftest import RECOVERY_S
from tests.services import wait_until

pytestmark = [pytest.mark.integration, pytest.mark.xdist_group("cluster")]


@pytest.mark.parametrize("kind", KINDS)
def test_its_worker_is_killed(cluster, kind):
    with hold_kind(cluster, kind) as held:
        host = host_of(cluster, held)
        cluster.stop_worker(host)
        cluster.launch(host)
        ends_well(cluster, held, attempts=2, tries=2)


@pytest.mark.parametrize("kind", KINDS)
def test_the_database_crashes_and_starts(cluster, kind):
    with hold_kind(cluster, kind) as held:
        cluster.postgres.stop(suddenly=True)
        cluster.postgres.start()
        ends_well(cluster, held)


@pytest.mark.parametrize("kind", KINDS)
def test_its_worker_is_asked_to_stop(cluster, kind):
    """It hands the job back or ends it within its grace. Neither is charged."""
    with hold_kind(cluster, kind) as held:
        host = host_of(cluster, held)
        worker = cluster.worker(host)
        worker.signal(signal.SIGTERM)
        wait_until(lambda: not cluster.has_heartbeat(host), f"the drain of {host.name}", RECOVERY_S)
        ends_well(cluster, held, tries=1)
        worker.wait(RECOVERY_S)


@pytest.mark.parametrize("kind", ["preview", "proof", "import"])
def test_every_container_engine_is_away(real_cluster, kind):
    """As many sweeps as there are tries go by; no try is charged, and the job waits for the engines."""
    cluster = real_cluster
    cluster.submit(real.source(Stage.QUEUED))  # a worker that judges has an open judge when the engine goes
    cluster.settle(RECOVERY_S)
    for engine in cluster.engines:
        engine.stop()
    try:
        pk = cluster.ask("start_kind", kind, "", "")
        wait_until(lambda: cluster.ask("look_at", kind, pk)["attempt"] > 0, "a worker for it", RECOVERY_S)
        time.sleep(4 * SWEEP_S)
        job = cluster.ask("look_at", kind, pk)
        assert (job["tries"], job["failure"]) == (job["state"] == "leased", "")
    finally:
        for engine in cluster.engines:
            engine.start()
    cluster.ask("cancel_kind", kind, pk)
    assert cluster.ask("look_at", kind, pk)["state"] == "cancelled"


def host_of(cluster: Cluster, held: HeldJob):
    name = cluster.ask("look_at", held.kind, held.pk)["worker"].split(":")[0]
    return next(host for host in cluster.hosts if host.name == name)


def ends_well(cluster: Cluster, held: HeldJob, **expected: int) -> None:
    """It ends in time, with a result, once, and everything holds."""
    began = time.monotonic()
    held.release()

    def over() -> bool:
        return cluster.ask("look_at", held.kind, held.pk)["state"] == "done"

    wait_until(over, f"the end of the {held.kind}: {cluster.story()}", RECOVERY_S)
    assert time.monotonic() - began < RECOVERY_S
    job = cluster.ask("look_at", held.kind, held.pk)
    assert job["failure"] == ""
    if "attempts" in expected:
        assert job["attempt"] == expected["attempts"]
    if "tries" in expected:
        assert job["tries"] == expected["tries"]
    assert cluster.violations() == []
