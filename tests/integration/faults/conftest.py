"""One cluster for all faults that need no real judge, and the checks after every fault."""

import contextlib
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.cpu.build import build_runtime
from sandbox.toolchain import ToolchainMissing, find_toolkit
from testing.services import need
from tests.cluster import Cluster, Stage
from tests.cluster.hosts import need_hosts
from tests.cluster.stages import Held
from tests.integration.conftest import CACHE
from tests.integration.faults import real

RECOVERY_S = 30.0
FIRST_JUDGEMENT_S = 180.0


@contextlib.contextmanager
def cluster_of(**options) -> Iterator[Cluster]:
    """A cluster in a new folder that the user of the database server can reach."""
    need_hosts()
    with tempfile.TemporaryDirectory(prefix="warpcourt-cluster-", ignore_cleanup_errors=True) as name:
        Path(name).chmod(0o755)
        with Cluster(Path(name), **options) as cluster:
            yield cluster


@pytest.fixture(scope="package")  # an idle cluster would take processor time from later tests
def shared_cluster() -> Iterator[Cluster]:
    """Two worker hosts with the scripted judge."""
    with cluster_of() as cluster:
        yield cluster


@pytest.fixture
def cluster(shared_cluster: Cluster) -> Cluster:
    """The same, with a worker on every host."""
    shared_cluster.start()
    return shared_cluster


@pytest.fixture(scope="session")
def functional_runtime() -> Path:
    """The runtime of functional mode, built here, once, and not on each host."""
    try:
        return build_runtime(CACHE, find_toolkit()).folder
    except ToolchainMissing as error:
        need(False, "the judge", str(error))
        raise


@pytest.fixture(scope="package")
def shared_real_cluster(tmp_path_factory, functional_runtime: Path) -> Iterator[Cluster]:
    """Two worker hosts that judge for real: each with a container engine, and a small disk."""
    problems = real.problems_in(tmp_path_factory.mktemp("packages"))
    with cluster_of(
        worker_app="tests.cluster.simulated_worker",
        WARPCOURT_TARGET="cpu",
        WARPCOURT_ISOLATION="docker",
        WARPCOURT_PROBLEMS_DIR=str(problems),
        WARPCOURT_MIN_FREE_MIB="8",
        WARPCOURT_SECRET_POOL_MIB="64",
    ) as cluster:
        for host in cluster.hosts:
            cluster.give_disk(host, mib=64)
            cluster.start_engine(host)
            host.run("sh", "-c", f"mkdir -p {cluster.folder}/{host.name}/cache")
            host.run("cp", "-r", str(functional_runtime), f"{cluster.folder}/{host.name}/cache")
        cluster.start()
        for _ in cluster.hosts:
            cluster.submit(real.source(Stage.QUEUED))
        cluster.settle(FIRST_JUDGEMENT_S)
        yield cluster


@pytest.fixture
def real_cluster(shared_real_cluster: Cluster) -> Cluster:
    """The same, with a worker on every host."""
    shared_real_cluster.start()
    return shared_real_cluster


@pytest.fixture
def recovers(record_property):
    """`with recovers(cluster, held):` surrounds a fault and checks that the cluster recovers in time.

    Time counts from the end of the block: the fault has happened, and a service that was stopped is back.
    """

    @contextlib.contextmanager
    def recover(cluster: Cluster, held: Held, *, verdict: str = "accepted") -> Iterator[None]:
        yield
        began = time.monotonic()
        held.release()
        try:
            cluster.settle(RECOVERY_S)
        except pytest.fail.Exception as error:
            undone = {one: cluster.steps(one) for one in cluster.ask("undone")}
            pytest.fail(f"{error}: {undone}\n{cluster.story()}")
        took_s = time.monotonic() - began
        record_property("recovery_s", round(took_s, 2))
        assert took_s < RECOVERY_S
        assert cluster.violations() == []
        for public_id in {held.public_id, *held.judged}:
            assert cluster.show(public_id)["verdict"] == verdict

    return recover
