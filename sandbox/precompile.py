"""Precompiles the common beginning of every submission's host code.

The output of cudafe++ always begins with one of two texts: the CUDA headers that nvcc includes implicitly,
complete or light. This text is more than 95 % of a small program. g++ precompiles both texts once, and the
compile driver then passes only the rest to g++. If a file starts differently, the driver compiles the whole
file, so this is only an optimisation. This module also runs inside the compile sandbox, so it only uses the
standard library.
"""

import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sandbox import light_headers
from sandbox.chains import PREFIXES
from sandbox.nvcc_steps import SOURCE

# Runs an argv in a folder with an environment. Raises CalledProcessError if it fails.
Step = Callable[[Sequence[str], Path, Mapping[str, str]], None]

_STEP_TIMEOUT_S = 120.0
# Two programs that share nothing but what nvcc adds.
_PROBES = ("int warpcourt_first;\n", "\n\n\nvoid warpcourt_second() {}\n")


def run_step(argv: Sequence[str], folder: Path, environment: Mapping[str, str]) -> None:
    """Run a step in a sandbox, which ends everything that is left. Raises CalledProcessError."""
    subprocess.run(
        argv,
        cwd=folder,
        env=dict(environment),
        capture_output=True,
        timeout=_STEP_TIMEOUT_S,
        check=True,
    )


@dataclass(frozen=True)
class HostSteps:
    """The host's steps of a recipe, by name, with the files and the environment that they need."""

    steps: Mapping[str, list[str]]
    environment: Mapping[str, str]
    files: Mapping[str, str]
    run: Step = run_step

    def precompile(self, folder: Path, scratch: Path) -> None:
        """Write PREFIXES and their precompiled forms into `folder`. Raises CalledProcessError."""
        light, full = PREFIXES
        self._precompile(folder / full, scratch)
        light_headers.write(scratch)
        self._precompile(folder / light, scratch)

    def _precompile(self, target: Path, scratch: Path) -> None:
        target.write_text(common_prefix([self._front_output(probe, scratch) for probe in _PROBES]))
        compiler, *flags = self.steps["host_compile"]
        kept = [flag for flag in flags if flag not in ("-c", "-o", "host.o", self._front, "-x", "c++")]
        header = ["-x", "c++-header", str(target), "-o", f"{target}.gch"]
        self.run([compiler, *kept, *header], scratch, self.environment)

    @property
    def _front(self) -> str:
        front = self.steps["host_front"]
        return front[front.index("--gen_c_file_name") + 1]

    def _front_output(self, source: str, scratch: Path) -> str:
        (scratch / SOURCE).write_text(source)
        for name, text in self.files.items():
            (scratch / name).write_text(text)
        for step in ("host_preprocess", "host_front"):
            self.run(self.steps[step], scratch, self.environment)
        return (scratch / self._front).read_text()


def common_prefix(texts: list[str]) -> str:
    """Return the common prefix of all `texts`, up to the end of a line."""
    prefix = os.path.commonprefix(texts)  # noqa: RUF071 - characters are meant
    return prefix[: prefix.rfind("\n") + 1]
