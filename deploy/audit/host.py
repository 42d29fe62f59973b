"""Checks of any host that judges: processor, isolation, compilers, space, clock.

The checks test the real behaviour where possible. For example, they check isolation by isolating a program.
"""

import ctypes
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

from deploy.audit.finding import Finding, Findings, Level, dotted, graded
from sandbox.backend import IsolationUnavailable
from sandbox.bubblewrap import Bubblewrap
from sandbox.toolchain import ToolchainMissing, find_toolkit

ROOT = Path(__file__).resolve().parents[2]
_GIB = 1 << 30
_TIME_ERROR = 5  # adjtimex(2): the clock is not synchronised
_TIMEX_BYTES = 512
_MIN_BWRAP = (0, 8)
_MIN_GXX = 11
_MIN_MEMORY_GIB, _GOOD_MEMORY_GIB = 1.5, 4.0
_MIN_DISK_GIB, _GOOD_DISK_GIB = 1.0, 5.0
_STEADY_CLOCKS = {"tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page", "xen"}


def check_python() -> Findings:
    """Check the interpreter that would run the judge."""
    level = Level.OK if sys.version_info >= (3, 11) else Level.MISSING
    yield Finding("python", level, platform.python_version(), "apt-get install python3.11 python3.11-venv")


def check_machine() -> Findings:
    """Check the processor and its cores."""
    known = platform.machine() in {"x86_64", "aarch64"}
    yield Finding(
        "processor",
        Level.OK if known else Level.MISSING,
        platform.machine(),
        "use an x86-64 or aarch64 machine",
    )
    cores = len(os.sched_getaffinity(0))
    yield Finding(
        "cores", Level.OK if cores > 1 else Level.WEAK, str(cores), "use two cores or more for quick verdicts"
    )


def check_bubblewrap() -> Findings:
    """Check for the program that isolates, and for the program that drops root privileges."""
    version = version_of("bwrap", "--version")
    level = Level.OK if version >= _MIN_BWRAP else Level.MISSING
    yield Finding("bubblewrap", level, dotted(version), "apt-get install bubblewrap (0.8 or newer)")
    if os.geteuid() == 0:
        there = Path("/usr/bin/setpriv").exists()
        yield Finding(
            "setpriv",
            Level.OK if there else Level.WEAK,
            "found" if there else "not found",
            "apt-get install util-linux",
        )


def check_explanations() -> Findings:
    """Check for bubblewrap on a GPU host whose programs run in containers. It can judge without it."""
    version = version_of("bwrap", "--version")
    yield Finding(
        "bubblewrap",
        Level.OK if version >= _MIN_BWRAP else Level.WEAK,
        dotted(version),
        "apt-get install bubblewrap (0.8 or newer) to explain why CUDA programs fail",
    )


def check_namespaces() -> Findings:
    """Check for kernel settings that are known to forbid user namespaces."""
    if os.geteuid() == 0:
        return
    for name, bad, fix in (
        ("kernel/unprivileged_userns_clone", "0", "sysctl -w kernel.unprivileged_userns_clone=1"),
        ("user/max_user_namespaces", "0", "sysctl -w user.max_user_namespaces=10000"),
        (
            "kernel/apparmor_restrict_unprivileged_userns",
            "1",
            "add an AppArmor profile for bwrap, or sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
        ),
    ):
        value = read(Path("/proc/sys", name))
        if value == bad:
            yield Finding("namespaces", Level.WEAK, f"{name.replace('/', '.')} = {value}", fix)


def check_isolation() -> Findings:
    """Isolate a program, and check from inside what it can see."""
    backend = Bubblewrap()
    try:
        backend.verify()
    except IsolationUnavailable as error:
        cause, _, fix = str(error).partition("; run: ")
        yield Finding("isolation", Level.MISSING, cause, fix or "fix the cause above")
        return
    yield Finding("isolation", Level.OK, "a probe had no network, saw no host process and could not write")
    for weakness in backend.weaknesses:
        found, _, fix = weakness.partition("; ")
        yield Finding("isolation", Level.WEAK, found, fix)


def check_compilers() -> Findings:
    """Check for the compilers of submissions."""
    version = version_of("g++", "-dumpfullversion")
    level = Level.OK if version >= (_MIN_GXX,) else Level.MISSING
    yield Finding("g++", level, dotted(version), "apt-get install g++")
    try:
        toolkit = find_toolkit()
    except ToolchainMissing as error:
        yield Finding("nvcc", Level.MISSING, "not usable", str(error))
    else:
        yield Finding("nvcc", Level.OK, ", ".join(f"{k} {v}" for k, v in toolkit.stamp().items()))


def check_space() -> Findings:
    """Check for enough memory and disk space."""
    memory = re.search(r"MemAvailable:\s+(\d+) kB", read(Path("/proc/meminfo")))
    memory_gib = int(memory[1]) * 1024 / _GIB if memory else 0.0
    yield Finding(
        "memory",
        graded(memory_gib, _MIN_MEMORY_GIB, _GOOD_MEMORY_GIB),
        f"{memory_gib:.1f} GiB available",
        f"{_GOOD_MEMORY_GIB:g} GiB are enough to judge two submissions at a time",
    )
    disk_gib = shutil.disk_usage(ROOT).free / _GIB
    yield Finding(
        "disk",
        graded(disk_gib, _MIN_DISK_GIB, _GOOD_DISK_GIB),
        f"{disk_gib:.1f} GiB free",
        f"free some space: the packages and the compile cache need {_GOOD_DISK_GIB:g} GiB",
    )


def check_clock() -> Findings:
    """Check the clock. Limits need a steady clock, and leases between hosts need synchronised clocks."""
    source = read(Path("/sys/devices/system/clocksource/clocksource0/current_clocksource"))
    steady = source in _STEADY_CLOCKS
    yield Finding(
        "clock", Level.OK if steady else Level.WEAK, source or "unknown", "boot with clocksource=tsc"
    )
    state = ctypes.CDLL(None).adjtimex(ctypes.create_string_buffer(_TIMEX_BYTES))
    yield Finding(
        "clock",
        Level.WEAK if state == _TIME_ERROR else Level.OK,
        "not synchronised" if state == _TIME_ERROR else "synchronised",
        "apt-get install systemd-timesyncd (needed if several hosts judge)",
    )


def version_of(program: str, option: str) -> tuple[int, ...]:
    """Return the first version number that `program` prints, empty if the program is missing."""
    if shutil.which(program) is None:
        return ()
    said = subprocess.run([program, option], capture_output=True, text=True, timeout=10, check=False).stdout
    numbers = re.search(r"\d+(\.\d+)*", said)
    return tuple(map(int, numbers[0].split("."))) if numbers else ()


def read(path: Path) -> str:
    """Return the text of a small system file, empty if it cannot be read."""
    try:
        return path.read_text().strip()
    except OSError:
        return ""
