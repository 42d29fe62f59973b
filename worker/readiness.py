"""Checks whether this host can judge before it claims jobs."""

from collections.abc import Callable

from judge.errors import GpuUnavailable
from sandbox.backend import IsolationUnavailable
from sandbox.cpu.build import RuntimeBuildFailed
from sandbox.toolchain import ToolchainMissing
from web.config import Config
from web.site.judging import NOTHING_WARM, open_configured

# Errors of a host that lacks a requirement, or has no usable GPU. Each message has the fix.
CANNOT_JUDGE = (IsolationUnavailable, ToolchainMissing, RuntimeBuildFailed, GpuUnavailable)


def readiness_error(config: Config, say: Callable[[str], None]) -> str | None:
    """Return why this host cannot judge, with the fix; None if it can.

    Builds what judging needs if that has not been done yet, which takes a while the first time.
    """
    if config.target == "scripted":
        return None
    say("Preparing the judge; the first time this takes a minute or two")
    try:
        open_configured(config, warm=NOTHING_WARM).close()
    except CANNOT_JUDGE as error:
        return str(error)
    return None
