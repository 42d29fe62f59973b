"""One cluster for all faults that need no real judge, and what every fault has to leave behind."""

import contextlib
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster import Cluster
from tests.cluster.cluster import Held
from tests.cluster.hosts import need_hosts

RECOVERY_S = 30.0


@contextlib.contextmanager
def cluster_of(**options) -> Iterator[Cluster]:
    """A cluster in a folder of its own, which the database server's user can reach."""
    need_hosts()
    with tempfile.TemporaryDirectory(prefix="warpcourt-cluster-", ignore_cleanup_errors=True) as name:
        Path(name).chmod(0o755)
        with Cluster(Path(name), **options) as cluster:
            yield cluster


@pytest.fixture(scope="session")
def shared_cluster() -> Iterator[Cluster]:
    """Two worker hosts, with the judge that obeys the source."""
    with cluster_of() as cluster:
        yield cluster


@pytest.fixture
def cluster(shared_cluster: Cluster) -> Cluster:
    """The same, with a worker on every host."""
    shared_cluster.start()
    return shared_cluster


@pytest.fixture
def recovers(record_property):
    """`with recovers(cluster, held):` a fault happens, and all is well again in time."""

    @contextlib.contextmanager
    def recover(cluster: Cluster, held: Held, *, verdict: str = "accepted") -> Iterator[None]:
        began = time.monotonic()
        yield
        held.release()
        cluster.settle(RECOVERY_S)
        took_s = time.monotonic() - began
        record_property("recovery_s", round(took_s, 2))
        assert took_s < RECOVERY_S
        assert cluster.violations() == []
        for public_id in {held.public_id, *held.judged}:
            assert cluster.show(public_id)["verdict"] == verdict

    return recover
