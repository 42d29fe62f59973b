"""Compiles a source for functional mode: nvcc's own steps, without the device binary."""

import json
import shutil
from dataclasses import asdict, dataclass

from sandbox.nvcc_steps import (
    DIALECT,
    FATBIN_C,
    MODULE_ID,
    REGISTRATION,
    SEPARATE,
    STEM,
    Steps,
    StepsUnknown,
    ask_nvcc,
)
from sandbox.toolchain import ToolchainMissing, Toolkit

ARCHITECTURE = "compute_80"
ASSEMBLED_FOR = "sm_80"  # for registers and occupancy
# The symbol that the stub registers. Warpcourt's runtime uses no device code from it.
_NO_BINARY = "static const unsigned long long __fatDeviceText[2] = {0, 0};\n"
NVCC_FLAGS = (*DIALECT, f"-arch={ARCHITECTURE}", "-lineinfo", "-O1", "-Xcompiler", "-fPIC")


@dataclass(frozen=True, slots=True)
class CpuCompileRecipe:
    """The steps for one source file, to be run in the working directory, by name.

    `host_compile` needs the stub that `device_front` writes. `files` must exist at the start.
    `launching_steps` and `launching_files` replace those of the same names for programs that may launch
    kernels from device code.
    """

    environment: dict[str, str]
    steps: dict[str, list[str]]
    launching_steps: dict[str, list[str]]
    link_flags: list[str]
    files: dict[str, str]
    launching_files: dict[str, str]

    def to_json(self) -> str:
        """Return the recipe as JSON for the compile driver."""
        return json.dumps(asdict(self), indent=1)


def learn_recipe(toolkit: Toolkit) -> CpuCompileRecipe:
    """Query the compilation steps of `toolkit`. Raises ToolchainMissing if they are not understood."""
    try:
        steps = ask_nvcc(str(toolkit.nvcc), NVCC_FLAGS, object_name="host.o")
        launching = ask_nvcc(str(toolkit.nvcc), (*NVCC_FLAGS, SEPARATE), object_name="host.o")
        named, launching_named = _named(steps), _named(launching)
    except StepsUnknown as error:
        raise ToolchainMissing(str(error)) from error
    launching_named["assemble"].append("--compile-only")
    return CpuCompileRecipe(
        environment=steps.environment,
        steps=named,
        launching_steps=launching_named,
        # gold links such small objects in half the time.
        link_flags=["-fuse-ld=gold"] if shutil.which("ld.gold", path="/usr/bin") else [],
        files={
            **MODULE_ID,
            FATBIN_C: _NO_BINARY,
        },
        launching_files={FATBIN_C: _NO_BINARY + REGISTRATION},
    )


def _named(steps: Steps) -> dict[str, list[str]]:
    return {
        **steps.host("host.o"),
        "device_preprocess": steps.step(f"{STEM}.cpp1.ii", "-E"),
        "device_front": steps.step("cicc"),
        "assemble": ["ptxas", "-v", f"-arch={ASSEMBLED_FOR}", f"{STEM}.ptx", "-o", f"{STEM}.cubin"],
    }
