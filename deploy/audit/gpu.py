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
    """Check the driver, and each GPU that it reports."""
    if host.nvml_trouble:
        cause, _, fix = host.nvml_trouble.partition("; ")
        yield Finding("driver", Level.MISSING, cause, fix or "install NVIDIA's data center driver")
        return
    if not host.gpus:
        yield Finding(
            "gpu", Level.MISSING, "the driver detects no GPU", "search the kernel log for NVRM and Xid"
        )
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
        f"install {dotted(floor)} or newer: programs can escape from a container through this version",
    )


def _cuda(driver: tuple[int, int], toolkit: tuple[int, ...]) -> Finding:
    found = f"driver supports {dotted(driver)}, toolkit is {dotted(toolkit)}"
    if toolkit and toolkit[0] > driver[0]:
        fix = f"install a driver for CUDA {toolkit[0]} or a toolkit for CUDA {driver[0]}: no program can load"
        return Finding("cuda", Level.MISSING, found, fix)
    newer = toolkit[:2] > driver
    fix = (
        "install a driver as new as the toolkit, so that it loads PTX" if newer else "install a CUDA toolkit"
    )
    return Finding("cuda", ok_if(bool(toolkit) and not newer, Level.WEAK), found, fix)


def _gpu(gpu: GpuState) -> Findings:
    info, errors = gpu.info, gpu.errors
    name = f"gpu {info.minor}"
    yield Finding(name, Level.OK, f"{info.model}, {info.memory_mib} MiB, {info.architecture}, {info.uuid}")
    if info.mig:
        yield Finding(
            name,
            Level.MISSING,
            "MIG divides the GPU into slices, but the judge needs the whole GPU",
            f"stop the processes that use it, then run: nvidia-smi -i {info.uuid} -mig 0",
        )
    if info.compute_mode is not ComputeMode.DEFAULT:
        yield Finding(
            name,
            Level.MISSING,
            f"compute mode is {info.compute_mode}, but the judge needs a second process next to MPS",
            f"nvidia-smi -i {info.uuid} -c DEFAULT",
        )
    if info.persistence is False:
        yield Finding(
            name, Level.WEAK, "persistence mode is off, so the first context is slow", "nvidia-smi -pm 1"
        )
    if info.ecc is False:
        yield Finding(
            name, Level.WEAK, "ECC is off, so a bit flip looks like a wrong answer", "nvidia-smi -e 1"
        )
    if errors.remap_failed:
        yield Finding(name, Level.MISSING, "its memory has no spare rows left", "replace the GPU")
    elif errors.remap_pending or errors.retire_pending or errors.uncorrected:
        yield Finding(
            name,
            Level.MISSING,
            f"{errors.uncorrected or 0} uncorrected memory errors, rows waiting to be retired",
            f"stop the processes that use it, then run: nvidia-smi -i {info.uuid} --gpu-reset",
        )
    free_part = gpu.sample.free_mib / info.memory_mib
    yield Finding(
        name,
        ok_if(free_part >= _FREE_PART, Level.WEAK),
        f"{gpu.sample.free_mib} MiB free",
        "stop other processes that use it; nvidia-smi lists them",
    )


def check_foreign(host: GpuHost) -> Findings:
    """Check for other processes on the GPUs. They use memory and make times noisy."""
    for process in host.foreign:
        memory = "" if process.memory_mib is None else f" with {process.memory_mib} MiB"
        yield Finding(
            "gpu processes",
            Level.WEAK,
            f"{process.name} ({process.pid}){memory} does not belong to Warpcourt",
            "stop it: submissions are not ranked while it runs",
        )


def check_control_groups(host: GpuHost) -> Findings:
    """Check the version of the control groups."""
    yield Finding(
        "control groups",
        ok_if(host.cgroup_version == 2, Level.WEAK),
        f"version {host.cgroup_version}",
        "boot with systemd.unified_cgroup_hierarchy=1",
    )


def check_profiling(host: GpuHost) -> Findings:
    """Check the requirements of profiles. A host without them can still judge."""
    yield Finding(
        "profiles",
        ok_if(bool(host.nsight_compute), Level.WEAK),
        f"Nsight Compute {host.nsight_compute}" if host.nsight_compute else "Nsight Compute is not installed",
        "install cuda-nsight-compute to let users profile runs, unless WARPCOURT_IMAGES names images",
    )
    yield Finding(
        "profiles",
        ok_if(host.counters_for_all, Level.WEAK),
        f"the driver lets {'all users' if host.counters_for_all else 'only administrators'} read counters",
        "load the module nvidia with NVreg_RestrictProfilingToAdminUsers=0 to let users profile runs",
    )


def check_programs(host: GpuHost) -> Findings:
    """Check the requirements of the judge, except for the driver."""
    yield Finding("cupy", ok_if(bool(host.cupy)), host.cupy or "not installed", _REQUIREMENTS)
    yield Finding(
        "mps",
        ok_if(bool(host.mps_program), Level.WEAK),
        host.mps_program or "nvidia-cuda-mps-control is not on the PATH",
        "install the driver package with MPS (nvidia-compute-utils-<version> or nvidia-cuda-mps), "
        "or set WARPCOURT_MPS=no: GPUs are then time-sliced and times are noisier",
    )
    if host.mps_program and not host.root:
        yield Finding(
            "mps",
            Level.WEAK,
            "this user is not root: its MPS server refuses containers, which run as other users",
            "run python -m worker.node and the workers as root, or set WARPCOURT_MPS=no",
        )
