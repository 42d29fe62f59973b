"""Tests the most important faults with other kinds of jobs: previews, proofs, imports and hidden runs."""

import shutil
import signal
import time
from pathlib import Path

import pytest

from problems.loader import problems_root
from testing.services import wait_until
from tests.cluster import KINDS, Cluster, HeldJob, Stage, hold_kind
from tests.cluster.cluster import PROBLEM, SWEEP_S
from tests.integration.faults import real
from tests.integration.faults.conftest import RECOVERY_S

pytestmark = [pytest.mark.integration, pytest.mark.xdist_group("cluster")]
_RETURNED_BY = "SELECT jsonb_object_keys(excluded_hosts) FROM importing_importrun WHERE id = %s"


@pytest.mark.parametrize("kind", KINDS)
def test_its_worker_is_killed(cluster, kind):
    with hold_kind(cluster, kind) as held:
        host = host_of(cluster, held)
        cluster.stop_worker(host)
        cluster.launch(host)
        # An import continues after the problems that are stored, and each of them starts the count again.
        ends_well(cluster, held, attempts=2, tries=1 if kind == "import" else 2)


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
        cluster.ask("cancel_kind", kind, pk)  # before the engines are back: a short job would end first
        assert cluster.ask("look_at", kind, pk)["state"] == "cancelled"
    finally:
        for engine in cluster.engines:
            engine.start()


def test_a_folder_is_imported_by_the_host_that_has_it(cluster):
    """That host restarts: the other one returns the import, and it waits."""
    without, having = cluster.hosts
    put_set(cluster.imports_dir(having))
    wait_until(lambda: cluster.has_heartbeat(having), f"the first report of {having.name}", RECOVERY_S)
    cluster.stop_worker(having)
    pk = cluster.ask("import_folder", "set")

    def returned() -> bool:
        return cluster.sql(_RETURNED_BY, pk) == [(without.name,)]

    wait_until(returned, f"the return of the import by {without.name}", RECOVERY_S)
    time.sleep(3 * SWEEP_S)
    job = cluster.ask("look_at", "import", pk)
    assert job["state"] == "queued", f"it waits for {having.name}: {job}"
    cluster.launch(having)
    wait_until(lambda: over(cluster, "import", pk), f"the import: {cluster.story()}", RECOVERY_S)
    job = cluster.ask("look_at", "import", pk)
    assert job["failure"] == ""
    assert job["worker"].startswith(f"{having.name}:")


def test_a_folder_that_no_host_has_fails_with_what_to_do(cluster):
    pk = cluster.ask("import_folder", "nowhere")
    wait_until(lambda: over(cluster, "import", pk), f"the end of the import: {cluster.story()}", RECOVERY_S)
    job = cluster.ask("look_at", "import", pk)
    assert "No worker has the folder nowhere" in job["failure"]


def put_set(imports_dir: Path) -> None:
    """Put a set with one problem in a directory."""
    shutil.copytree(problems_root() / PROBLEM, imports_dir / "set" / "imported-sum")


def over(cluster: Cluster, kind: str, pk: int) -> bool:
    return cluster.ask("look_at", kind, pk)["state"] == "done"


def host_of(cluster: Cluster, held: HeldJob):
    name = cluster.ask("look_at", held.kind, held.pk)["worker"].split(":")[0]
    return next(host for host in cluster.hosts if host.name == name)


def ends_well(cluster: Cluster, held: HeldJob, **expected: int) -> None:
    """It ends in time, with a result, once, and everything holds."""
    began = time.monotonic()
    held.release()

    wait_until(
        lambda: over(cluster, held.kind, held.pk),
        f"the end of the {held.kind}: {cluster.story()}",
        RECOVERY_S,
    )
    assert time.monotonic() - began < RECOVERY_S
    job = cluster.ask("look_at", held.kind, held.pk)
    assert job["failure"] == ""
    if "attempts" in expected:
        assert job["attempt"] == expected["attempts"]
    if "tries" in expected:
        assert job["tries"] == expected["tries"]
    assert cluster.violations() == []
