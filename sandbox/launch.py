"""Starts bubblewrap for one command, up to the point before foreign code runs.

Theory of operation. A start has five steps. Each can be undone by killing one process:

1. Spawn bwrap with exactly the descriptors of `Slot`. It creates the namespaces, reports the process id of
   the sandbox's init on INFO, and waits on HOLD.
2. Put that process into its control group, set its resource limits, and, as root, map ids: 0 inside is the
   worker's id, needed only for the mounts. 65534 inside is a host id that no other process uses.
3. Release HOLD. bwrap mounts, drops privileges and loads the system call filter.
4. A trusted shell line inside reports on GATE that everything is in place. The worker opens `/work` through
   /proc/<pid>/root, which is safe because no foreign code has run yet and the root is read-only.
5. The worker answers. The shell closes the descriptors that only it needs and replaces itself by the
   program; as root through setpriv, which gives up id 0 and every capability permanently.

If the worker dies at any point, the sandbox dies too: bwrap asks the kernel to kill it with the thread that
spawned it. So the thread that watches a sandbox must also spawn it.
"""

import contextlib
import fcntl
import json
import os
import resource
import signal
import socket
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from io import FileIO
from pathlib import Path

from sandbox.backend import IsolationUnavailable
from sandbox.cgroup import ControlGroup
from sandbox.descriptors import readable
from sandbox.launched import Launched
from sandbox.spec import Limits
from sandbox.watch import Inherited

_START_S = 20.0
_ERROR_BYTES = 4096
_MIB = 1 << 20
_STACK_BYTES = (8 * _MIB, 64 * _MIB)
_MEMLOCK_BYTES = 64 << 10
_KILLED_FIRST = 1000  # when the host runs out of memory
_ROOM = 2  # the limit of a process is this multiple of the sandbox's limit, which is enforced first
_NO_NAMESPACES = (
    "user namespaces are refused. Debian: sysctl -w kernel.unprivileged_userns_clone=1; "
    "Ubuntu from 23.10: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0 or an AppArmor profile "
    "for bwrap; in a container: allow user namespaces in its seccomp profile"
)
_ADVICE = (
    (
        ("No permissions to create", "Creating new namespace failed", "setting up uid map", "CLONE_NEWUSER"),
        _NO_NAMESPACES,
    ),
    (("Unknown option",), "bubblewrap is too old, 0.8 is needed; run: apt-get install bubblewrap"),
    (("mount proc",), "in a container, /proc must not be masked"),
)


class Slot(IntEnum):
    """Descriptor numbers in bwrap above those that the program inherits."""

    GATE = 4
    INFO = 5
    HOLD = 6
    OPTIONS = 7
    FILTER = 8
    FILES = 10


# Descriptors above 9 are read and closed by bwrap itself, before this line runs.
GATE_LINE = (
    f"unset PWD OLDPWD; printf . >&{Slot.GATE}; read -r go <&{Slot.GATE} || exit 1; unset go; exec "
    + " ".join(f"{number}<&-" for number in range(Slot.GATE, Slot.FILES))
    + '; exec "$@"'
)


