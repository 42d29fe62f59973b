"""A complete installation on separate hosts for tests and benchmarks, with faults and invariants.

with Cluster(folder, hosts=2) as cluster:
    cluster.start()
    mine = cluster.submit("accepted score=12.5")
    host, _ = cluster.judging(mine)
    cluster.stop_worker(host)
    cluster.settle()
    assert cluster.violations() == []
"""

from tests.cluster.cluster import Cluster, Person
from tests.cluster.hosts import Host
from tests.cluster.stages import KINDS, REAL_STAGES, STAGES, HeldJob, Stage, hold, hold_again, hold_kind

__all__ = [
    "KINDS",
    "REAL_STAGES",
    "STAGES",
    "Cluster",
    "HeldJob",
    "Host",
    "Person",
    "Stage",
    "hold",
    "hold_again",
    "hold_kind",
]
