"""The container backend: one single-use container of a Docker engine per program.

Theory of operation. A sandbox is a container that the engine creates from one of Warpcourt's images:

    us ---------------- engine -- shim
      |                             `-- enter, process 1: ours, the program's id, no capabilities
      `---- one socket ----------------'  |
                                           `-- the program, and whatever it starts

The engine sets up all protections before `enter` runs (`options`): separate namespaces, no network, a
read-only root, no capabilities, no_new_privs, the system call filter (`profile`), limits on memory, tasks,
processors, files and descriptors, and tmpfs with quotas. All input and output uses the socket (`launch`,
`container`, `enter.c`), so the engine's own streams and logs are empty. `attachment` explains how a GPU is
attached. As for every backend, one thread reads output and enforces time limits (`sandbox.watch`). Containers
are removed in the background (`removal`). Containers of dead workers are removed when the next worker calls
`verify`, or when `reap` is called (`orphans`).

Access to the engine is equivalent to root on its host. The worker has this access, and no container ever
does.
"""

import logging
import os
import secrets
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path

from sandbox.backend import IsolationUnavailable
from sandbox.containers.attachment import attach
from sandbox.containers.engine import Engine, Facts
from sandbox.containers.enter import build_enter
from sandbox.containers.images import Images
from sandbox.containers.launch import ContainerLaunch
from sandbox.containers.options import Shell, configuration, container_name, environment, profile_text
from sandbox.containers.orphans import OWNER_LABEL, Owner, orphans
from sandbox.containers.profile import engine_profile
from sandbox.containers.removal import Removals
from sandbox.probe import probe
from sandbox.spec import Calls, Command
from sandbox.watch import Inherited, WatchedProcess

_log = logging.getLogger(__name__)

_INIT = "enter"
_LABEL = "warpcourt.label"
# Ids of neither a user nor a service. By default, all programs share one, as in measurements with an MPS
# server.
IDENTITIES = range(64123, 64124)


@dataclass(frozen=True, slots=True)
class _Host:
    """Facts about this host, looked up once."""

    facts: Facts
    shell: Shell
    sockets: Path