@dataclass(frozen=True, slots=True)
class BubblewrapLaunch:
    """All parameters of a start; see the module's docstring.

    `argv` is the command of bwrap. `options` are passed through its slot, so that they are not visible in a
    process list. `outer_id` is the host id of 65534, None if bwrap maps the worker's own id. `descriptors`
    are the worker's descriptors by slot; they stay open here. `folders` are those that the program may write
    to.
    """

    argv: tuple[str, ...]
    options: bytes
    filter_program: bytes
    files: tuple[bytes, ...]
    descriptors: Mapping[Inherited, int]
    limits: Limits
    group: ControlGroup | None
    outer_id: int | None
    open_work: bool
    folders: tuple[str, ...]

    def start(self) -> Launched:
        """Run the five steps. Raises IsolationUnavailable with what bwrap or the kernel said."""
        with contextlib.ExitStack() as ours:
            info, info_inner = _pipe(ours)
            hold_inner, hold = _pipe(ours)
            gate, gate_inner = (ours.enter_context(end) for end in socket.socketpair())
            files = [ours.enter_context(_memory_file(content)) for content in self._contents()]
            inner: dict[int, int] = {
                **{int(number): own for number, own in self.descriptors.items()},
                Slot.GATE: gate_inner.fileno(),
                Slot.INFO: info_inner.fileno(),
                Slot.HOLD: hold_inner.fileno(),
                **{number: file.fileno() for number, file in zip(self._numbers(), files, strict=True)},
            }
            with contextlib.ExitStack() as undo:
                if self.group is not None:
                    undo.callback(self.group.remove)
                monitor = _spawn(self.argv, inner)
                undo.callback(_reap, monitor)
                undo.callback(os.kill, monitor, signal.SIGKILL)
                monitor_descriptor = _kept(undo, os.pidfd_open(monitor))
                for end in (info_inner, hold_inner, gate_inner):
                    end.close()
                init = _child_of(info)
                init_descriptor = _kept(undo, os.pidfd_open(init))
                self._confine(init)
                hold.write(b".")
                _expect(gate, ".")
                work = _kept(undo, self._work_of(init)) if self.open_work else None
                gate.send(b".\n")
                undo.pop_all()
        return Launched(
            monitor=monitor,
            monitor_descriptor=monitor_descriptor,
            init=init,
            init_descriptor=init_descriptor,
            work=work,
            group=self.group,
            memory_bytes=self.limits.memory_mib * _MIB,
            folders=self.folders,
        )

    def explain(self, error: IsolationUnavailable, said: str) -> IsolationUnavailable:
        """Return the error with the output of bwrap, and the fix for known messages."""
        fix = next((fix for signs, fix in _ADVICE if any(sign in said for sign in signs)), "")
        return IsolationUnavailable(": ".join(part for part in (str(error), said, fix) if part))

    def _contents(self) -> tuple[bytes, ...]:
        return (self.options, self.filter_program, *self.files)

    def _numbers(self) -> tuple[int, ...]:
        return (Slot.OPTIONS, Slot.FILTER, *range(Slot.FILES, Slot.FILES + len(self.files)))

    def _confine(self, init: int) -> None:
        """Step 2."""
        try:
            if self.group is not None:
                self.group.add(init)
            for kind, (soft, hard) in _resource_limits(self.limits, grouped=self.group is not None):
                ceiling = resource.getrlimit(kind)[1]
                if ceiling == resource.RLIM_INFINITY:
                    ceiling = hard
                resource.prlimit(init, kind, (min(soft, ceiling), min(hard, ceiling)))
            with contextlib.suppress(PermissionError):  # then it is as likely to be killed as we are
                Path(f"/proc/{init}/oom_score_adj").write_text(str(_KILLED_FIRST))
            if self.outer_id is not None:
                for file in ("uid_map", "gid_map"):
                    Path(f"/proc/{init}/{file}").write_text(f"0 0 1\n65534 {self.outer_id} 1\n")
        except OSError as error:
            raise IsolationUnavailable(f"the sandbox could not be confined: {error}") from error

    def _work_of(self, init: int) -> int:
        try:
            return os.open(f"/proc/{init}/root/work", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise IsolationUnavailable(
                f"the sandbox's working directory cannot be opened: {error}"
            ) from error


def _resource_limits(limits: Limits, *, grouped: bool) -> Iterator[tuple[int, tuple[int, int]]]:
    """Resource limits: a second protection under the control group, the only one without it.

    The kernel counts RLIMIT_NPROC per user. Since Linux 5.14 it counts in the user namespace of the sandbox,
    before that on the whole host. Source: the kernel commit "Reimplement RLIMIT_NPROC on top of
    ucounts".
    """
    file_bytes = limits.file_mib * _MIB
    yield resource.RLIMIT_CORE, (0, 0)
    yield resource.RLIMIT_FSIZE, (file_bytes, file_bytes)
    yield resource.RLIMIT_NOFILE, (limits.descriptors, limits.descriptors)
    yield resource.RLIMIT_MEMLOCK, (_MEMLOCK_BYTES, _MEMLOCK_BYTES)
    yield resource.RLIMIT_STACK, _STACK_BYTES
    if not grouped:
        cpu_s = int(limits.cpu_s) + 1
        memory_bytes = _ROOM * limits.memory_mib * _MIB
        yield resource.RLIMIT_CPU, (cpu_s, cpu_s + 1)
        yield resource.RLIMIT_DATA, (memory_bytes, memory_bytes)
        yield resource.RLIMIT_NPROC, (limits.processes + 2, limits.processes + 2)


def _spawn(argv: tuple[str, ...], descriptors: Mapping[int, int]) -> int:
    """Spawn `argv` with an empty environment, default signals, and no descriptor but these.

    Descriptors that a C library left inheritable in this process are closed by name.
    """
    lowest = max(descriptors) + 1
    copies = {number: fcntl.fcntl(own, fcntl.F_DUPFD_CLOEXEC, lowest) for number, own in descriptors.items()}
    try:
        actions = [
            (os.POSIX_SPAWN_CLOSE, number)
            for number in (int(entry.name) for entry in Path("/proc/self/fd").iterdir())
            if number > Inherited.STDERR and number not in copies.values()
        ]
        wired = [(os.POSIX_SPAWN_DUP2, copy, number) for number, copy in copies.items()]
        return os.posix_spawn(
            argv[0],
            argv,
            {},
            file_actions=[*actions, *wired],
            setpgroup=0,
            setsigmask=(),
            setsigdef=signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP},
        )
    finally:
        for copy in copies.values():
            os.close(copy)


def _child_of(info: FileIO) -> int:
    """The process id in bwrap's report."""
    said = b""
    deadline = time.monotonic() + _START_S
    while not said.rstrip().endswith(b"}"):
        if not readable(info.fileno(), deadline - time.monotonic()):
            raise IsolationUnavailable("bubblewrap did not start in time; is the machine overloaded?")
        chunk = info.read(_ERROR_BYTES)
        if not chunk:
            raise IsolationUnavailable("bubblewrap exited before it created a sandbox")
        said += chunk
    return int(json.loads(said)["child-pid"])


def _expect(gate: socket.socket, word: str) -> None:
    gate.settimeout(_START_S)
    try:
        said = gate.recv(len(word))
    except TimeoutError as error:
        raise IsolationUnavailable(
            "the sandbox was not set up in time; is the machine overloaded?"
        ) from error
    if said.decode(errors="replace") != word:
        raise IsolationUnavailable("bubblewrap could not set the sandbox up")


def _pipe(stack: contextlib.ExitStack) -> tuple[FileIO, FileIO]:
    reader, writer = os.pipe()
    return stack.enter_context(FileIO(reader, "rb")), stack.enter_context(FileIO(writer, "wb"))


def _memory_file(content: bytes) -> FileIO:
    file = FileIO(os.memfd_create("sandbox", os.MFD_CLOEXEC), "r+b")
    file.write(content)
    file.seek(0)
    return file


def _kept(stack: contextlib.ExitStack, descriptor: int) -> int:
    stack.callback(os.close, descriptor)
    return descriptor


def _reap(process: int) -> None:
    with contextlib.suppress(ChildProcessError):
        os.waitpid(process, 0)
