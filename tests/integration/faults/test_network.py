"""Tests a worker without a network: its cable is pulled, and neither end is notified."""

import pytest

from testing.services import wait_until
from tests.cluster import STAGES, hold

pytestmark = [pytest.mark.integration, pytest.mark.xdist_group("cluster")]


@pytest.mark.parametrize("stage", STAGES)
def test_a_worker_is_cut_off(cluster, recovers, stage):
    with hold(cluster, stage) as held:
        host, _ = cluster.judging(held.judged[0])
        try:
            with recovers(cluster, held):
                cluster.hub.disconnect(host)
        finally:
            cluster.hub.reconnect(host)
        wait_until(lambda: cluster.has_heartbeat(host), f"the return of {host.name}", 30)
        assert cluster.violations() == []
