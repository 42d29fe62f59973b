"""The node service's calls to the container engine: its version, and the removal of orphans."""

from collections.abc import Callable
from dataclasses import dataclass

from sandbox.backend import IsolationUnavailable
from sandbox.containers.backend import Containers
from sandbox.containers.engine import Engine
from sandbox.containers.images import Images


@dataclass(frozen=True, slots=True)
class EngineOfNode:
    """`version` is empty if no engine answers; `reap` returns the number of containers that it ended."""

    version: str
    reap: Callable[[], int]


def open_engine(isolation: str) -> EngineOfNode:
    """Return the engine for this isolation. An engine that does not answer yet may do so later."""
    if isolation != "docker":
        return EngineOfNode("", lambda: 0)
    try:
        version = f"Docker {Engine().facts().version}"
    except IsolationUnavailable:
        version = ""
    return EngineOfNode(version, Containers(Images.host()).reap)
