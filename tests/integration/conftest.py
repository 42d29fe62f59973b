"""The real judge for tests: bubblewrap, nvcc and the warm pools of one process."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from judge.target import Target
from judge.wiring import open_target
from sandbox.backend import IsolationUnavailable
from sandbox.toolchain import ToolchainMissing
from testing.services import container_engine, need

CACHE = Path(__file__).resolve().parents[2] / ".cache" / "tests"


@pytest.fixture(scope="session")
def docker_engine() -> Iterator[str | None]:
    """The address of a container engine, None for the host's own. Started, and stopped, if there is none."""
    with container_engine(CACHE / "docker") as address:
        yield address


@pytest.fixture(scope="session")
def cpu_target() -> Iterator[Target]:
    """A target on this machine's CPU. Artifacts are kept between runs, the runtime too."""
    need(shutil.which("bwrap") is not None, "bubblewrap", "apt-get install bubblewrap")
    try:
        target = open_target("cpu", backend="bubblewrap", cache=CACHE, warm={"oracle": 1, "triton": 1})
    except (IsolationUnavailable, ToolchainMissing) as error:
        need(False, "the judge", str(error))
        raise
    yield target
    target.close()
