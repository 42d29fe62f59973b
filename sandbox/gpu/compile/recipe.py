"""The steps that build one GPU artifact, learned inside the compile sandbox from `nvcc --dryrun`.

Two of nvcc's steps are omitted: the device link, except for programs whose kernels may launch kernels, and
the device binary as C text. Instead, the assembler puts the binary into a separate object, so that the host's
compiler need not wait for it.
"""

import json
import os
import re
import shlex
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

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

FINISH_OBJECT = "finish.o"
WRAPPED = (
    *("__cudaRegisterFunction", "__cudaGetKernel", "__cudaLaunchKernel", "cudaLaunchKernel"),
    *("cudaLaunchKernelExC", "cudaLaunchCooperativeKernel"),
)
_DEVICE_RUNTIME = "cudadevrt"
# What programs can be linked with, by name: a header that the compile sandbox has if it has the library.
LIBRARIES: Mapping[str, str] = {"cublas": "cublas_v2.h", "cufft": "cufft.h"}
FLAGS = (*DIALECT, "-O3", "-lineinfo", "-Xptxas", "-v", "-Xcompiler", "-fPIC")
_FATBIN_C = """\
#include "fatbinary_section.h"
extern "C" const unsigned long long warpcourt_fatbin[] __attribute__((visibility("hidden")));
static const __fatBinC_Wrapper_t __fatDeviceText
    __attribute__((aligned(8), section(".nvFatBinSegment"))) = {0x466243b1, 1, warpcourt_fatbin, 0};
"""
_FATBIN_ASSEMBLY = f"""\
.section .nv_fatbin,"a"
.balign 8
.globl warpcourt_fatbin
.hidden warpcourt_fatbin
warpcourt_fatbin:
.incbin "{STEM}.fatbin"
.section .note.GNU-stack,"",@progbits
"""


@dataclass(frozen=True)
class DeviceSteps:
    """The steps for one architecture, and the files that they leave.

    `link` adds the device runtime to `cubin`. Its last word is its output file. It may be empty.
    """

    preprocess: list[str]
    front: list[str]
    assemble: list[str]
    ptx: str
    cubin: str
    link: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class GpuCompileRecipe:
    """All steps, to be run in the working directory. `files` must exist at the start.

    `usage` and `disassemble` are the beginnings of commands that take a cubin; empty if the toolkit lacks the
    program. `root` is the folder of the toolkit. `libraries` are the available LIBRARIES, with the linker's
    arguments for them. `launching` has replacement steps for programs whose kernels may launch kernels; None
    if the toolkit lacks the device runtime.
    """

    environment: dict[str, str]
    host: dict[str, list[str]]
    devices: list[DeviceSteps]
    fatbinary: list[str]
    embed: list[str]
    link: list[str]
    usage: list[str]
    disassemble: list[str]
    files: dict[str, str]
    root: str
    libraries: dict[str, list[str]]
    launching: "LaunchingSteps | None" = None

    def with_device_launches(self) -> "GpuCompileRecipe":
        """The recipe for programs whose kernels may launch kernels. Raises ValueError if there is none."""
        if self.launching is None:
            raise ValueError("the toolkit of the compile sandbox has no device runtime")
        changed = self.launching
        return replace(
            self,
            host=changed.host,
            devices=changed.devices,
            fatbinary=changed.fatbinary,
            files=self.files | {FATBIN_C: _FATBIN_C + REGISTRATION},
        )

    def linking(self, libraries: Sequence[str]) -> "GpuCompileRecipe":
        """The recipe that links `libraries` too, all of which the sandbox has."""
        words = dict.fromkeys(word for library in libraries for word in self.libraries[library])
        return replace(self, link=[*self.link, *words])

    def to_json(self) -> str:
        """For the compile server."""
        return json.dumps(asdict(self), indent=1)

    @classmethod
    def from_json(cls, text: str) -> "GpuCompileRecipe":
        """Rebuild the value from the output of `to_json`."""
        body = json.loads(text)
        launching = body["launching"]
        changed = {
            "devices": _devices_from(body["devices"]),
            "launching": launching
            and LaunchingSteps(
                launching["host"], _devices_from(launching["devices"]), launching["fatbinary"]
            ),
        }
        return cls(**{**body, **changed})


@dataclass(frozen=True)
class LaunchingSteps:
    """The steps of programs whose kernels may launch kernels, where they differ from those of others."""

    host: dict[str, list[str]]
    devices: list[DeviceSteps]
    fatbinary: list[str]


def _devices_from(body: list[dict[str, Any]]) -> list[DeviceSteps]:
    return [DeviceSteps(**device) for device in body]


