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
    """Room in the directory of the data, and the right to write there."""
    folder = config.data_dir
    if not os.access(folder, os.W_OK):
        fix = f"create {folder} and give it to the user that the site runs as"
        yield Finding("data directory", Level.MISSING, f"{folder} cannot be written to", fix)
        return
    free_mib = shutil.disk_usage(folder).free / _MIB
    yield Finding(
        "data directory",
        graded(free_mib, _LEAST_MIB, _GOOD_MIB),
        f"{folder}: {free_mib:.0f} MiB free",
        "make room: cache/ in it may be deleted while nothing runs",
    )


def check_judging(config: Config) -> Findings:
    """Whether a worker could judge here, found out by isolating and compiling."""
    if config.target == "scripted":
        fix = "set WARPCOURT_TARGET=cpu or gpu: no program is run, and every verdict is made up"
        yield Finding("judging", Level.WEAK, "the judge is the scripted one, for tests", fix)
        return
    try:
        open_configured(config, warm=NOTHING_WARM).close()
    except (IsolationUnavailable, ToolchainMissing, RuntimeBuildFailed, GpuUnavailable) as error:
        cause, _, fix = str(error).partition("; ")
        yield Finding("judging", Level.MISSING, cause, fix or "deploy/check-environment says more")
        return
    yield Finding(
        "judging", Level.OK, f"programs are isolated by {config.isolation} and judged on {config.target}"
    )
