"""The bubblewrap backend: one set of Linux namespaces per program, no daemon, no image.

Theory of operation. A sandbox is a tree of four processes:

    us -- bwrap, the monitor: dies with us, reports how the program ended
            `-- bwrap, init of the process id namespace: when it dies, everything inside dies
                  `-- the program, uid 65534, no capabilities, and whatever it starts

The program sees its own root: /usr and the binds of its command, read-only; a private /proc; five harmless
devices, and the devices of its GPU if it has one; empty, size-limited /tmp, /work and /dev/shm. It has no
network, not even loopback to the host. It gets only the environment of its command, and only descriptors 0,
1, 2 and, if requested, 3. The protections, from the outside in: control group (`sandbox.cgroup`), resource
limits and start-up (`sandbox.launch`), namespaces and mounts (`_options`), no_new_privs and an empty
capability set (bwrap), system call filter (`sandbox.seccomp`).

If the worker runs as root, the program has a host id that nothing else on the host has. If the worker is
unprivileged, the program has the worker's host id, and a control group exists only if the system delegated
one. `Bubblewrap.weaknesses` lists missing protections, which are logged once. A program that cannot be
isolated is not started.

One thread per sandbox (`sandbox.watch`) starts it, reads its output, enforces its limits and reaps it.
"""

import logging
import os
import secrets
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from sandbox import seccomp
from sandbox.backend import IsolationUnavailable
from sandbox.cgroup import ControlGroup, Hierarchy
from sandbox.gpu.attachment import GpuFiles, attach, variables_of
from sandbox.launch import GATE_LINE, BubblewrapLaunch, Slot
from sandbox.probe import probe
from sandbox.spec import Calls, Command, Limits, below_work
from sandbox.watch import Inherited, WatchedProcess

_log = logging.getLogger(__name__)

_MIB = 1 << 20
_INNER_ID = "65534"
_INNER_IDS = range(65534, 65535)
# Ids that no distribution or container engine hands out. Source: systemd, "Users, Groups, UIDs and GIDs".
_OUTER_IDS = range(0x7000_0000, 0x7100_0000)
_TASKS_OF_OURS = 2  # bwrap's init and the shell line, within the task limit of the control group
_SYSTEM_LINKS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_SYSTEM_FILES = ("/etc/alternatives", "/etc/ld.so.cache")
_WRITABLE = ("/tmp", "/work", "/dev/shm")  # noqa: S108 - inside the sandbox
_SHELL = "/bin/sh"
_GIVE_UP_ROOT = (
    *("/usr/bin/setpriv", "--reuid", _INNER_ID, "--regid", _INNER_ID, "--clear-groups"),
    *("--inh-caps=-all", "--ambient-caps=-all", "--bounding-set=-all", "--"),
)
_PASSWD = b"nobody:x:65534:65534:nobody:/tmp:/usr/sbin/nologin\n"
_GROUP = b"nogroup:x:65534:\n"


@dataclass(frozen=True, slots=True)
class _Host:
    """Facts about this host, looked up once."""

    bwrap: str
    hierarchy: Hierarchy | None
    maps_ids: bool
    filter_programs: Mapping[Calls, bytes]


class Bubblewrap:
    """Isolation by bubblewrap. Thread-safe. Before its first use, it may be shared by forked processes."""

    def __init__(self) -> None:
        self._found: _Host | None = None

    @property
    def name(self) -> str:
        """`bubblewrap`."""
        return "bubblewrap"

    @property
    def weaknesses(self) -> tuple[str, ...]:
        """Missing protections of this host, one sentence each; empty if there are none."""
        host = self._host()
        found = []
        if host.hierarchy is None:
            found.append(
                "no control groups: memory is counted ten times a second, CPU time is limited per process, "
                "and tasks per user (in each sandbox since Linux 5.14, before that on the whole host); run "
                "as root or have systemd delegate a group (Delegate=yes)"
            )
        if not host.maps_ids:
            found.append(
                "programs run under this process's own user id outside; run as root to give "
                "each its own user id"
            )
        return tuple(found)

    def verify(self) -> None:
        """Start a sandbox and test it from inside. Raises IsolationUnavailable with the fix."""
        host = self._host()
        if host.hierarchy is not None:
            host.hierarchy.sweep()
        probe(self, identities=_INNER_IDS, init="bwrap")
        for weakness in self.weaknesses:
            _log.warning("sandbox_isolation_reduced: %s", weakness)

    def start(self, command: Command) -> WatchedProcess:
        """Start `command`; its limits count from now. Raises IsolationUnavailable with the fix."""
        host = self._host()
        outer_id = secrets.choice(_OUTER_IDS) if host.maps_ids else None

        def launch(descriptors: dict[Inherited, int]) -> BubblewrapLaunch:
            return BubblewrapLaunch(
                argv=(
                    *(host.bwrap, "--args", str(int(Slot.OPTIONS)), "--", _SHELL, "-c", GATE_LINE, _SHELL),
                    *(_GIVE_UP_ROOT if host.maps_ids else ()),
                    *command.argv,
                ),
                options=_options(command, maps_ids=host.maps_ids),
                filter_program=host.filter_programs[command.calls],
                files=(_PASSWD, _GROUP, *command.files.values()),
                descriptors=descriptors,
                limits=command.limits,
                outer_id=outer_id,
                open_work=bool(command.collect),
                folders=_WRITABLE,
                group=self._group(host, command.limits),  # last: afterwards, the launch removes the group
            )

        return WatchedProcess(command, launch)

    def _group(self, host: _Host, limits: Limits) -> ControlGroup | None:
        if host.hierarchy is None:
            return None
        try:
            return ControlGroup.create(
                host.hierarchy,
                memory_bytes=limits.memory_mib * _MIB,
                tasks=limits.processes + _TASKS_OF_OURS,
            )
        except OSError as error:
            raise IsolationUnavailable(f"no control group could be made: {error}") from error

    def _host(self) -> _Host:
        if self._found is None:
            self._found = _look()
        return self._found


