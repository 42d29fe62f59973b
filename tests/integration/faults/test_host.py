"""What a host lends to a judge fails: its container engine restarts, its disk is full."""

import pytest

from tests.cluster import REAL_STAGES, hold
from tests.integration.faults import real

pytestmark = [pytest.mark.integration, pytest.mark.xdist_group("cluster")]


@pytest.mark.parametrize("stage", REAL_STAGES)
def test_every_container_engine_restarts(real_cluster, recovers, stage):
    cluster = real_cluster
    with hold(cluster, stage, real.source) as held, recovers(cluster, held):
        for engine in cluster.engines:
            engine.stop()
        for engine in cluster.engines:
            engine.start()


@pytest.mark.parametrize("stage", REAL_STAGES)
def test_the_disk_is_full(real_cluster, recovers, stage):
    cluster = real_cluster
    with hold(cluster, stage, real.source) as held:
        host, _ = cluster.judging(held.judged[0])
        try:
            with recovers(cluster, held):
                cluster.fill_disk(host)
        finally:
            cluster.clear_disk(host)
