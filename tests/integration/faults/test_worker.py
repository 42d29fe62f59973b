"""Tests workers that die, in part or completely, or pause for a while."""

import os
import signal

import pytest

from testing.services import wait_until
from tests.cluster import STAGES, Stage, hold
from web.config import Config

pytestmark = [pytest.mark.integration, pytest.mark.xdist_group("cluster")]


@pytest.mark.parametrize("stage", STAGES)
def test_a_worker_is_killed(cluster, recovers, stage):
    with hold(cluster, stage) as held:
        host, _ = cluster.judging(held.judged[0])
        with recovers(cluster, held):
            cluster.stop_worker(host)
            cluster.launch(host)


@pytest.mark.parametrize("stage", STAGES)
def test_the_child_that_judges_is_killed(cluster, recovers, stage):
    with hold(cluster, stage) as held:
        _, child = cluster.judging(held.judged[0])
        with recovers(cluster, held):
            os.kill(child, signal.SIGKILL)


@pytest.mark.parametrize("stage", STAGES)
def test_a_worker_is_paused_past_its_lease_and_resumed(cluster, recovers, stage):
    with hold(cluster, stage) as held:
        host, _ = cluster.judging(held.judged[0])
        worker = cluster.worker(host)
        try:
            with recovers(cluster, held):
                worker.group(signal.SIGSTOP)
        finally:
            worker.group(signal.SIGCONT)
        wait_until(lambda: worker.said("verdict_discarded"), "the late verdict")
        assert cluster.violations() == []


@pytest.mark.parametrize("stage", STAGES)
def test_every_sweeper_is_killed(cluster, recovers, stage):
    """The main processes die, with their sweepers; children finish what they judge."""
    with hold(cluster, stage) as held, recovers(cluster, held):
        for host in cluster.hosts:
            cluster.worker(host).signal(signal.SIGKILL)
        for host in cluster.hosts:
            cluster.launch(host)


def test_a_worker_is_killed_under_the_settings_of_an_installation(shared_cluster, recovers):
    """Elsewhere leases last two seconds. This is the longest wait of all: a default lease, and a sweep."""
    cluster = shared_cluster
    cluster.stop_workers()
    try:
        for host in cluster.hosts:
            usual = {"WARPCOURT_LEASE_S": default("lease_s"), "WARPCOURT_SWEEP_S": default("sweep_s")}
            cluster.start_worker(host, **usual)
        with hold(cluster, Stage.CHECKING) as held:
            host, _ = cluster.judging(held.public_id)
            with recovers(cluster, held):
                cluster.stop_worker(host)
    finally:
        cluster.stop_workers()


def default(field: str) -> str:
    """The default of a setting."""
    return next(setting.default for setting in Config.settings() if setting.field == field)
