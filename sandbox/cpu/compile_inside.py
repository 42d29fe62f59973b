"""Compiles `/work/binding.cu` to `/work/solution.so`. Runs inside the compile sandbox, by path.

Theory of operation. Two chains run side by side, which fills two cores:

    device  preprocess ─ cicc ─┬─ translate the PTX ─ g++ ─┐
    host    preprocess ─ cudafe++ ─ (stub) ─ g++ ──────────┴─ link

Both front ends read the same source and find the same mistakes; the host's report is shown, because it
covers all of the source. The exit status says whose fault a failure is: 10 the source's, any other ours.
Nothing here is secret, and the host treats what comes out as hostile. Standard library only.
"""

import importlib
import json
import os
import subprocess
import sys
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HOME = Path(__file__).resolve().parent
REJECTED, BROKEN = 10, 11  # no status that an interpreter ends with by itself
DEVICE_FLAGS = (
    "-std=c++20",
    "-O1",
    "-march=native",
    "-w",
    "-fPIC",
    "-fvisibility=hidden",
    "-ffp-contract=off",  # PTX says which products are fused
    "-fno-strict-aliasing",
    "-fwrapv",
    "-fno-exceptions",
    "-fstack-clash-protection",  # a large frame must hit the guard page, not jump over it
)


@dataclass(frozen=True)
class Failure(Exception):
    """Raised when a step fails; `status` is the exit status to end with."""

    status: int
    log: str


def run(argv: list[str], environment: dict[str, str], status: int = REJECTED) -> str:
    """Run one step and return what it said."""
    done = subprocess.run(argv, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    said = (done.stdout + done.stderr).decode("utf-8", "replace")
    if done.returncode != 0:
        raise Failure(status, said or f"{Path(argv[0]).name} ended with status {done.returncode}\n")
    return said


class Driver:
    """Runs the steps of one recipe."""

    def __init__(self, recipe: dict[str, Any]) -> None:
        self.steps: dict[str, list[str]] = recipe["steps"]
        self.environment: dict[str, str] = {**os.environ, **recipe["environment"]}
        self.link_flags: list[str] = recipe["link_flags"]
        self.stub_written = threading.Event()

    def run(self, name: str) -> str:
        """Run the step `name` and return what it said."""
        return run(self.steps[name], self.environment)

    def device(self) -> str:
        """Make device.o; returns the warnings."""
        try:
            self.run("device_preprocess")
            said = self.run("device_front")
        finally:
            self.stub_written.set()
        self.translate()
        include = f"-I{HOME / 'include'}"
        argv = ["g++", *DEVICE_FLAGS, include, "-c", "device.cpp", "-o", "device.o"]
        run(argv, self.environment, BROKEN)
        return said

    def translate(self) -> None:
        """binding.ptx to device.cpp."""
        sys.path.insert(0, str(HOME))
        refused = importlib.import_module("translator.errors").TranslationError
        try:
            translate = importlib.import_module("translator").translate
            text = translate(Path("binding.ptx").read_text("utf-8", "replace"))
        except refused as problem:  # what nvcc wrote is fine: only inline assembly can be wrong
            raise Failure(REJECTED, f"the inline assembly cannot be assembled: {problem}\n") from problem
        except Exception as problem:  # whatever it is, it is ours
            raise Failure(BROKEN, f"functional mode cannot read the PTX: {problem}\n") from problem
        Path("device.cpp").write_text(text, "utf-8")

    def host(self) -> str:
        """Make host.o; returns the warnings."""
        self.run("host_preprocess")
        said = self.run("host_front")
        self.stub_written.wait()
        if Path("binding.cudafe1.stub.c").exists():
            said += run(self.host_compile(), self.environment)
        return said

    def host_compile(self) -> list[str]:
        """The host's g++, with the precompiled prefix where the file starts with it."""
        prefix, front = HOME / "prefix.h", Path("binding.cudafe1.cpp")
        text = front.read_bytes()
        start = prefix.read_bytes() if prefix.exists() else b""
        if start and text.startswith(start):
            front.write_bytes(text.removeprefix(start))
            return [*self.steps["host_compile"], "-include", str(prefix)]
        return self.steps["host_compile"]

    def link(self) -> None:
        """Make solution.so. The runner defines what stays undefined."""
        argv = ["g++", "-shared", *self.link_flags, "-o", "solution.so", "device.o", "host.o"]
        run(argv, self.environment)


def outcome(future: "Future[str]") -> tuple[int, str]:
    """Status and log of a chain."""
    try:
        return 0, future.result()
    except Failure as failure:
        return failure.status, failure.log


def main() -> int:
    """Compile, print the log, return the exit status."""
    recipe = json.loads((HOME / "recipe.json").read_text())
    for name, text in recipe["files"].items():
        Path(name).write_text(text)
    driver = Driver(recipe)
    with ThreadPoolExecutor(2) as pool:
        chains = [pool.submit(driver.host), pool.submit(driver.device)]
        results = [outcome(chain) for chain in chains]
    failed = [result for result in results if result[0] != 0]
    if failed:
        status, log = failed[0]
        sys.stdout.write(log)
        return status
    warnings = dict.fromkeys("".join(log for _, log in results).split("\n\n"))
    sys.stdout.write("\n\n".join(warnings))
    try:
        driver.link()
    except Failure as failure:
        sys.stdout.write(failure.log)
        return failure.status
    return 0


if __name__ == "__main__":
    sys.exit(main())
