"""Checks of a GPU host: driver, GPUs, MPS, packages."""

from deploy.audit.facts import GpuHost, GpuState
from deploy.audit.finding import Finding, Findings, Level, dotted, ok_if
from sandbox.gpu.nvml import ComputeMode

# The first driver of each branch without the vulnerabilities known when this was written; a newer branch is
# fine. Source: NVIDIA's security bulletins for the GPU display driver. Raise these with every bulletin.
DRIVER_FLOORS = {535: (535, 288, 1), 570: (570, 211, 1), 580: (580, 126, 9), 590: (590, 48, 1)}
_FREE_PART = 0.9
_REQUIREMENTS = ".venv/bin/pip install --require-hashes --no-deps -r deploy/requirements/gpu.txt"


def check_gpus(host: GpuHost) -> Findings:
    """The driver, what it says, and each GPU."""
    if host.nvml_trouble:
        cause, _, fix = host.nvml_trouble.partition("; ")
        yield Finding("driver", Level.MISSING, cause, fix or "install NVIDIA's driver for data centres")
        return
    if not host.gpus:
        yield Finding("gpu", Level.MISSING, "the driver sees none", "look for NVRM and Xid in the kernel log")
        return
    first = host.gpus[0].info
    yield _driver(first.driver)
    yield _cuda(first.cuda, host.toolkit_cuda)
    for gpu in host.gpus:
        yield from _gpu(gpu)


def _driver(version: str) -> Finding:
    numbers = tuple(int(part) for part in version.split(".") if part.isdecimal())
    branch = numbers[0] if numbers else 0
    floors = [floor for known, floor in DRIVER_FLOORS.items() if known <= branch]
    floor = floors[-1] if floors else next(iter(DRIVER_FLOORS.values()))
    return Finding(
        "driver",
        ok_if(numbers >= floor, Level.REFUSED),
        version,
        f"install {dotted(floor)} or newer: this one has holes that reach from a container to the host",
    )


def _cuda(driver: tuple[int, int], toolkit: tuple[int, ...]) -> Finding:
    found = f"driver takes {dotted(driver)}, toolkit is {dotted(toolkit)}"
    if toolkit and toolkit[0] > driver[0]:
        fix = (
            f"install a driver for CUDA {toolkit[0]} or a toolkit of CUDA {driver[0]}: no program would load"
        )
        return Finding("cuda", Level.MISSING, found, fix)
    newer = toolkit[:2] > driver
    fix = "a driver as new as the toolkit also takes its PTX" if newer else "install a CUDA toolkit"
    return Finding("cuda", ok_if(bool(toolkit) and not newer, Level.WEAK), found, fix)


def _gpu(gpu: GpuState) -> Findings:
    info, errors = gpu.info, gpu.errors
    name = f"gpu {info.minor}"
    yield Finding(name, Level.OK, f"{info.model}, {info.memory_mib} MiB, {info.architecture}, {info.uuid}")
    if info.mig:
        yield Finding(name, Level.MISSING, "is partitioned (MIG)", f"nvidia-smi -i {info.uuid} -mig 0")
    if info.compute_mode is not ComputeMode.DEFAULT:
        yield Finding(
            name,
            Level.MISSING,
            f"compute mode is {info.compute_mode}: drawn sets are kept in a process outside MPS",
            f"nvidia-smi -i {info.uuid} -c DEFAULT",
        )
    if info.persistence is False:
        yield Finding(
            name, Level.WEAK, "persistence mode is off: first contexts are slow", "nvidia-smi -pm 1"
        )
    if info.ecc is False:
        yield Finding(
            name, Level.WEAK, "ECC is off: a flipped bit looks like a wrong answer", "nvidia-smi -e 1"
        )
    if errors.remap_failed:
        yield Finding(name, Level.MISSING, "its memory is out of spare rows", "replace the GPU")
    elif errors.remap_pending or errors.retire_pending or errors.uncorrected:
        yield Finding(
            name,
            Level.MISSING,
            f"{errors.uncorrected or 0} uncorrected memory errors, rows to be taken out of use",
            f"stop what uses it and run: nvidia-smi -i {info.uuid} --gpu-reset",
        )
    free_part = gpu.sample.free_mib / info.memory_mib
    yield Finding(
        name,
        ok_if(free_part >= _FREE_PART, Level.WEAK),
        f"{gpu.sample.free_mib} MiB free",
        "end what else uses it; nvidia-smi lists processes",
    )


def check_foreign(host: GpuHost) -> Findings:
    """Others' processes: they take memory, and make times noisy."""
    for process in host.foreign:
        memory = "" if process.memory_mib is None else f" with {process.memory_mib} MiB"
        yield Finding(
            "gpu processes",
            Level.WEAK,
            f"{process.name} ({process.pid}){memory} is not Warpcourt's",
            "end it: nothing is ranked while it works",
        )


def check_programs(host: GpuHost) -> Findings:
    """Check the judge's other requirements, in addition to the driver."""
    yield Finding("cupy", ok_if(bool(host.cupy)), host.cupy or "not installed", _REQUIREMENTS)
    yield Finding(
        "mps",
        ok_if(bool(host.mps_program), Level.WEAK),
        host.mps_program or "nvidia-cuda-mps-control is not on the PATH",
        "install the driver's package that has it (nvidia-compute-utils-<version>, nvidia-cuda-mps), "
        "or set WARPCOURT_MPS=no: GPUs are then time-sliced, and times noisier",
    )
    if host.mps_program and not host.root:
        yield Finding(
            "mps",
            Level.WEAK,
            "this user is not root: containers run as other users, whom its MPS server would not let in",
            "run python -m worker.node and the workers as root, or set WARPCOURT_MPS=no",
        )
