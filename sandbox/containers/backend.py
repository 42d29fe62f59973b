"""The container backend: one single-use container of a Docker engine per program.

Theory of operation. A sandbox is a container that the engine makes from an image of ours:

    us ---------------- engine -- shim
      |                             `-- enter, process 1: ours, the program's id, no capabilities
      `---- one socket ----------------'  |
                                           `-- the program, and whatever it starts

The fences all come from the engine and stand before `enter` runs (`options`): namespaces of its own, no
network, a read-only root, no capabilities, no_new_privs, our system call filter (`profile`), limits on
memory, tasks, processor, files and descriptors, tmpfs with quotas. Everything that passes in and out goes
over the socket (`launch`, `container`, `enter.c`), so the engine's own streams and logs carry nothing.
A GPU comes as `attachment` says. The same thread as for every backend reads output and enforces times
(`sandbox.watch`); containers are removed behind the scenes (`removal`), and those of dead workers when
the next one verifies, or when `reap` is called (`orphans`).

Access to the engine is root on its host: the worker has it, no container ever does.
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
from sandbox.spec import Command
from sandbox.watch import Inherited, WatchedProcess

_log = logging.getLogger(__name__)

_INIT = "enter"
_LABEL = "warpcourt.label"
# Neither of a user nor of a service. One for all by default, as an MPS server was measured with one.
IDENTITIES = range(64123, 64124)


@dataclass(frozen=True, slots=True)
class _Host:
    """Facts about this host, looked up once."""

    facts: Facts
    shell: Shell
    sockets: Path


class Containers:
    """Isolation by containers. Safe to share between threads and, before its first use, processes.

    `runtime` names an OCI runtime that the engine knows, None its default. `directory` is for our own small
    files; only we may write there, and the engine must see it at the same path. `identities` are the ids that
    programs run as. `processors` bounds how many one container uses. `engine` is an address as in
    DOCKER_HOST, which counts when it is None.
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
        """Look at a container of each image from inside, and reap. Raises IsolationUnavailable."""
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
        """Remove the containers of owners that are dead, and return how many there were."""
        found = list(orphans(self._engine))
        for container in found:
            _log.warning("orphan_removed: %s %s", container.labels.get(_LABEL), container.id)
            self._engine.remove(container.id)
        return len(found)

    def close(self) -> None:
        """Wait until every container that has ended is removed, and leave the engine."""
        self._removals.settle()
        self._engine.close()

    def _host(self) -> _Host:
        with self._lock:
            # A clean-up job may delete a temporary folder.
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
            profile, watched_profile = (
                profile_text(engine_profile(watched=watched)) for watched in (False, True)
            )
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
                profile=profile,
                watched_profile=watched_profile,
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
    """A file that containers may read. It is replaced as a whole: others may be reading it."""
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