def learn_recipe(
    nvcc: str, architectures: Sequence[str], flags: Sequence[str], *, home: str
) -> GpuCompileRecipe:
    """Ask `nvcc` how it compiles for `architectures` such as `90a`. `home` has what `prepare` built.

    Raises:
        sandbox.nvcc_steps.StepsUnknown: its answer is not understood, or it refuses the flags.
    """
    generate = [f"-gencode=arch=compute_{a},code=[sm_{a},compute_{a}]" for a in architectures]
    steps = ask_nvcc(nvcc, [*FLAGS, *flags, *generate], object_name="host.o")
    variables = steps.variables
    search_path = f"{steps.environment['PATH']}:/opt/disassembler"
    cuobjdump = shutil.which("cuobjdump", path=search_path)
    nvdisasm = shutil.which("nvdisasm", path=search_path)
    gold = ["-fuse-ld=gold"] if shutil.which("ld.gold", path="/usr/bin") else []  # twice as fast
    link = [
        *("g++", "-shared", *gold, "-o", "solution.so", "host.o", "fatbin.o", f"{home}/{FINISH_OBJECT}"),
        *(f"-Wl,--wrap={name}" for name in WRAPPED),
        "-Wl,-z,defs",
        *shlex.split(re.sub(r"\$(\w+)", lambda m: variables.get(m[1], ""), variables["LIBRARIES"])),
        *("-lcudart_static", "-lrt", "-lpthread", "-ldl"),
    ]
    return GpuCompileRecipe(
        environment=steps.environment,
        host=steps.host("host.o"),
        devices=_devices(steps),
        fatbinary=_fatbinary(steps),
        embed=["as", "fatbin.s", "-o", "fatbin.o"],
        link=link,
        usage=[cuobjdump, "--dump-resource-usage"] if cuobjdump else [],
        disassemble=[nvdisasm, "--print-code", "--print-line-info-inline"] if nvdisasm else [],
        files={**MODULE_ID, FATBIN_C: _FATBIN_C, "fatbin.s": _FATBIN_ASSEMBLY},
        root=variables["TOP"],
        libraries=_libraries(steps.step(f"{STEM}.cpp4.ii", "-E"), link),
        launching=_launching(
            ask_nvcc(nvcc, [*FLAGS, SEPARATE, *flags, *generate], object_name="host.o"), link
        ),
    )


def _devices(steps: Steps) -> list[DeviceSteps]:
    return [
        _device(front, steps.all_steps("-E"), steps.all_steps("ptxas")) for front in steps.all_steps("cicc")
    ]


def _fatbinary(steps: Steps) -> list[str]:
    return [word for word in steps.step("fatbinary") if not word.startswith("--embedded-fatbin")]


def _launching(steps: Steps, link: Sequence[str]) -> LaunchingSteps | None:
    """Return the steps of relocatable device code. None if the device runtime to link it with is missing.

    The linked binaries replace those of ptxas. The binary holds no PTX: the driver could not link it.
    """
    name = f"lib{_DEVICE_RUNTIME}.a"
    folders = [folder for folder in _folders(link, "-L") if (folder / name).is_file()]
    if not folders:
        return None
    devices = [_linked(device, folders[0]) for device in _devices(steps)]
    fatbinary = [word for word in _fatbinary(steps) if "kind=ptx" not in word and word != "--device-c"]
    for device in devices:
        fatbinary = [word.replace(f"file={device.cubin}", f"file={device.link[-1]}") for word in fatbinary]
    return LaunchingSteps(steps.host("host.o"), devices, fatbinary)


def _linked(device: DeviceSteps, folder: Path) -> DeviceSteps:
    """The steps with one that links the binary with the device runtime in `folder`."""
    architecture = next(word for word in device.assemble if word.startswith("-arch=")).removeprefix("-arch=")
    link = ["nvlink", "-m64", f"--arch={architecture}", f"-L{folder}", f"-l{_DEVICE_RUNTIME}"]
    return replace(device, link=[*link, device.cubin, "-o", f"linked.{architecture}.cubin"])


def _libraries(preprocess: Sequence[str], link: Sequence[str]) -> dict[str, list[str]]:
    """Return the names in LIBRARIES that have a header and a file to link, with the linker's arguments."""
    headers = _folders(preprocess, "-I")
    libraries = [folder for folder in _folders(link, "-L") if folder.name != "stubs"]
    found = {}
    for name, header in LIBRARIES.items():
        places = [folder for folder in libraries if (folder / f"lib{name}.so").exists()]
        if places and any((folder / header).is_file() for folder in headers):
            # A runner must find the version that was linked, and so must the libraries that it needs itself.
            found[name] = ["-Wl,--disable-new-dtags", f"-Wl,-rpath,{places[0]}", f"-l{name}"]
    return found


def _folders(step: Sequence[str], option: str) -> list[Path]:
    """The folders that `step` names after `option`, absolute ones alone, without links."""
    named = (word.removeprefix(option) for word in step if word.startswith(f"{option}/"))
    return [Path(os.path.realpath(folder)) for folder in named]


def _device(front: list[str], preprocessors: list[list[str]], assemblers: list[list[str]]) -> DeviceSteps:
    """Return the steps around one `front`: those that write its input, and those that read its output."""
    preprocessed, ptx = front[-3], front[-1]
    preprocess = next((step for step in preprocessors if step[-1] == preprocessed), None)
    assemble = next((step for step in assemblers if ptx in step), None)
    if preprocess is None or assemble is None:
        raise StepsUnknown(f"this version of nvcc uses unknown compilation steps: {' '.join(front)}")
    return DeviceSteps(preprocess, front, assemble, ptx, assemble[-1])
