"""Compiles a CUDA source in two parallel tool chains. Runs inside compile sandboxes.

Theory of operation. The host's chain is the same for all targets. The rest of the device's chain and the link
step depend on the target:

    device  preprocess ─ cicc ─┬─ …                ─┐
    host    preprocess ─ cudafe++ ─ (stub) ─ g++ ───┴─ link

Both front ends read the same source and find the same errors. The host's report is shown, because it covers
the whole source. A failure has the status REJECTED if the source is at fault, and BROKEN if the judge is at
fault. Nothing here is secret, and the host treats the output as hostile. Standard library only.
"""

import os
import subprocess
import threading
from abc import ABC, abstractmethod
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from sandbox import light_headers

SUBMISSION = "solution.cu"
PREFIXES = ("prefix.h", "prefix-full.h")  # with the light headers, and without
REJECTED, BROKEN = 10, 11  # an interpreter never exits with one of these by itself
FULL = (
    "solution.cu: error: the compilation needs more space for its files than it may use. Make initialised "
    "arrays, assembly and macros smaller.\n"
)
_FULL_BYTES = 4 << 20  # less free space than this means a full working directory


@dataclass(frozen=True)
class StepFailed(Exception):
    """Raised when a step fails. `status` says who is at fault."""

    status: int
    log: str


def run(
    argv: list[str], environment: dict[str, str], status: int = REJECTED, *, timeout_s: float | None = None
) -> str:
    """Run one step and return its output.

    Raises:
        StepFailed: with `status`, if the step failed or took longer than `timeout_s`.
    """
    name = Path(argv[0]).name
    try:
        done = subprocess.run(
            argv,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=timeout_s,
        )
    except subprocess.TimeoutExpired as error:
        raise StepFailed(status, f"{name} took longer than {timeout_s} s\n") from error
    said = (done.stdout + done.stderr).decode("utf-8", "replace")
    if done.returncode != 0:
        raise StepFailed(status, said or f"{name} ended with status {done.returncode}\n")
    return said


class Chains(ABC):
    """The steps of one source in the working directory. `shared` has the files of `sandbox.precompile`."""

    def __init__(self, steps: dict[str, list[str]], environment: dict[str, str], shared: Path) -> None:
        self.steps = steps
        self.environment = {**os.environ, **environment}
        self.stub_written = threading.Event()
        self.stub = Path(_after(steps["host_front"], "--stub_file_name"))
        self._front = Path(_after(steps["host_front"], "--gen_c_file_name"))
        self._shared = shared

    def run(self, name: str, *, timeout_s: float | None = None) -> str:
        """Run the step `name` and return its output. Raises StepFailed."""
        return run(self.steps[name], self.environment, timeout_s=timeout_s)

    @abstractmethod
    def device(self) -> str:
        """Run the device's chain and return its warnings. Sets `stub_written` after the stub is written."""

    @abstractmethod
    def link(self) -> None:
        """Link solution.so."""

    def compile(self) -> tuple[int, str]:
        """Compile and link. Returns 0, REJECTED or BROKEN, and the compilers' output.

        A program that fills the working directory can make any step fail, so the program is then at fault.
        """
        try:
            status, said = self._compile()
        except OSError:
            if not _is_full():
                raise
            status, said = BROKEN, ""
        return (REJECTED, FULL) if status == BROKEN and _is_full() else (status, said)

    def _compile(self) -> tuple[int, str]:
        if light_headers.suffice(Path(SUBMISSION).read_bytes()):
            light_headers.write(Path())
        with ThreadPoolExecutor(2) as pool:
            chains = [pool.submit(self._host), pool.submit(self.device)]
            results = [_outcome(chain) for chain in chains]
        for status, log in results:
            if status != 0:
                return status, log
        warnings = dict.fromkeys("".join(log for _, log in results).split("\n\n"))
        said = "\n\n".join(warnings)
        try:
            self.link()
        except StepFailed as failure:
            return failure.status, said + failure.log
        return 0, said

    def _host(self) -> str:
        """Compile host.o and return the warnings."""
        self.run("host_preprocess")
        said = self.run("host_front")
        self.stub_written.wait()
        if self.stub.exists():
            said += run(self._host_compile(), self.environment)
        return said

    def _host_compile(self) -> list[str]:
        """Run the host's g++, with the precompiled prefix of the file, if it has one."""
        text = self._front.read_bytes()
        for prefix in (self._shared / name for name in PREFIXES):
            start = prefix.read_bytes() if prefix.exists() else b""
            if start and text.startswith(start):
                self._front.write_bytes(text.removeprefix(start))
                return [*self.steps["host_compile"], "-include", str(prefix)]
        return self.steps["host_compile"]


def _is_full() -> bool:
    space = os.statvfs(".")
    return space.f_bavail * space.f_frsize < _FULL_BYTES


def _outcome(future: "Future[str]") -> tuple[int, str]:
    try:
        return 0, future.result()
    except StepFailed as failure:
        return failure.status, failure.log


def _after(step: list[str], option: str) -> str:
    return step[step.index(option) + 1]
