"""A typed interface to the parts of the Docker SDK that Warpcourt uses.

Every failure becomes an IsolationUnavailable with a fix. Such a job is retried.
"""

import contextlib
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

import docker
import docker.errors
import docker.utils
import requests

from sandbox.backend import IsolationUnavailable

_TIMEOUT_S = 60
_START = "start it: systemctl start docker, or without systemd deploy/start-docker, and do as it says"
_NOT_FOUND, _CONFLICT = 404, 409
_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts about an engine. `runtimes` are names of runtimes, `cdi_folders` are its folders of CDI files."""

    version: str
    runtimes: frozenset[str]
    cdi_folders: tuple[str, ...]
    processors: int
    limits_memory: bool
    limits_swap: bool
    limits_tasks: bool
    filters_calls: bool


@dataclass(frozen=True, slots=True)
class Known:
    """A container of the engine."""

    id: str
    labels: Mapping[str, str]
    running: bool
    created_s: float


@dataclass(frozen=True, slots=True)
class ContainerState:
    """The engine's view of one container."""

    running: bool
    code: int
    out_of_memory: bool
    error: str


class Engine:
    """One engine. Thread-safe. Connects at first use. `address` is in the format of DOCKER_HOST."""

    def __init__(self, address: str | None = None) -> None:
        self._address = address
        self._lock = threading.Lock()
        self._api: docker.APIClient | None = None

    def facts(self) -> Facts:
        """Return the engine's current facts."""
        said = self._ask("describe itself", lambda api: api.info())
        return Facts(
            version=str(said.get("ServerVersion", "")),
            runtimes=frozenset(said.get("Runtimes") or ()),
            cdi_folders=tuple(said.get("CDISpecDirs") or ()),
            processors=int(said.get("NCPU") or 1),
            limits_memory=bool(said.get("MemoryLimit")),
            limits_swap=bool(said.get("SwapLimit")),
            limits_tasks=bool(said.get("PidsLimit")),
            filters_calls=any("seccomp" in option for option in said.get("SecurityOptions") or ()),
        )

    def has_image(self, reference: str) -> bool:
        """Return whether the engine has the image."""

        def ask(api: docker.APIClient) -> bool:
            try:
                api.inspect_image(reference)  # type: ignore[no-untyped-call]
            except docker.errors.NotFound:
                return False
            return True

        return self._ask("look for an image", ask)

    def import_image(self, repository: str, tag: str, archive: bytes) -> None:
        """Create an image with one layer from a tar archive."""
        self._ask(
            "import an image",
            lambda api: api.import_image_from_data(archive, repository=repository, tag=tag),
        )

    def create(self, name: str, configuration: Mapping[str, object]) -> str:
        """Create a container and return its id."""

        def ask(api: docker.APIClient) -> str:
            made = api.create_container_from_config(dict(configuration), name)  # type: ignore[no-untyped-call]
            return str(made["Id"])

        return self._ask("create a container", ask)

    def start(self, container: str) -> None:
        """Start it."""
        self._ask("start a container", lambda api: api.start(container))

    def limit_memory(self, container: str, memory_bytes: int) -> None:
        """Change the memory limit, without additional swap."""
        self._ask(
            "change a container's memory limit",
            lambda api: api.update_container(
                container, mem_limit=str(memory_bytes), memswap_limit=str(memory_bytes)
            ),
        )

    def kill(self, container: str) -> None:
        """Kill the container. Does nothing if it is not running."""

        def ask(api: docker.APIClient) -> None:
            with _tolerating(_NOT_FOUND, _CONFLICT):
                api.kill(container)

        self._ask("kill a container", ask)

    def state(self, container: str) -> ContainerState:
        """Return the state of `container`."""
        said = self._ask("inspect a container", lambda api: api.inspect_container(container))["State"]
        return ContainerState(
            bool(said.get("Running")),
            int(said.get("ExitCode") or 0),
            bool(said.get("OOMKilled")),
            str(said.get("Error") or ""),
        )

    def remove(self, container: str) -> None:
        """Kill the container and remove it with its volumes.

        Does nothing if it is missing or being removed.
        """

        def ask(api: docker.APIClient) -> None:
            with _tolerating(_NOT_FOUND, _CONFLICT):
                api.remove_container(container, v=True, force=True)

        self._ask("remove a container", ask)

    def containers(self, label: str) -> Iterator[Known]:
        """Return all containers with `label`, running or not."""
        for said in self._ask(
            "list containers", lambda api: api.containers(all=True, filters={"label": label})
        ):
            yield Known(
                id=str(said["Id"]),
                labels=dict(said.get("Labels") or {}),
                running=said.get("State") == "running",
                created_s=float(said.get("Created") or 0),
            )

    def close(self) -> None:
        """Close the connections. The next call opens new ones."""
        with self._lock:
            if self._api is not None:
                self._api.close()
                self._api = None

    def _ask(
        self, what: str, question: Callable[[docker.APIClient], _Result], *, passes: bool = False
    ) -> _Result:
        """Call the engine, and explain a failure. With `passes`, the engine's own errors reach the caller."""
        try:
            return question(self._connected())
        except docker.errors.APIError as error:
            if passes:
                raise
            raise IsolationUnavailable(
                f"the engine refused to {what}: {error.explanation or error}"
            ) from error
        except (docker.errors.DockerException, requests.exceptions.RequestException, OSError) as error:
            raise IsolationUnavailable(
                f"the container engine did not answer (while asked to {what}): {error}; {_START}"
            ) from error

    def _connected(self) -> docker.APIClient:
        with self._lock:
            if self._api is None:
                where = {"base_url": self._address} if self._address else docker.utils.kwargs_from_env()
                self._api = docker.APIClient(**where, version="auto", timeout=_TIMEOUT_S)
                self._api.trust_env = False  # no proxies; other threads may change the environment
            return self._api


@contextlib.contextmanager
def _tolerating(*statuses: int) -> Iterator[None]:
    """Treat these answers of the engine as success."""
    try:
        yield
    except docker.errors.APIError as error:
        if error.status_code not in statuses:
            raise
