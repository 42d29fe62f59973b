"""What nvcc would do, as separate steps that can run side by side.

nvcc runs its host and its device part one after the other and ends with a device binary that functional
mode does not want. `nvcc --dryrun` prints the steps; we take them from there, so that they fit the
installed version, and leave out the binary. The compile driver (`compile_inside.py`) runs them.
"""

import json
import re
import shlex
import shutil
import subprocess
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from sandbox.toolchain import ToolchainMissing, Toolkit

ARCHITECTURE = "compute_80"
SOURCE = "binding.cu"
WORK = "/work"
_STEM = SOURCE.removesuffix(".cu")
_NVCC_FLAGS = (
    "-std=c++17",
    "--extended-lambda",
    "--expt-relaxed-constexpr",
    f"-arch={ARCHITECTURE}",
    "-lineinfo",
    "-O1",
    "-Xcompiler",
    "-fPIC",
)
_DRYRUN_TIMEOUT_S = 30.0


@dataclass(frozen=True, slots=True)
class Recipe:
    """The steps for one source file, to be run in the working directory, by name.

    `host_compile` needs the stub that `device_front` writes. `files` must be there at the start.
    """

    environment: dict[str, str]
    steps: dict[str, list[str]]
    link_flags: list[str]
    files: dict[str, str]

    def to_json(self) -> str:
        """For the compile driver."""
        return json.dumps(asdict(self), indent=1)


def learn_recipe(toolkit: Toolkit) -> Recipe:
    """Ask `toolkit` how it compiles. Raises ToolchainMissing when its answer is not understood."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / SOURCE).touch()
        argv = [str(toolkit.nvcc), "--dryrun", "--keep", *_NVCC_FLAGS, "-c", SOURCE, "-o", "host.o"]
        done = subprocess.run(
            argv, cwd=folder, capture_output=True, text=True, timeout=_DRYRUN_TIMEOUT_S, check=False
        )
        text = (done.stdout + done.stderr).replace(folder, WORK)
    lines = [line.removeprefix("#$ ") for line in text.splitlines() if line.startswith("#$ ")]
    matches = (re.match(r"(\w+)=(.*)", line) for line in lines)
    variables = {match[1]: match[2] for match in matches if match}
    steps = [_argv(line, variables) for line in lines if not re.match(r"\w+=", line)]
    return Recipe(
        environment={
            "PATH": f"{variables['_HERE_']}:/usr/bin:/bin",
            "LD_LIBRARY_PATH": variables.get("LD_LIBRARY_PATH", ""),
        },
        steps={
            "host_preprocess": _step(steps, f"{_STEM}.cpp4.ii", "-E"),
            "host_front": [w for w in _step(steps, "cudafe++") if w != "--gen_module_id_file"],
            "device_preprocess": _step(steps, f"{_STEM}.cpp1.ii", "-E"),
            "device_front": _step(steps, "cicc"),
            "host_compile": [*_step(steps, "host.o", "-c"), "-w"],
        },
        # gold links such a small object in half the time.
        link_flags=["-fuse-ld=gold"] if shutil.which("ld.gold", path="/usr/bin") else [],
        files={
            # Both front ends read it to agree on the names of static variables; cudafe++ would write it.
            f"{_STEM}.module_id": f"_00000000_{len(SOURCE)}_{_STEM}_cu_00000000",
            # What the stub registers. Our runtime takes no device code from it.
            f"{_STEM}.fatbin.c": "static const unsigned long long __fatDeviceText[2] = {0, 0};\n",
        },
    )


def _argv(line: str, variables: dict[str, str]) -> list[str]:
    expanded = re.sub(r"\$(\w+)", lambda match: variables.get(match.group(1), ""), line)
    return shlex.split(expanded)


def _step(steps: list[list[str]], *words: str) -> list[str]:
    for step in steps:
        if all(any(word == part or part.endswith(f"/{word}") for part in step) for word in words):
            return step
    raise ToolchainMissing(f"this nvcc compiles in steps that are not understood: no {' '.join(words)}")
