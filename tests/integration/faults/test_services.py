"""Tests stops, restarts and lost data of PostgreSQL and Redis."""

import pytest

from tests.cluster import STAGES, Stage, hold

pytestmark = [pytest.mark.integration, pytest.mark.xdist_group("cluster")]


@pytest.mark.parametrize("stage", STAGES)
def test_the_broker_forgets_stops_and_starts(cluster, recovers, stage):
    with hold(cluster, stage) as held, recovers(cluster, held):
        cluster.redis.flush()
        cluster.redis.stop()
        meanwhile = cluster.submit("accepted")
        assert cluster.state(meanwhile) == ("queued", 0)
        cluster.redis.start()


@pytest.mark.parametrize("stage", STAGES)
def test_the_database_crashes_and_starts(cluster, recovers, stage):
    """In the last stage it crashes within the transaction that records the verdict."""
    with hold(cluster, stage) as held, recovers(cluster, held):
        cluster.postgres.stop(suddenly=True)
        held.release()
        cluster.postgres.start()


def test_the_database_is_stopped_while_a_verdict_is_recorded(cluster, recovers):
    with hold(cluster, Stage.RECORDING) as held, recovers(cluster, held):
        cluster.postgres.stop()
        cluster.postgres.start()
