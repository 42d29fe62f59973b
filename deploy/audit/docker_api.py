"""Queries a container engine over its socket, with the standard library only.

The judge uses `sandbox.containers.engine`, which needs the Docker SDK. The audit runs before the SDK is
installed.
"""

import http.client
import json
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Any

OWNER_LABEL = "warpcourt.owner"  # as in sandbox.containers.orphans, which needs the Docker SDK
_LIMIT_S = 5.0
_ANSWER_BYTES = 16 << 20
SOCKETS = (Path("/run/docker.sock"), Path("/var/run/docker.sock"))


@dataclass(frozen=True, slots=True)
class RunningContainer:
    """A running container. The modes are the engine's words: empty or `private` means a namespace of its own.

    `ours` says whether its label marks it as a sandbox.
    """

    name: str
    image: str
    privileged: bool = False
    pid_mode: str = ""
    ipc_mode: str = ""
    network_mode: str = ""
    user: str = ""
    ours: bool = False


@dataclass(frozen=True, slots=True)
class DockerDaemon:
    """A container engine. `trouble` says why the engine did not answer; then all other fields are unknown."""

    socket: Path | None = None
    trouble: str = ""
    version: str = ""
    runtimes: tuple[str, ...] = ()
    cdi_folders: tuple[str, ...] = ()
    images: tuple[str, ...] = ()
    containers: tuple[RunningContainer, ...] = ()


def ask_engine(path: Path | None = None) -> DockerDaemon:
    """Return the facts of the engine behind a socket, by default the first usual socket."""
    path = path or next((known for known in SOCKETS if known.exists()), None)
    if path is None:
        return DockerDaemon(trouble="no container engine: no socket at /run/docker.sock")
    try:
        about = _get(path, "/info")
        return DockerDaemon(
            socket=path,
            version=str(about.get("ServerVersion", "")),
            runtimes=tuple(sorted(about.get("Runtimes") or {})),
            cdi_folders=tuple(about.get("CDISpecDirs") or ()),
            images=tuple(tag for image in _get(path, "/images/json") for tag in image.get("RepoTags") or ()),
            containers=tuple(
                _container(_get(path, f"/containers/{entry['Id']}/json"))
                for entry in _get(path, "/containers/json")
            ),
        )
    except (OSError, http.client.HTTPException, ValueError, KeyError, AttributeError) as error:
        return DockerDaemon(socket=path, trouble=f"{path} does not respond: {error}")


def _container(said: dict[str, Any]) -> RunningContainer:
    host, settings = said.get("HostConfig") or {}, said.get("Config") or {}
    return RunningContainer(
        name=str(said.get("Name", "")).lstrip("/"),
        image=str(settings.get("Image", "")),
        privileged=bool(host.get("Privileged")),
        pid_mode=str(host.get("PidMode", "")),
        ipc_mode=str(host.get("IpcMode", "")),
        network_mode=str(host.get("NetworkMode", "")),
        user=str(settings.get("User", "")),
        ours=OWNER_LABEL in (settings.get("Labels") or {}),
    )


class _Connection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path: Path) -> None:
        super().__init__("localhost", timeout=_LIMIT_S)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(_LIMIT_S)
        self.sock.connect(str(self._path))


def _get(path: Path, route: str) -> Any:
    connection = _Connection(path)
    try:
        connection.request("GET", route)
        answer = connection.getresponse()
        if answer.status != http.client.OK:
            raise ValueError(f"{route}: {answer.status} {answer.reason}")
        return json.loads(answer.read(_ANSWER_BYTES))
    finally:
        connection.close()
