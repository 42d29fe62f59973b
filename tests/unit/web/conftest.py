"""What tests of the site share beyond people and problems: a fleet."""

from collections.abc import Callable

import pytest

from sandbox.gpu.fake_nvml import fake_gpu
from web.fleet import services
from web.fleet.models import Node


@pytest.fixture
def live_gpus(db: None) -> Callable[..., Node]:
    """Makes a node that serves, with a GPU of each model: `live_gpus("NVIDIA H200")`."""

    def record(*models: str, name: str = "node-1") -> Node:
        gpus = [fake_gpu(number, model=model) for number, model in enumerate(models)]
        return services.record_inventory(name, {}, gpus)

    return record
