"""Checks of the host, or the container, that the doctor runs on."""

import os
import shutil

from deploy.audit.finding import Finding, Findings, Level, graded
from judge.errors import GpuUnavailable
from sandbox.backend import IsolationUnavailable
from sandbox.cpu.build import RuntimeBuildFailed
from sandbox.toolchain import ToolchainMissing
from web.config import Config
from web.site.judging import NOTHING_WARM, open_configured

_MIB = 1 << 20
_LEAST_MIB, _GOOD_MIB = 64, 192


def check_space(config: Config) -> Findings:
    """Free space in the data directory, and permission to write to it."""
    folder = config.data_dir
    if not os.access(folder, os.W_OK):
        fix = f"create {folder} and make the user of the site its owner"
        yield Finding("data directory", Level.MISSING, f"{folder} is not writable", fix)
        return
    free_mib = shutil.disk_usage(folder).free / _MIB
    yield Finding(
        "data directory",
        graded(free_mib, _LEAST_MIB, _GOOD_MIB),
        f"{folder}: {free_mib:.0f} MiB free",
        "free some space: you may delete cache/ in it while the site is stopped",
    )


def check_judging(config: Config) -> Findings:
    """Whether a worker can judge on this host, tested by isolating and compiling."""
    if config.target == "scripted":
        fix = "set WARPCOURT_TARGET=cpu or gpu: the verdicts of the scripted judge are made up"
        yield Finding("judging", Level.WEAK, "the site uses the scripted judge, which is for tests", fix)
        return
    try:
        open_configured(config, warm=NOTHING_WARM).close()
    except (IsolationUnavailable, ToolchainMissing, RuntimeBuildFailed, GpuUnavailable) as error:
        cause, _, fix = str(error).partition("; ")
        details = f"run deploy/check-environment --isolation {config.isolation} for details"
        yield Finding("judging", Level.MISSING, cause, fix or details)
        return
    yield Finding(
        "judging", Level.OK, f"programs are isolated by {config.isolation} and judged on {config.target}"
    )