def _look() -> _Host:
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        raise IsolationUnavailable("bubblewrap is not installed; run: apt-get install bubblewrap")
    try:
        hierarchy = Hierarchy.find()
        filters = {calls: seccomp.filter_program(calls=calls, uncounted=hierarchy is None) for calls in Calls}
    except ValueError as error:
        raise IsolationUnavailable(str(error)) from error
    return _Host(bwrap, hierarchy, _may_map_ids(), filters)


def _may_map_ids() -> bool:
    """Return whether this process is root over the ids of sandboxes, and can change to them."""
    if os.geteuid() != 0 or not Path(_GIVE_UP_ROOT[0]).exists():
        return False
    spans = (tuple(map(int, line.split())) for line in Path("/proc/self/uid_map").read_text().splitlines())
    return any(first <= _OUTER_IDS.start and first + count >= _OUTER_IDS.stop for first, _, count in spans)


def _options(command: Command, *, maps_ids: bool) -> bytes:
    """Return the options of bwrap, separated by NUL, in the order in which bwrap applies them."""
    gpu = attach(command.gpu) if command.gpu else GpuFiles()
    words = [
        *("--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts"),
        *("--unshare-cgroup", "--die-with-parent", "--new-session", "--hostname", "sandbox"),
        *("--clearenv", "--info-fd", str(int(Slot.INFO)), "--seccomp", str(int(Slot.FILTER))),
        *("--cap-drop", "ALL"),
    ]
    if maps_ids:
        words += ["--userns-block-fd", str(int(Slot.HOLD))]
        for capability in ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP"):
            words += ["--cap-add", capability]
    else:
        words += ["--block-fd", str(int(Slot.HOLD)), "--uid", _INNER_ID, "--gid", _INNER_ID]
    for name, value in variables_of(command, gpu.environment, gpu.libraries).items():
        words += ["--setenv", name, value]
    words += _mounts(command, gpu)
    words += ["--chdir", "/work"]
    if any("\0" in word for word in words):
        raise ValueError("a NUL byte in a command")
    return "".join(f"{word}\0" for word in words).encode()


def _mounts(command: Command, gpu: GpuFiles) -> list[str]:
    """Return the options for the program's file tree. Parents come first, accessible to the program's id."""
    quota = str(command.limits.tmpfs_mib * _MIB)
    words = ["--proc", "/proc", "--dev", "/dev"]
    for folder in _WRITABLE:
        words += ["--perms", "1777", "--size", quota, "--tmpfs", folder]
    words += _system()
    made = {PurePosixPath(path) for path in ("/", "/etc", "/usr", "/dev", "/proc", *_WRITABLE)}
    for device in gpu.devices:
        words += ["--dev-bind", device, device]
    if gpu.devices:  # the driver finds the card there
        words += ["--ro-bind", "/sys", "/sys"]
    for folder in gpu.masked:
        words += ["--perms", "0000", "--size", "4096", "--tmpfs", folder]
    for bind in (*command.binds, *gpu.binds):
        words += _parents(PurePosixPath(bind.target), made)
        words += ["--ro-bind", str(bind.source), bind.target]
    for number, name in enumerate(command.files, start=Slot.FILES + 2):
        path = below_work(name)
        words += _parents(path, made)
        words += ["--perms", "0644", "--file", str(number), str(path)]
    return [*words, "--remount-ro", "/dev", "--remount-ro", "/"]


def _system() -> list[str]:
    """Return the bwrap options of every program: /usr, its aliases, the loader's cache, user names."""
    words = ["--ro-bind", "/usr", "/usr", "--perms", "0755", "--dir", "/etc"]
    for name in _SYSTEM_LINKS:
        path = Path("/", name)
        if path.is_symlink():
            words += ["--symlink", str(path.readlink()), str(path)]
        elif path.is_dir():
            words += ["--ro-bind", str(path), str(path)]
    for file in _SYSTEM_FILES:
        words += ["--ro-bind-try", file, file]
    for number, file in enumerate(("/etc/passwd", "/etc/group"), start=Slot.FILES):
        words += ["--perms", "0444", "--file", str(int(number)), file]
    return words


def _parents(path: PurePosixPath, made: set[PurePosixPath]) -> list[str]:
    """Create the missing folders above `path`. If bwrap created them, other ids could not access them."""
    words: list[str] = []
    for parent in reversed(path.parents):
        if parent not in made and not parent.is_relative_to("/usr"):
            made.add(parent)
            words += ["--perms", "0755", "--dir", str(parent)]
    return words