class Containers:
    """Isolation by containers. Thread-safe. Before its first use, it may be shared by forked processes.

    `runtime` is the name of an OCI runtime of the engine, None for its default. `directory` is for small
    files of the backend. Only this user may write there, and the engine must see it at the same path.
    `identities` are the ids that programs run as. `processors` is the most processors that a container uses.
    `engine` is an address as in DOCKER_HOST; if it is None, DOCKER_HOST applies.
    """

    def __init__(
        self,
        images: Images,
        runtime: str | None = None,
        *,
        directory: Path | None = None,
        identities: range = IDENTITIES,
        processors: float = 4.0,
        engine: str | None = None,
    ) -> None:
        self._images = images
        self._runtime = runtime
        self._directory = directory or Path(tempfile.gettempdir(), f"warpcourt-containers-{os.geteuid()}")
        self._identities = identities
        self._processors = processors
        self._engine = Engine(engine)
        self._removals = Removals(self._engine)
        self._lock = threading.Lock()
        self._found: _Host | None = None

    @property
    def name(self) -> str:
        """`docker`."""
        return "docker"

    @property
    def weaknesses(self) -> tuple[str, ...]:
        """Missing protections of this engine, one sentence each; empty if there are none."""
        facts = self._host().facts
        found = []
        if not facts.limits_swap:
            found.append(
                "swap is not accounted, so a program may use swap in addition to its memory "
                "limit; boot with swapaccount=1"
            )
        return tuple(found)

    def verify(self) -> None:
        """Test a container of each image from inside, and reap orphans. Raises IsolationUnavailable."""
        with self._lock:
            self._found = None
        self._host()
        self.reap()
        for image in {reference: image for image, reference in self._images.references.items()}.values():
            probe(self, identities=self._identities, init=_INIT, image=image)
        for weakness in self.weaknesses:
            _log.warning("sandbox_isolation_reduced: %s", weakness)

    def start(self, command: Command) -> WatchedProcess:
        """Start `command`; its limits count from now. Raises IsolationUnavailable with the fix."""
        host = self._host()
        attachment = attach(command.gpu, host.facts, by_hand=self._images.hosts)
        labels = {OWNER_LABEL: Owner.current().label(), _LABEL: command.label}
        variables = environment(command, attachment)

        def configure(socket: Path) -> dict[str, object]:
            return configuration(
                command,
                shell=host.shell,
                socket=socket,
                identity=secrets.choice(self._identities),
                labels=labels,
                attachment=attachment,
            )

        def launch(descriptors: dict[Inherited, int]) -> ContainerLaunch:
            return ContainerLaunch(
                engine=self._engine,
                name=container_name(command.label),
                configure=configure,
                sockets=host.sockets,
                argv=command.argv,
                environment=variables,
                files=command.files,
                descriptors=descriptors,
                memory_mib=command.limits.memory_mib,
                open_work=bool(command.collect),
                release=self._removals.put,
            )

        return WatchedProcess(command, launch)

    def reap(self) -> int:
        """Remove the containers of dead owners, and return their number."""
        found = list(orphans(self._engine))
        for container in found:
            _log.warning("orphan_removed: %s %s", container.labels.get(_LABEL), container.id)
            self._engine.remove(container.id)
        return len(found)

    def close(self) -> None:
        """Wait until all ended containers are removed, and disconnect from the engine."""
        self._removals.settle()
        self._engine.close()

    def _host(self) -> _Host:
        with self._lock:
            # A clean-up job of the system may delete a temporary folder.
            if self._found is None or not self._found.shell.enter.exists():
                self._found = self._look()
            return self._found

    def _look(self) -> _Host:
        facts = self._engine.facts()
        for there, what in (
            (facts.filters_calls, "filters no system calls: its kernel or build lacks seccomp"),
            (facts.limits_memory, "limits no memory: boot the host with cgroup_enable=memory"),
            (facts.limits_tasks, "limits no tasks: its host needs the pids controller"),
        ):
            if not there:
                raise IsolationUnavailable(f"the container engine {what}")
        if self._runtime is not None and self._runtime not in facts.runtimes:
            known = ", ".join(sorted(facts.runtimes))
            raise IsolationUnavailable(
                f"the container engine has no runtime {self._runtime!r}, only {known}; "
                "install it and name it under runtimes in /etc/docker/daemon.json"
            )
        try:
            profiles = {calls: profile_text(engine_profile(calls=calls)) for calls in Calls}
        except ValueError as error:
            raise IsolationUnavailable(str(error)) from error
        self._images.prepare(self._engine)
        folder = self._directory
        sockets = _private(folder) / "sockets"
        sockets.mkdir(exist_ok=True)
        return _Host(
            facts,
            Shell(
                images=self._images,
                runtime=self._runtime,
                profiles=profiles,
                processors=min(self._processors, facts.processors),
                enter=build_enter(folder),
                passwd=_file(folder / "passwd", _passwd(self._identities)),
                group=_file(folder / "group", _group(self._identities)),
                empty=_file(folder / "empty", ""),
            ),
            sockets,
        )


def _private(folder: Path) -> Path:
    """Create `folder` for this user only, because its sockets lead into containers."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if folder.stat().st_uid != os.geteuid():
            raise IsolationUnavailable(
                f"{folder} belongs to another user; remove it or choose another folder"
            )
        folder.chmod(0o700)
    except OSError as error:
        raise IsolationUnavailable(f"{folder} cannot be used: {error}") from error
    return folder


def _file(path: Path, text: str) -> Path:
    """Write a file that containers may read. It is replaced atomically, because others may be reading it."""
    if not path.exists() or path.read_text() != text:
        new = path.with_name(f"{path.name}-{secrets.token_hex(4)}")
        new.write_text(text)
        new.chmod(0o644)
        new.replace(path)
    return path


def _passwd(identities: range) -> str:
    names = (f"{_user(number, identities)}:x:{number}:{number}" for number in identities)
    return "".join(f"{name}:nobody:/tmp:/usr/sbin/nologin\n" for name in names)


def _group(identities: range) -> str:
    return "".join(f"{_user(number, identities)}:x:{number}:\n" for number in identities)


def _user(number: int, identities: range) -> str:
    return "nobody" if number == identities.start else f"nobody{number}"
