"""A real bubblewrap backend, and the short form in which the tests run programs."""

import shutil
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from sandbox.backend import IsolationUnavailable
from sandbox.bubblewrap import Bubblewrap
from sandbox.spec import Bind, Command, Completion, Limits
from sandbox.watch import WatchedProcess
from tests.services import need

LIMITS = Limits(wall_s=20, cpu_s=10, memory_mib=256, processes=32, file_mib=16, tmpfs_mib=8)
SYSTEM_PYTHON = Path("/usr/bin/python3")


@dataclass(frozen=True)
class Sandbox:
    """Runs programs isolated, each in a sandbox of its own."""

    backend: Bubblewrap

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
def backend() -> Bubblewrap:
    need(shutil.which("bwrap") is not None, "bubblewrap", "apt-get install bubblewrap")
    found = Bubblewrap()
    try:
        found.verify()
    except IsolationUnavailable as error:
        need(False, "isolation", str(error))
    return found


@pytest.fixture(scope="session")
def sandbox(backend: Bubblewrap) -> Sandbox:
    need(SYSTEM_PYTHON.exists(), "a system Python", "apt-get install python3-minimal")
    return Sandbox(backend)
