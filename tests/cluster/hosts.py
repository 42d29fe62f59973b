"""Hosts: groups of processes with a separate network, process table, mounts and host name.

Theory of operation. A host is a set of Linux namespaces that an idle first process keeps alive. All programs
of the host enter them (`nsenter`), so they see no process, mount or interface of another host. When the first
process is killed, the kernel ends all other processes in its process table. This is the power switch of a
host, and the reason that no test leaves processes behind. The *hub* has a bridge. Every other host is
connected to it by a cable (a veth pair) from its `eth0`. Disconnecting a host has the same effect as pulling
a real cable: neither end gets another signal.

Unix sockets do not belong to a network namespace. The test itself stays outside and reaches the hub only by
Unix sockets. So no address of the machine is used, and any number of clusters can run at the same time.

The first process ignores SIGCHLD, so orphans that it inherits do not become zombies.
"""

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from testing.services import need, wait_until

ROOT = Path(__file__).resolve().parents[2]
NETWORK = "10.77.0"
HUB_ADDRESS = f"{NETWORK}.1"
_FIRST = "trap '' CHLD; exec sleep infinity"


def need_hosts() -> None:
    """Skip the test if hosts cannot be created, or fail it in CI."""
    need(os.geteuid() == 0, "root, to make hosts of namespaces", "run these tests as root")
    made = subprocess.run(
        ["unshare", "--net", "ip", "link", "add", "name", "probe", "type", "bridge"], check=False
    )
    need(made.returncode == 0, "a network of one's own", "apt-get install iproute2; allow network namespaces")


class Host:
    """One host. `log` has the output of its programs."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.log: list[str] = []
        self._programs: list[Program] = []
        spaces = "--net --pid --mount --uts --ipc --fork --kill-child --mount-proc"
        first = ["sh", "-c", f"hostname {name} && {_FIRST}"]
        self._holder = subprocess.Popen(["unshare", *spaces.split(), *first])
        wait_until(lambda: _is_idle(self._first_process()), f"the start of host {name}")
        self.pid = self._first_process()
        self.run("ip", "link", "set", "lo", "up")

    def start(self, *argv: str, environment: Mapping[str, str], **options: object) -> "Program":
        """Start a program on this host, in a new process group."""
        program = Program(self, argv, environment, **options)
        self._programs = [one for one in self._programs if one.running] + [program]
        return program

    def python(self, *argv: str, environment: Mapping[str, str]) -> "Program":
        """Start a Python program of this repository."""
        return self.start(sys.executable, *argv, environment=environment)

    def run(self, *argv: str) -> str:
        """Run a command to its end, and return its output."""
        done = subprocess.run([*self.enter(), *argv], check=False, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{' '.join(argv)} on {self.name}: {done.stderr or done.stdout}")
        return done.stdout

    def enter(self) -> list[str]:
        """Return the words that precede a command to run it on this host."""
        spaces = ("--net", "--pid", "--mount", "--uts", "--ipc")
        return ["nsenter", f"--target={self.pid}", *spaces, f"--wdns={ROOT}"]

    def processes(self) -> dict[int, int]:
        """Return the living processes except the first: the id outside of the host by the id inside."""
        mine = _namespace(self.pid)
        found: dict[int, int] = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdecimal() and int(entry.name) != self.pid:
                with contextlib.suppress(OSError):
                    if _namespace(int(entry.name)) == mine and (inside := _inside(entry)) is not None:
                        found[inside] = int(entry.name)
        return found

    def ancestors(self, pid: int) -> Iterator[int]:
        """Yield a process of this host and its ancestors on this host."""
        while pid > 1 and pid != self.pid:
            yield pid
            pid = int(_status(Path(f"/proc/{pid}"))["PPid"])

    def power_off(self) -> None:
        """Kill all processes of the host at once. The host cannot be started again."""
        self._holder.kill()
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        self._holder.wait()
        for program in filter(lambda program: program.running, self._programs):
            program.group(signal.SIGKILL)  # the `nsenter` process is outside the host, and may be stopped

    def _first_process(self) -> int:
        children = Path(f"/proc/{self._holder.pid}/task/{self._holder.pid}/children").read_text().split()
        return int(children[0]) if children else 0


class Program:
    """A program on a host. `pid` is the id of its main process, as the test sees it."""

    def __init__(
        self,
        host: Host,
        argv: Sequence[str],
        environment: Mapping[str, str],
        **options: object,
    ) -> None:
        self._said_before = len(host.log)
        self._host = host
        self._entered = subprocess.Popen(  # type: ignore[call-overload]
            [*host.enter(), *argv],
            cwd=ROOT,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
            **options,
        )
        threading.Thread(target=self._read, daemon=True).start()
        wait_until(lambda: bool(self._children()) or not self.running, f"the start of {argv[0]}")
        self.pid = next(iter(self._children()), 0)

    @property
    def running(self) -> bool:
        """Return whether it is running."""
        return self._entered.poll() is None

    @property
    def group_id(self) -> int:
        """Its process group, as the test sees it."""
        return self._entered.pid

    def said(self, text: str) -> bool:
        """Return whether the log of its host contains `text` since the program started."""
        return any(text in line for line in self._host.log[self._said_before :])

    def group(self, number: signal.Signals) -> None:
        """Send a signal to it and all its children."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._entered.pid, number)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to its main process."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def kill(self) -> None:
        """Send SIGKILL to all its processes, and wait until they have ended."""
        self.group(signal.SIGKILL)
        self._entered.wait()

    def wait(self, timeout_s: float = 30) -> int:
        """Its exit status, once it has ended."""
        return int(self._entered.wait(timeout_s))

    def _children(self) -> list[int]:
        with contextlib.suppress(OSError):
            path = Path(f"/proc/{self._entered.pid}/task/{self._entered.pid}/children")
            return [int(pid) for pid in path.read_text().split()]
        return []

    def _read(self) -> None:
        for line in self._entered.stdout:
            self._host.log.append(line.rstrip())


