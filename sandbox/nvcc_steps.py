"""Splits nvcc's work into separate steps that can run in parallel.

nvcc runs its host part and its device part one after the other. `nvcc --dryrun` prints the steps of the
installed version. This module parses them, so that callers can run selected steps in another order. It also
runs inside the compile sandbox, so it only uses the standard library.
"""

import re
import shlex
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sandbox import light_headers

SOURCE = "binding.cu"
STEM = SOURCE.removesuffix(".cu")
WORK = "/work"
DIALECT = ("-std=c++17", "--extended-lambda", "--expt-relaxed-constexpr")
MODULE_ID = {
    # Both front ends read it to agree on the names of static variables; cudafe++ would write it.
    f"{STEM}.module_id": f"_00000000_{len(SOURCE)}_{STEM}_cu_00000000",
}
FATBIN_C = f"{STEM}.fatbin.c"  # the host half of every program includes it
SEPARATE = "-rdc=true"  # kernels can launch kernels only in relocatable device code
# The end of FATBIN_C for such programs. Their host half registers by a function of its module, which nvcc
# generates when it links device code. Here there is one module, and `__fatDeviceText` is its binary.
REGISTRATION = """\
extern "C" {
const int __FATIDNAME(__NV_MODULE_ID) = 0;
void __REGISTERFUNCNAME(__NV_MODULE_ID)(void (*callback)(void**), void*, void*, void (*)(void*)) {
  __cudaRegisterBinary(callback);
}
}
"""
_DRYRUN_TIMEOUT_S = 30.0


class StepsUnknown(Exception):
    """Raised when this nvcc compiles in steps that are not understood. The message says which is missing."""


@dataclass(frozen=True)
class Steps:
    """The steps of one compilation, to be run in the working directory, with the variables they use."""

    variables: dict[str, str]
    steps: tuple[list[str], ...]

    @property
    def environment(self) -> dict[str, str]:
        """Return the environment variables that the steps need."""
        return {
            "PATH": f"{self.variables['_HERE_']}:/usr/bin:/bin",
            "LD_LIBRARY_PATH": self.variables.get("LD_LIBRARY_PATH", ""),
        }

    def step(self, *words: str) -> list[str]:
        """The first step with all of `words` in it; of a path its last part counts. Raises StepsUnknown."""
        found = self.all_steps(*words)
        if not found:
            message = f"this version of nvcc uses unknown compilation steps: no {' '.join(words)}"
            raise StepsUnknown(message)
        return found[0]

    def all_steps(self, *words: str) -> list[list[str]]:
        """All such steps, in order."""
        return [
            step
            for step in self.steps
            if all(any(word == part or part.endswith(f"/{word}") for part in step) for word in words)
        ]

    def host(self, object_name: str) -> dict[str, list[str]]:
        """The host's steps by name, up to `object_name`."""
        return {
            "host_preprocess": self.step(f"{STEM}.cpp4.ii", "-E"),
            "host_front": [word for word in self.step("cudafe++") if word != "--gen_module_id_file"],
            "host_compile": [*self.step(object_name, "-c"), "-w"],
        }


def ask_nvcc(nvcc: str, flags: Sequence[str], *, object_name: str) -> Steps:
    """Return the steps of `nvcc` for SOURCE in WORK with `flags`.

    Raises StepsUnknown if it rejects the flags.
    """
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / SOURCE).touch()
        argv = [nvcc, "--dryrun", "--keep", light_headers.FLAG, *flags, "-c", SOURCE, "-o", object_name]
        done = subprocess.run(
            argv, cwd=folder, capture_output=True, text=True, timeout=_DRYRUN_TIMEOUT_S, check=False
        )
        text = (done.stdout + done.stderr).replace(folder, WORK)
    if done.returncode != 0:
        raise StepsUnknown(f"nvcc refuses {' '.join(flags)}: {text.strip()[-400:]}")
    lines = [line.removeprefix("#$ ") for line in text.splitlines() if line.startswith("#$ ")]
    matches = (re.match(r"(\w+)=(.*)", line) for line in lines)
    variables = {match[1]: match[2] for match in matches if match}
    return Steps(variables, tuple(_argv(line, variables) for line in lines if not re.match(r"\w+=", line)))


def _argv(line: str, variables: dict[str, str]) -> list[str]:
    expanded = re.sub(r"\$(\w+)", lambda match: variables.get(match.group(1), ""), line)
    return shlex.split(expanded)
