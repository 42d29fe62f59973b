"""Tests drains and exits of real workers, as staff see them through the API."""

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from testing.services import wait_until
from tests.integration.web.installation import ROOT, Installation

pytestmark = [pytest.mark.integration, pytest.mark.xdist_group("installation")]

_PROMOTE = "from web.accounts.models import User; User.objects.update(is_staff=True)"


class StaffedInstallation(Installation):
    """One whose learner runs it. Its workers are on nodes with names of their own."""

    def start_node(self, name: str) -> "subprocess.Popen[str]":
        """Start a worker on the node `name`, and wait until the fleet knows of it."""
        self.environment["WARPCOURT_NODE_NAME"] = name
        worker = self.start_worker()
        wait_until(lambda: bool(self.node(name).get("workers")), f"the first report of {name}")
        return worker

    def node(self, name: str) -> dict[str, Any]:
        """Return a node as the API shows it, or an empty dict while it is unknown."""
        fleet = self.http.get("/api/v1/fleet").json()
        return next((node for node in fleet["nodes"] if node["name"] == name), {})

    def order(self, address: str, **body: str) -> None:
        """Give an order."""
        self.http.post(f"/api/v1/fleet/{address}", json=body).raise_for_status()


@pytest.fixture(params=["embedded", "production"])
def installation(request: pytest.FixtureRequest, tmp_path: Any) -> Iterator[StaffedInstallation]:
    """SQLite with files for a broker, and PostgreSQL with Redis."""
    services = {}
    if request.param == "production":
        services["broker_url"] = request.getfixturevalue("redis_url")
        services["database_url"] = request.getfixturevalue("postgres_url")
    made = StaffedInstallation(tmp_path, **services)
    argv = [sys.executable, "manage.py", "shell", "-c", _PROMOTE]
    subprocess.run(argv, cwd=ROOT, env=made.environment, check=True, capture_output=True)
    made.start_site()
    yield made
    made.stop()


def test_a_drained_worker_finishes_and_takes_nothing_more_until_it_may(
    installation: StaffedInstallation,
) -> None:
    installation.start_node("node-a")
    assert "cpu" in installation.node("node-a")["workers"][0]["queues"]
    running = installation.submit("sleep=3")
    installation.wait_for(running, state="judging")
    wait_until(lambda: installation.node("node-a")["workers"][0]["busy"] == 1, "a report of what is judged")
    installation.order("nodes/node-a/drain", reason="a new fan")
    assert not installation.node("node-a")["idle"]
    kept_waiting = installation.submit("wrong_answer")
    wait_until(lambda: installation.node("node-a")["idle"], "the end of what is judged")
    assert installation.show(running)["verdict"] == "accepted"
    assert installation.show(kept_waiting)["state"] == "queued"

    other = installation.start_node("node-b")
    assert installation.wait_for(kept_waiting)["verdict"] == "wrong_answer"
    installation.order("nodes/node-a/undrain")
    other.terminate()
    wait_until(lambda: installation.node("node-b")["workers"][0]["state"] == "stopped", "a goodbye")
    assert installation.wait_for(installation.submit("accepted"))["verdict"] == "accepted"
    wait_until(
        lambda: installation.node("node-a")["workers"][0]["state"] == "serving", "a report after the drain"
    )
    assert any("Canceling queue judge.cpu" in line for line in installation.log), (
        "it must not take a wake-up message"
    )
    assert any("Started consuming from judge.cpu" in line for line in installation.log)