class Hub(Host):
    """The host of database, broker and site, with the switch that connects the other hosts."""

    def __init__(self) -> None:
        super().__init__("hub")
        self.run("ip", "link", "add", "switch", "type", "bridge")
        self.run("ip", "address", "add", f"{HUB_ADDRESS}/24", "dev", "switch")
        self.run("ip", "link", "set", "switch", "up")
        self._ports: dict[str, str] = {}

    def connect(self, host: Host) -> None:
        """Lay a cable to `host`."""
        port = f"port{len(self._ports) + 1}"
        address = f"{NETWORK}.{len(self._ports) + 2}/24"
        self._ports[host.name] = port
        # Enter only the network of the hub, because the id of the other host's process is unknown in the
        # hub's process table.
        lay = f"ip link add {port} type veth peer name eth0 netns {host.pid}"
        subprocess.run(["nsenter", f"--target={self.pid}", "--net", *lay.split()], check=True)
        self.run("ip", "link", "set", port, "master", "switch", "up")
        host.run("ip", "address", "add", address, "dev", "eth0")
        host.run("ip", "link", "set", "eth0", "up")

    def disconnect(self, host: Host) -> None:
        """Pull its cable."""
        self.run("ip", "link", "set", self._ports[host.name], "down")

    def reconnect(self, host: Host) -> None:
        """Put its cable back."""
        self.run("ip", "link", "set", self._ports[host.name], "up")


def _is_idle(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return pid > 0 and Path(f"/proc/{pid}/comm").read_text() == "sleep\n"
    return False


def _namespace(pid: int) -> str:
    return str(Path(f"/proc/{pid}/ns/pid").readlink())


def _inside(process: Path) -> int | None:
    """Return the id of a process in its own process table; None for a dead process."""
    status = _status(process)
    return None if "Z" in status["State"].split()[0] else int(status["NSpid"].split()[-1])


def _status(process: Path) -> dict[str, str]:
    lines = (process / "status").read_text().splitlines()
    return dict(line.split(":", 1) for line in lines if ":" in line)


def program(pid: int) -> str:
    """The name of the program that a process runs."""
    return Path(f"/proc/{pid}/comm").read_text().strip()
