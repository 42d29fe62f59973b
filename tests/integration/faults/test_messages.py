"""Tests repeated messages and results, and a wake-up message that is never sent."""

from collections.abc import Iterator

import httpx
import pytest

from tests.cluster import STAGES, Cluster, hold, hold_again

pytestmark = [pytest.mark.integration, pytest.mark.xdist_group("cluster")]


TIMES = 10


@pytest.fixture(scope="module")
def forgetful_cluster(shared_cluster: Cluster) -> Iterator[Cluster]:
    """One whose workers lose the answer to every result."""
    shared_cluster.stop_workers()
    shared_cluster.worker_app = "tests.cluster.forgetful_worker"
    try:
        shared_cluster.start()
        yield shared_cluster
    finally:
        shared_cluster.stop_workers()
        shared_cluster.worker_app = "worker.app"


@pytest.mark.parametrize("stage", STAGES)
def test_the_same_message_comes_ten_times(cluster, recovers, stage):
    with hold(cluster, stage) as held:
        with recovers(cluster, held):
            cluster.ask("wake", TIMES)
        assert cluster.steps(held.public_id).count("claimed") == 1


@pytest.mark.parametrize("stage", STAGES)
def test_a_result_is_sent_twice(forgetful_cluster, recovers, stage):
    """An earlier attempt, which was presumed dead, sends its result twice; then the valid one comes twice."""
    cluster = forgetful_cluster
    with hold_again(cluster, stage) as held:
        with recovers(cluster, held):
            assert not cluster.ask("send_result", held.public_id, "wrong_answer")
            assert not cluster.ask("send_result", held.public_id, "wrong_answer")
        assert cluster.steps(held.public_id).count("finished") == 1


@pytest.mark.parametrize("stage", STAGES)
def test_the_site_is_killed_between_commit_and_wakeup(cluster, recovers, stage):
    with hold(cluster, stage) as held, recovers(cluster, held):
        (cluster.gates / "die-before-waking").touch()
        key = f"sent-while-{stage}"
        with pytest.raises(httpx.TransportError):
            cluster.submit("wrong_answer", key=key)
        cluster.site.wait()
        cluster.start_site()
        stored = cluster.sql("SELECT public_id FROM submissions_submission WHERE idempotency_key = %s", key)
        assert stored == [(cluster.submit("wrong_answer", key=key),)]
