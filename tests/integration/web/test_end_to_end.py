"""Tests the way from a request to a verdict through real processes, with the scripted judge."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import redis

from testing.services import free_port, wait_until
from tests.integration.web.installation import ROOT, Installation, kill_group

pytestmark = [pytest.mark.integration, pytest.mark.xdist_group("installation")]


@pytest.fixture(scope="module", params=["embedded", "production"])
def site(request, tmp_path_factory):
    """SQLite with files for a broker, and PostgreSQL with Redis."""
    services = {}
    if request.param == "production":
        services["broker_url"] = request.getfixturevalue("redis_url")
        services["database_url"] = request.getfixturevalue("postgres_url")
    installation = Installation(tmp_path_factory.mktemp(request.param), **services)
    installation.start_site()
    yield installation
    installation.stop()


@pytest.fixture
def installation(site):
    """The site, with the workers that the test starts."""
    yield site
    site.stop_workers()


def test_submissions_become_verdicts_and_are_followed(installation):
    installation.start_worker(concurrency=2)
    wanted = ["accepted", "wrong_answer", "compile_error", "illegal_access"]
    ids = [installation.submit(verdict) for verdict in wanted]
    assert [installation.wait_for(public_id)["verdict"] for public_id in ids] == wanted
    every = ["1 queued", "2 claimed", "3 compiling", "4 compiled", "5 case", "6 finished"]
    assert installation.events(ids[0]) == every
    assert installation.events(ids[0], **{"Last-Event-ID": "4"}) == every[4:]


def test_a_stream_is_live(installation):
    installation.start_worker()
    public_id = installation.submit("sleep=1")
    route = f"/api/v1/submissions/{public_id}/events"
    with installation.http.stream("GET", route, timeout=20) as stream:
        names = [line.removeprefix("event: ") for line in stream.iter_lines() if line.startswith("event: ")]
    # What holds for the moment only comes as often as it changes.
    steps = [name for name in names if name != "queue"]
    assert steps == ["queued", "claimed", "compiling", "compiled", "case", "finished"]


def test_a_killed_worker_costs_time_and_nothing_else(installation):
    worker = installation.start_worker()
    public_id = installation.submit("sleep=4")
    installation.wait_for(public_id, state="judging")
    kill_group(worker)
    installation.start_worker()
    assert installation.wait_for(public_id)["verdict"] == "accepted"
    events = [event.split()[1] for event in installation.events(public_id)]
    assert events.count("finished") == 1
    assert events.count("claimed") == 2
    assert "retried" in events


def test_a_killed_child_costs_time_and_nothing_else(installation):
    worker = installation.start_worker()
    public_id = installation.submit("sleep=4")
    installation.wait_for(public_id, state="judging")
    children = subprocess.run(
        ["pgrep", "-P", str(worker.pid)], capture_output=True, text=True, check=True
    ).stdout.split()
    for child in children:
        os.kill(int(child), signal.SIGKILL)
    assert installation.wait_for(public_id)["verdict"] == "accepted"


def test_a_stopped_worker_finishes_what_it_judges(installation):
    worker = installation.start_worker()
    public_id = installation.submit("sleep=2")
    installation.wait_for(public_id, state="judging")
    worker.terminate()
    worker.wait(timeout=15)
    shown = installation.show(public_id)
    assert (shown["state"], shown["verdict"]) == ("done", "accepted")


def test_cancelling_ends_a_running_judgement(installation):
    installation.start_worker()
    public_id = installation.submit("sleep=60")
    installation.wait_for(public_id, state="judging")
    assert installation.http.post(f"/api/v1/submissions/{public_id}/cancel").json() == {"cancelled": True}
    assert installation.wait_for(public_id, timeout_s=10)["verdict"] == "cancelled"


def test_a_job_whose_ring_was_lost_is_found_by_a_sweep(installation):
    public_id = installation.submit("accepted")
    for message in Path(installation.environment["WARPCOURT_DATA_DIR"]).glob("messages/*.msg"):
        message.unlink()
    if broker := installation.environment["WARPCOURT_BROKER_URL"]:
        redis.Redis.from_url(broker).flushall()
    installation.start_worker()
    assert installation.wait_for(public_id, timeout_s=15)["verdict"] == "accepted"


def test_a_lost_broker_costs_time_and_nothing_else(tmp_path, request):
    """Without a broker, the site accepts a submission. It is judged as soon as the broker runs."""
    port = free_port()
    installation = Installation(tmp_path, broker_url=f"redis://127.0.0.1:{port}/0")
    try:
        # Rate limits use the same server; they must not fail the request either.
        installation.start_site()
        public_id = installation.submit("accepted")
        assert installation.show(public_id)["state"] == "queued"
        assert any("broker_unreachable" in line for line in installation.log)
        installation.environment["WARPCOURT_BROKER_URL"] = ""
        installation.start_worker()
        assert installation.wait_for(public_id)["verdict"] == "accepted"
    finally:
        installation.stop()


def test_the_supervisor_serves_restarts_and_stops(tmp_path):
    installation = Installation(tmp_path)
    try:
        supervisor = installation.start("-m", "worker.supervise")
        installation.sign_in()
        assert installation.wait_for(installation.submit("accepted"))["verdict"] == "accepted"
        (worker,) = children_named(supervisor.pid, "worker.app")
        os.killpg(worker, signal.SIGKILL)
        wait_until(lambda: worker not in children_named(supervisor.pid, "worker.app"), "the death")
        assert installation.wait_for(installation.submit("wrong_answer"))["verdict"] == "wrong_answer"
        assert any("worker ended with status -9; starting it again" in line for line in installation.log)
        children = children_named(supervisor.pid, "")
        supervisor.send_signal(signal.SIGINT)
        assert supervisor.wait(timeout=25) == 0
        assert not [child for child in children if Path(f"/proc/{child}").exists()]
    finally:
        installation.stop()


def test_a_taken_port_is_named_with_the_fix(tmp_path):
    installation = Installation(tmp_path)
    try:
        installation.start_site()
        second = subprocess.run(
            [sys.executable, "-m", "worker.supervise"],
            cwd=ROOT,
            env=installation.environment,
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
        assert second.returncode == 1
        assert f"Cannot listen on 127.0.0.1:{installation.port}" in second.stderr
        assert f"WARPCOURT_PORT={installation.port + 1}" in second.stderr
    finally:
        installation.stop()


def children_named(parent: int, part: str) -> list[int]:
    """The processes below `parent` whose command line holds `part`."""
    find = ["pgrep", "-P", str(parent), "-f", part]
    listed = subprocess.run(find, capture_output=True, text=True, check=False)
    return [int(pid) for pid in listed.stdout.split()]
