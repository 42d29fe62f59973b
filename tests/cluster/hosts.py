"""Hosts: processes with a network, a process table, mounts and a name of their own.

Theory of operation. A host is a set of Linux namespaces that an idle first process keeps. Whatever runs on
the host enters them (`nsenter`), so it sees no process, no mount and no interface of any other host. When
the first process is killed the kernel ends all others of its process table: that is the power switch, and
why no test leaves anything behind. The *hub* has a bridge; every other host has a cable (a veth pair) from
its `eth0` into it, which can be pulled without either end being told more than a pulled cable tells.

Unix sockets do not belong to a network. The test itself stays outside and reaches the hub by those alone,
so no address of the machine is used and any number of clusters can run side by side.

The first process ignores SIGCHLD, hence orphans that it inherits leave no zombies.
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
    """Skip the test, or fail it in CI, where no hosts can be made."""
    need(os.geteuid() == 0, "root, to make hosts of namespaces", "run these tests as root")
    made = subprocess.run(
        ["unshare", "--net", "ip", "link", "add", "name", "probe", "type", "bridge"], check=False
    )
    need(made.returncode == 0, "a network of one's own", "apt-get install iproute2; allow network namespaces")


class Host:
    """One host. `log` has what its programs say."""

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
        """Start a program on this host, in a process group of its own."""
        program = Program(self, argv, environment, **options)
        self._programs = [one for one in self._programs if one.running] + [program]
        return program

    def python(self, *argv: str, environment: Mapping[str, str]) -> "Program":
        """Start a Python program of this repository."""
        return self.start(sys.executable, *argv, environment=environment)

    def run(self, *argv: str) -> str:
        """Run a command to its end, and return what it printed."""
        done = subprocess.run([*self.enter(), *argv], check=False, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{' '.join(argv)} on {self.name}: {done.stderr or done.stdout}")
        return done.stdout

    def enter(self) -> list[str]:
        """The words before a command that is to run here."""
        spaces = ("--net", "--pid", "--mount", "--uts", "--ipc")
        return ["nsenter", f"--target={self.pid}", *spaces, f"--wdns={ROOT}"]

    def processes(self) -> dict[int, int]:
        """Its living processes without the first: by their id here, their id as the test sees it."""
        mine = _namespace(self.pid)
        found: dict[int, int] = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdecimal() and int(entry.name) != self.pid:
                with contextlib.suppress(OSError):
                    if _namespace(int(entry.name)) == mine and (inside := _inside(entry)) is not None:
                        found[inside] = int(entry.name)
        return found

    def ancestors(self, pid: int) -> Iterator[int]:
        """A process of this host and those that it descends from, as far as they are of this host."""
        while pid > 1 and pid != self.pid:
            yield pid
            pid = int(_status(Path(f"/proc/{pid}"))["PPid"])

    def power_off(self) -> None:
        """Kill everything on it at once. The host is gone for good."""
        self._holder.kill()
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        self._holder.wait()
        for program in filter(lambda program: program.running, self._programs):
            program.group(signal.SIGKILL)  # what brought it here is outside, and may be stopped

    def _first_process(self) -> int:
        children = Path(f"/proc/{self._holder.pid}/task/{self._holder.pid}/children").read_text().split()
        return int(children[0]) if children else 0


class Program:
    """A program on a host. `pid` is its main process's, as the test sees it."""

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
        """Whether it has not ended."""
        return self._entered.poll() is None

    @property
    def group_id(self) -> int:
        """Its process group, as the test sees it."""
        return self._entered.pid

    def said(self, text: str) -> bool:
        """Whether its host said `text` since it was started."""
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
        """SIGKILL to all of it, and wait until it is gone."""
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
    """The host of database, broker and site, with the switch that the others are connected to."""

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
        # Only the network of the hub is entered: in its process table the other end's id means nothing.
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
    """Its id in its own process table; None for the remains of a dead one."""
    status = _status(process)
    return None if "Z" in status["State"].split()[0] else int(status["NSpid"].split()[-1])


def _status(process: Path) -> dict[str, str]:
    lines = (process / "status").read_text().splitlines()
    return dict(line.split(":", 1) for line in lines if ":" in line)


def program(pid: int) -> str:
    """The name of the program that a process runs."""
    return Path(f"/proc/{pid}/comm").read_text().strip()
