"""Compiles `/work/binding.cu` to `/work/solution.so` for functional mode. Runs inside the compile sandbox.

It uses the chains of `sandbox.chains`. The device's chain continues by translating the PTX to C++:

                               ┌─ ptxas ──┐
    device  preprocess ─ cicc ─┼──────────┴ translate the PTX ─ g++ ─┐
    host    preprocess ─ cudafe++ ─ (stub) ─ g++ ────────────────────┴─ link

The first argument names the counters (`sandbox.cpu.counting`) that the program is compiled to count, and the
second the libraries that it uses: `cublas` and `cufft`. Names are separated by commas. If the third is
`LAUNCHING`, kernels may launch kernels. ptxas reports the resources of each kernel; its cubin is not used. If
no counter needs these, the compilation waits for ptxas only briefly.

It prints the log, and its exit status says who is at fault. Standard library only.
"""

import importlib
import json
import re
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from sandbox import light_headers
from sandbox.chains import BROKEN, REJECTED, Chains, StepFailed, run
from sandbox.cpu.counting import RESOURCES
from sandbox.ptxas import Assembled, assembled_kernels

HOME = Path(__file__).resolve().parents[3]
_LIBRARIES = HOME / "libraries"
LAUNCHING = "device-launches"
LINE_MARK = "// line "  # the translator writes it before code of a line of the submission
_INLINE = "// begin inline asm"  # nvcc's
_ERROR = re.compile(r"^device\.cpp:(\d{1,8}):", re.MULTILINE)
_MOST_LOG = 64 * 1024
_PTXAS_S = 3.0  # for notes on spilled registers and the like
DEVICE_FLAGS = (
    "-std=c++20",
    "-O1",
    "-fno-thread-jumps",  # its time grows faster than a kernel; half of the time of one with 4,000 stores
    "-march=native",
    "-w",
    "-fPIC",
    "-fvisibility=hidden",
    "-ffp-contract=off",  # as the PTX says; ptxas may fuse further products
    "-fno-strict-aliasing",
    "-fwrapv",
    "-fno-exceptions",
    "-fstack-clash-protection",  # a large frame must hit the guard page, not jump over it
)


class FunctionalChains(Chains):
    """The chains of one recipe, for a program that uses `libraries`, and launches kernels if `launching`."""

    def __init__(
        self,
        recipe: dict[str, Any],
        counters: Sequence[str] = (),
        libraries: Sequence[str] = (),
        *,
        launching: bool = False,
    ) -> None:
        steps = recipe["launching_steps" if launching else "steps"]
        if libraries:
            steps = {name: _with_headers(step) for name, step in steps.items()}
        super().__init__(steps, recipe["environment"], HOME)
        self._counters = frozenset(counters)
        self._link_flags: list[str] = recipe["link_flags"]
        self._objects = [str(_LIBRARIES / f"{name}.o") for name in libraries]

    def device(self) -> str:
        """Compile device.o and return the warnings."""
        try:
            self.run("device_preprocess")
            said = self.run("device_front")
        finally:
            self.stub_written.set()
        with ThreadPoolExecutor(1) as assembler:
            _translate(self._counters, assembler.submit(self._resources).result)
        include = f"-I{HOME / 'include'}"
        argv = ["g++", *DEVICE_FLAGS, include, "-c", "device.cpp", "-o", "device.o"]
        try:
            run(argv, self.environment, BROKEN)
        except StepFailed as failure:
            raise _refused(failure) from failure
        return said

    def _resources(self) -> Mapping[str, Assembled]:
        """Return the resources of each kernel; none if ptxas rejects the PTX or takes too long."""
        timeout_s = _PTXAS_S if self._counters.isdisjoint(RESOURCES) else None
        try:
            return assembled_kernels(self.run("assemble", timeout_s=timeout_s))
        except (StepFailed, OSError):  # for example PTX for newer GPUs; the counters stay unknown
            return {}

    def link(self) -> None:
        """Link solution.so. The runner defines the remaining undefined symbols."""
        argv = ["g++", "-shared", *self._link_flags, "-o", "solution.so", "device.o", "host.o"]
        argv += self._objects
        run(argv, self.environment)


def _with_headers(step: list[str]) -> list[str]:
    """Return the step with Warpcourt's library headers before those of the toolkit, if it includes any."""
    if light_headers.FLAG not in step:
        return step
    after = step.index(light_headers.FLAG) + 1
    return [*step[:after], f"-I{_LIBRARIES / 'include'}", *step[after:]]


def _translate(counters: Collection[str], resources: Callable[[], Mapping[str, Assembled]]) -> None:
    """Translate binding.ptx to device.cpp. The translator is imported here, while the compilers work."""
    errors = importlib.import_module("sandbox.cpu.translator.errors")
    try:
        translate = importlib.import_module("sandbox.cpu.translator").translate
        text = translate(_ptx(), counters, resources)
    except errors.MemoryExceeded as problem:
        raise StepFailed(REJECTED, f"solution.cu: error: {problem}\n") from problem
    except errors.TranslationError as problem:  # nvcc's PTX is valid, so only inline assembly can be wrong
        raise StepFailed(REJECTED, f"the inline assembly cannot be assembled: {problem}\n") from problem
    except Exception as problem:  # the judge is at fault, unless the program wrote some of the PTX
        failure = StepFailed(BROKEN, f"functional mode cannot read the PTX: {problem}\n")
        raise _refused(failure) from problem
    Path("device.cpp").write_text(text, "utf-8")


def _ptx() -> str:
    return Path("binding.ptx").read_text("utf-8", "replace")


def _refused(failure: StepFailed) -> StepFailed:
    """Return the failure for PTX that the translator cannot read, or whose C++ g++ rejects.

    For code that nvcc generated, the judge is at fault. Inline assembly can be invalid.
    """
    if _INLINE not in _ptx():
        return failure
    line = _user_line(failure.log)
    where = f"solution.cu({line}): error: " if line else ""
    return StepFailed(
        REJECTED, f"{where}the inline assembly has a form that functional mode does not support\n"
    )


def _user_line(log: str) -> int:
    """Return the line of the submission to which the first error of g++ belongs, 0 if unknown."""
    found = _ERROR.search(log[:_MOST_LOG])
    if found is None:
        return 0
    lines = Path("device.cpp").read_text("utf-8").split("\n")[: int(found[1])]
    for text in reversed(lines):
        if text.startswith(LINE_MARK):
            return int(text.removeprefix(LINE_MARK))
    return 0


def main() -> int:
    """Compile, print the log, return the exit status."""
    recipe = json.loads((HOME / "recipe.json").read_text())
    launching = sys.argv[3] == LAUNCHING
    files = recipe["files"] | (recipe["launching_files"] if launching else {})
    for name, text in files.items():
        Path(name).write_text(text)
    counters, libraries = ([name for name in names.split(",") if name] for names in sys.argv[1:3])
    status, log = FunctionalChains(recipe, counters, libraries, launching=launching).compile()
    sys.stdout.write(log)
    return status


if __name__ == "__main__":
    sys.exit(main())
