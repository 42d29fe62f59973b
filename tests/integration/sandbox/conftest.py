"""The real backends, and the short form in which the tests run programs. Every test here runs on both."""

import os
import shutil
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import pytest

from sandbox.backend import IsolationUnavailable
from sandbox.bubblewrap import Bubblewrap
from sandbox.containers.backend import IDENTITIES, Containers
from sandbox.containers.images import Images
from sandbox.spec import Bind, Command, Completion, Limits
from sandbox.watch import WatchedProcess
from testing.services import need
from tests.integration.conftest import CACHE

LIMITS = Limits(wall_s=20, cpu_s=10, memory_mib=256, processes=32, file_mib=16, tmpfs_mib=8)
SYSTEM_PYTHON = Path("/usr/bin/python3")
# Only for this process, because a test checks whether it is empty.
CONTAINERS = CACHE / f"containers-{os.environ.get('PYTEST_XDIST_WORKER', 'alone')}"


@dataclass(frozen=True)
class Sandbox:
    """Runs each program isolated in a separate sandbox.

    `identity` is the user id of a program inside. `remake` is the expression that creates the backend again.
    """

    backend: Bubblewrap | Containers
    identity: int
    remake: str

    @property
    def bubblewrap(self) -> Bubblewrap | None:
        return self.backend if isinstance(self.backend, Bubblewrap) else None

    def settle(self) -> None:
        """Wait until all ended sandboxes are removed."""
        if isinstance(self.backend, Containers):
            self.backend.close()

    def start(self, *argv: str, limits: Limits = LIMITS, **rest: object) -> WatchedProcess:
        return self.backend.start(replace(Command(argv, limits), **rest))  # type: ignore[arg-type]

    def run(self, *argv: str, limits: Limits = LIMITS, **rest: object) -> Completion:
        process = self.start(*argv, limits=limits, **rest)
        try:
            return process.wait(60)
        finally:
            process.close()

    def shell(self, script: str, limits: Limits = LIMITS, **rest: object) -> Completion:
        return self.run("/bin/sh", "-c", script, limits=limits, **rest)

    def python(
        self, source: str, limits: Limits = LIMITS, files: Mapping[str, bytes] | None = None, **rest: object
    ) -> Completion:
        script = textwrap.dedent(source).encode()
        return self.run(
            *(str(SYSTEM_PYTHON), "-I", "-S", "program.py"),
            limits=limits,
            files={"program.py": script, **(files or {})},
            **rest,
        )

    def native(self, program: Path, *arguments: str, limits: Limits = LIMITS, **rest: object) -> Completion:
        bind = Bind(program, "/program")
        return self.run("/program", *arguments, limits=limits, binds=(bind,), **rest)


@pytest.fixture(scope="session")
def bubblewrap() -> Bubblewrap:
    need(shutil.which("bwrap") is not None, "bubblewrap", "apt-get install bubblewrap")
    return proved(Bubblewrap())


@pytest.fixture(scope="session")
def containers(docker_engine: str | None) -> Iterator[Containers]:
    backend = Containers(Images.host(), directory=CONTAINERS, engine=docker_engine)
    yield proved(backend)
    backend.close()


Real = TypeVar("Real", Bubblewrap, Containers)


def proved(backend: Real) -> Real:
    try:
        backend.verify()
    except IsolationUnavailable as error:
        need(False, "isolation", str(error))
    return backend


@pytest.fixture(scope="session", params=["bubblewrap", "containers"])
def backend(request: pytest.FixtureRequest) -> Bubblewrap | Containers:
    found: Bubblewrap | Containers = request.getfixturevalue(request.param)
    return found


@pytest.fixture(scope="session")
def sandbox(backend: Bubblewrap | Containers, request: pytest.FixtureRequest) -> Sandbox:
    need(SYSTEM_PYTHON.exists(), "a system Python", "apt-get install python3-minimal")
    if isinstance(backend, Bubblewrap):
        return Sandbox(backend, 65534, "Bubblewrap()")
    engine = request.getfixturevalue("docker_engine")
    remake = f"Containers(Images.host(), directory=Path({str(CONTAINERS)!r}), engine={engine!r})"
    return Sandbox(backend, IDENTITIES.start, remake)
