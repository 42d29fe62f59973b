"""A worker that judges for real, on a simulated GPU.

    celery -A tests.cluster.simulated_worker worker

Compiler, sandboxes, oracle, referee and clock are those of a GPU host. Only the GPU is simulated
(`judge.gpu.simulated`). The worker's settings have `WARPCOURT_TARGET=cpu`, and name the isolation.
"""

from collections.abc import Mapping
from pathlib import Path

from judge.cpu.target import CpuTarget
from judge.gpu.settings import NodeSettings
from judge.gpu.simulated import SimulatedHardware
from judge.gpu.target import GpuTarget
from judge.target import Target
from judge.wiring import open_backend
from web.site import judging

_SLOTS = 4


def _open_simulated(
    name: str, *, backend: str, cache: Path, warm: Mapping[str, int], node: NodeSettings | None = None
) -> Target:
    del name
    node = node or NodeSettings()
    isolation = open_backend(backend, node=node)
    isolation.verify()
    return GpuTarget(
        SimulatedHardware(CpuTarget.open(isolation, cache=cache, warm={})),
        isolation,
        runtime=node.runtime_of(cache),
        warm={kind: warm[kind] for kind in ("oracle", "cuda")},
        slots=_SLOTS,
        secret_pool=node.secret_pool,
    )


judging.open_target = _open_simulated  # type: ignore[attr-defined]

from worker.app import celery  # noqa: E402 - it opens the target in each child that it starts

__all__ = ["celery"]
