"""Tests real workers that stop, are busy, or lose connections. Leases and sweeps outlast the tests.

So a job can only continue because it was returned, a worker was woken for it, or it was retried.
"""

import os
import signal
import subprocess
from pathlib import Path

import psycopg
import pytest

from testing.services import postgresql, redis_server, wait_until
from tests.integration.web.installation import Installation
from tests.migrated import put_migrated_postgresql

pytestmark = [pytest.mark.integration, pytest.mark.xdist_group("installation")]
_CUT = "SELECT PG_TERMINATE_BACKEND(pid) FROM pg_stat_activity WHERE pid <> PG_BACKEND_PID() AND datname = %s"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """On PostgreSQL and Redis. What says `hold=checking` is held there while the gate is closed."""
    folder = tmp_path_factory.mktemp("stopping")
    with postgresql(put_data=put_migrated_postgresql) as database_url, redis_server() as broker_url:
        installation = Installation(
            folder,
            broker_url=broker_url,
            database_url=database_url,
            lease_s="600",
            sweep_s="600",
            stop_grace_s="1",
            runtime_dir=str(folder),
        )
        installation.start_site()
        yield installation
        installation.stop()


@pytest.fixture
def gate(site):
    """The closed gate."""
    path = Path(site.environment["WARPCOURT_RUNTIME_DIR"], "hold-checking")
    path.touch()
    yield path
    path.unlink(missing_ok=True)


@pytest.fixture
def installation(site, gate):
    """The site, with the workers that the test starts."""
    yield site
    gate.unlink(missing_ok=True)
    site.stop_workers()


def ask_all(worker: subprocess.Popen[str]) -> None:
    """SIGTERM to the worker and its children, as a shell and systemd do it."""
    os.killpg(worker.pid, signal.SIGTERM)


@pytest.mark.parametrize("ask", [subprocess.Popen.terminate, ask_all])
def test_what_is_not_finished_in_the_grace_another_has_at_once(installation, gate, ask):
    worker = installation.start_worker()
    public_id = hold(installation)
    installation.start_worker()
    said = len(installation.log)
    ask(worker)
    assert worker.wait(timeout=30) == 0
    assert any("job_returned" in line and "stopping" in line for line in installation.log[said:])
    gate.unlink()
    assert installation.wait_for(public_id)["verdict"] == "wrong_answer"
    kinds = [event.split()[1] for event in installation.events(public_id)]
    assert [kinds.count(kind) for kind in ("claimed", "retried", "finished")] == [2, 1, 1]


def test_a_busy_worker_keeps_no_ring_from_an_idle_one(installation, gate):
    installation.start_worker()
    held = hold(installation)
    installation.start_worker()
    for public_id in [installation.submit("accepted") for _ in range(4)]:
        installation.wait_for(public_id)
    gate.unlink()
    installation.wait_for(held)


def test_connections_that_are_cut_cost_no_page_and_no_verdict(installation, gate):
    installation.start_worker()
    public_id = hold(installation)
    with psycopg.connect(installation.environment["WARPCOURT_DATABASE_URL"], autocommit=True) as database:
        database.execute(_CUT, [database.info.dbname])
    assert installation.http.get("/").status_code == 200
    assert installation.show(public_id)["state"] == "judging"
    said = len(installation.log)
    gate.unlink()
    assert installation.wait_for(public_id)["verdict"] == "wrong_answer"
    kept = ("verdict_kept", "progress_not_recorded")
    wait_until(lambda: any(word in line for line in installation.log[said:] for word in kept), "the log", 10)
    assert sum("claimed" in event for event in installation.events(public_id)) == 1


def hold(installation: Installation) -> str:
    """Hand in a program that is held while it is judged."""
    public_id = installation.submit("hold=checking wrong_answer")
    installation.wait_for(public_id, state="judging")
    return public_id
