"""Tests workers with wrong clocks: one is a quarter of an hour ahead, the other as far behind."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from testing.services import need
from tests.cluster import STAGES, Cluster, hold
from tests.cluster.cluster import SWEEP_S

pytestmark = [pytest.mark.integration, pytest.mark.xdist_group("cluster")]


FAKETIME = Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1")
AWAY_S = 900


@pytest.fixture(scope="module")
def clocks(shared_cluster: Cluster) -> Iterator[dict[str, Path]]:
    """The clocks of the worker hosts: what is written there is added to the time."""
    need(FAKETIME.exists(), "libfaketime", "apt-get install faketime")
    shared_cluster.stop_workers()
    files = {}
    for host in shared_cluster.hosts:
        files[host.name] = shared_cluster.folder / f"clock-{host.name}"
        files[host.name].write_text("+0\n")
        shared_cluster.launch(
            host,
            LD_PRELOAD=str(FAKETIME),
            FAKETIME_TIMESTAMP_FILE=str(files[host.name]),
            FAKETIME_NO_CACHE="1",
            FAKETIME_DONT_FAKE_MONOTONIC="1",
        )
    yield files
    shared_cluster.stop_workers()


@pytest.mark.parametrize("stage", STAGES)
def test_clocks_jump(clocks, cluster, recovers, stage):
    with hold(cluster, stage) as held:
        ahead, _ = cluster.judging(held.judged[0])
        with recovers(cluster, held):
            for name, clock in clocks.items():
                clock.write_text(f"{'+' if name == ahead.name else '-'}{AWAY_S}\n")
            time.sleep(2 * SWEEP_S)  # so that both have swept with these clocks; a sweep leaves no trace
        assert cluster.state(held.public_id) == ("done", 1), "another worker took it, going by its own clock"
