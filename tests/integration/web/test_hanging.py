"""Tests a real worker with a child that hangs in a call which blocks all other threads."""

from pathlib import Path

import pytest

from testing.services import wait_until
from tests.integration.web.installation import Installation
from worker.pulse import activity_of

pytestmark = [pytest.mark.integration, pytest.mark.xdist_group("installation")]
LEASE_S = 10


@pytest.fixture(scope="module")
def installation(tmp_path_factory):
    """With one worker that has one child."""
    site = Installation(tmp_path_factory.mktemp("hanging"), lease_s=str(LEASE_S), sweep_s="1")
    site.start_site()
    site.start_worker()
    yield site
    site.stop()


def test_a_program_on_which_the_judge_hangs_stops_no_site(installation):
    """Two of them stopped one: each hung three children, one after the other, until Celery's limit."""
    hostile = [installation.submit("freeze"), installation.submit("freeze again")]
    honest = installation.submit("accepted")
    for public_id in hostile:
        shown = installation.wait_for(public_id, timeout_s=90)
        assert shown["verdict"] == "internal_error"
        assert "could not read this source in time" in shown["message"]
        assert sum("claimed" in event for event in installation.events(public_id)) == 1
    assert installation.wait_for(honest)["verdict"] == "accepted"
    assert sum("child_hung" in line for line in installation.log) == 2


def test_a_child_that_hung_leaves_no_process(installation):
    installation.wait_for(installation.submit("accepted"), timeout_s=60)
    before = children(installation)
    assert before
    installation.wait_for(installation.submit("freeze"), timeout_s=90)
    wait_until(lambda: not before & children(installation), "the end of the child that hung", 10)
    assert all(activity_of(pid) is None for pid in before)


def children(installation):
    """The processes that judge."""
    listed = Path(f"/proc/{installation._processes[-1].pid}/task").glob("*/children")
    return {int(pid) for path in listed for pid in path.read_text().split()}
