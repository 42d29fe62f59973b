"""Tests workers in a real Slurm cluster: no fault loses a job, or lets one be judged twice."""

import contextlib
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from testing.services import wait_until
from tests.cluster import STAGES, Host, Stage, hold
from tests.cluster.hosts import need_hosts
from tests.cluster.slurm import USER, SlurmCluster
from tests.cluster.stages import Held, scripted
from tests.integration.faults import real
from tests.integration.faults.conftest import FIRST_JUDGEMENT_S

pytestmark = [pytest.mark.integration, pytest.mark.xdist_group("slurm")]
PATIENCE_S = 120.0  # no test fails because the machine is busy
Repair = Callable[[], object]


@pytest.fixture(scope="module")
def shared_cluster() -> Iterator[SlurmCluster]:
    """Two nodes with a GPU each, in name only."""
    need_hosts()
    with tempfile.TemporaryDirectory(prefix="warpcourt-slurm-", ignore_cleanup_errors=True) as name:
        Path(name).chmod(0o755)
        with SlurmCluster(Path(name)) as cluster:
            yield cluster


@pytest.fixture
def cluster(shared_cluster: SlurmCluster) -> SlurmCluster:
    """The same, with a worker on every node."""
    shared_cluster.start()
    return shared_cluster


def test_a_pool_grows_from_nothing_and_shrinks_again(shared_cluster):
    """With two autoscalers at once, which submit no more workers than there are nodes."""
    cluster = shared_cluster
    scalers = [cluster.autoscale("--floor=0", "--ceiling=2", "--cooldown-s=1") for _ in range(2)]
    try:
        assert cluster.jobs() == {}
        public_id = cluster.submit(scripted(Stage.QUEUED))
        cluster.settle(PATIENCE_S)
        assert cluster.verdict(public_id) == "accepted"
        wait_until(lambda: not cluster.jobs(), "the end of idle workers", PATIENCE_S)
    finally:
        for scaler in scalers:
            scaler.kill()
    assert cluster.violations() == []


def test_a_worker_of_slurm_judges_in_bubblewrap(shared_cluster, functional_runtime):
    """In functional mode, as an unprivileged user: nvcc, g++ and the program run in user namespaces."""
    cluster = shared_cluster
    cluster.stop_autoscaler()
    give_runtime(cluster, functional_runtime)
    scaler = cluster.autoscale(
        *("--floor=0", "--ceiling=1", "--cooldown-s=1"),
        WARPCOURT_TARGET="cpu",
        WARPCOURT_ISOLATION="bubblewrap",
        WARPCOURT_RUNTIME_DIR=str(cluster.slurm / "local" / "run"),
        WARPCOURT_LEASE_S="20",
    )
    try:
        right = real.source(Stage.QUEUED)
        wrong = right.replace("a[i] + b[i]", "a[i] - b[i]")
        expected = {cluster.submit(right): "accepted", cluster.submit(wrong): "wrong_answer"}
        try:
            cluster.settle(FIRST_JUDGEMENT_S)
        except pytest.fail.Exception as error:
            pytest.fail(f"{error}\n{cluster.story()}")
        for public_id, verdict in expected.items():
            shown = cluster.show(public_id)
            assert (shown["verdict"], shown["report"]["environment"]["target"]) == (verdict, "cpu")
    finally:
        scaler.kill()
        cluster.stop_autoscaler()
    assert cluster.violations() == []


def give_runtime(cluster: SlurmCluster, runtime: Path) -> None:
    """Put the runtime of functional mode into the cache of each node, where the worker would build it."""
    for host in cluster.hosts:
        local = cluster.slurm / "local" / host.name
        cache = local / "data" / "cache"
        shutil.copytree(runtime, cache / runtime.name)
        subprocess.run(["chown", "-R", USER, local], check=True)
        local.chmod(0o700)


def kill_the_node(cluster: SlurmCluster, host: Host) -> Repair:
    cluster.kill_node(host)
    return lambda: cluster.start_slurmd(host)


def restart_slurmctld(cluster: SlurmCluster, _: Host) -> None:
    cluster.restart_slurmctld()


def preempt(cluster: SlurmCluster, host: Host) -> None:
    words = "--partition=urgent --gres=gpu:1 --exclusive --output=/dev/null --chdir=/ --job-name=urgent"
    cluster.do("sbatch", *words.split(), f"--nodelist={host.name}", "--wrap=true")
    await_drain(cluster, host)


def cancel(cluster: SlurmCluster, host: Host) -> None:
    cluster.do("scancel", str(cluster.job_on(host)))
    await_drain(cluster, host)


def drain_the_partition(cluster: SlurmCluster, host: Host) -> Repair:
    """It takes no new worker, and one of the old ones ends."""
    cluster.do("scontrol", "update", "PartitionName=court", "State=DRAIN", user="slurm")
    cluster.do("scancel", "--signal=TERM", "--batch", str(cluster.job_on(host)))
    await_drain(cluster, host)

    def repair() -> None:
        wait_until(lambda: cluster.said("slurm_unavailable"), "Slurm's refusal of a worker", PATIENCE_S)
        cluster.do("scontrol", "update", "PartitionName=court", "State=UP", user="slurm")

    return repair


def await_drain(cluster: SlurmCluster, host: Host) -> None:
    wait_until(lambda: not cluster.has_heartbeat(host), f"the drain of {host.name}", PATIENCE_S)


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("fault", [kill_the_node, restart_slurmctld, preempt, cancel, drain_the_partition])
def test_a_fault_of_slurm(cluster, fault, stage):
    with hold(cluster, stage) as held:
        host, _ = cluster.judging(held.judged[0])
        repair = fault(cluster, host)
        held.release()
        if repair:
            repair()
        ends_well(cluster, held)


@pytest.mark.parametrize(
    "stages", [(Stage.COMPILING, Stage.CHECKING, Stage.QUEUED), (Stage.RECORDING,)], ids="-".join
)
def test_the_time_limit_of_workers(cluster, stages):
    """Slurm looks at limits every half a minute, so several stages meet it at once."""
    with contextlib.ExitStack() as stack:
        all_held = [
            stack.enter_context(hold(cluster, stage)) for stage in stages if stage is not Stage.QUEUED
        ]
        waiting = [cluster.submit(scripted(stage)) for stage in stages if stage is Stage.QUEUED]
        hosts = [cluster.judging(held.public_id)[0] for held in all_held]
        for host in hosts:
            job = cluster.job_on(host)
            # Within the 120 s of --signal, so Slurm sends the signal when it looks next.
            cluster.do("scontrol", "update", f"JobId={job}", "EndTime=now+100seconds", user="slurm")
        for host in hosts:
            await_drain(cluster, host)
        for held in all_held:
            held.release()
        for held in all_held:
            ends_well(cluster, held)
        for public_id in waiting:
            assert cluster.verdict(public_id) == "accepted"


def ends_well(cluster: SlurmCluster, held: Held) -> None:
    """Every submission has its one verdict, and no node runs what Slurm does not know."""
    try:
        cluster.settle(PATIENCE_S)
        with contextlib.suppress(pytest.fail.Exception):  # a step of Slurm may still be ending
            wait_until(lambda: cluster.violations() == [], "an end in order")
        assert cluster.violations() == []
    except (pytest.fail.Exception, AssertionError) as error:
        pytest.fail(f"{error}\n{cluster.story()}")
    for public_id in {held.public_id, *held.judged}:
        assert cluster.verdict(public_id) == "accepted"
