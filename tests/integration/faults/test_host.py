"""Tests faults of a worker host: its container engine restarts, its disk is full."""

import contextlib

import pytest

from tests.cluster import REAL_STAGES, Cluster, hold
from tests.cluster.hosts import Host
from tests.cluster.stages import Held
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


def judging_host(cluster: Cluster, held: Held) -> Host:
    """A host that judges. A program that is judged for real stays for two seconds, and may have ended."""
    for public_id in held.judged:
        with contextlib.suppress(StopIteration):
            return cluster.judging(public_id)[0]
    return cluster.hosts[0]


@pytest.mark.parametrize("stage", REAL_STAGES)
def test_the_disk_is_full(real_cluster, recovers, stage):
    cluster = real_cluster
    with hold(cluster, stage, real.source) as held:
        host = judging_host(cluster, held)
        try:
            with recovers(cluster, held):
                cluster.fill_disk(host)
        finally:
            cluster.clear_disk(host)
