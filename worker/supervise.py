"""The whole of Warpcourt under one process: `python -m worker.supervise`.

Theory of operation. The supervisor prepares the database and the catalogue, then starts a web server, a
worker and, to judge on GPUs, the node service, each in a process group of its own, so that Ctrl-C reaches
only the supervisor. A thread per stream copies their output, with a prefix. A process that exits is
restarted, after a pause that doubles while it keeps exiting. Before that its whole group is killed, since a
killed worker leaves children behind. At the end all are asked to stop (SIGTERM: within the grace of the
settings the worker finishes its jobs or returns them to the queue) and killed LEEWAY_S later if still
running. Interrupted jobs run again when their leases have expired.
"""

import argparse
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from threading import Event, Thread
from typing import TextIO
from urllib.error import URLError
from urllib.request import urlopen

import django
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connections

from web.config import ROOT, Config, use_settings
from web.serve import uvicorn_argv
from web.setting import ConfigError
from worker import readiness

LEEWAY_S = 5.0
SETTLED_S = 30.0
LONGEST_PAUSE_S = 30.0


class PortTaken(Exception):
    """Raised when another program uses the site's port."""


@dataclass(slots=True)
class SupervisedProcess:
    """One supervised program. Its output goes to `log`."""

    name: str
    argv: Sequence[str]
    log: TextIO
    process: subprocess.Popen[str] | None = None
    started: float = 0.0
    pause_s: float = 0.5
    start_at: float = 0.0

    def start(self) -> None:
        """Start it, with its output copied line by line."""
        self.process = subprocess.Popen(
            self.argv,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        self.started = time.monotonic()
        reader = Thread(target=_copy, args=(self.name, self.process.stdout, self.log), daemon=True)
        reader.start()

    def tend(self) -> None:
        """Start it if it is due; record its exit and the time of the next start."""
        now = time.monotonic()
        if self.process is None:
            if now >= self.start_at:
                self.start()
            return
        status = self.process.poll()
        if status is None:
            return
        self.kill()
        self.process = None
        self.pause_s = 0.5 if now - self.started > SETTLED_S else min(2 * self.pause_s, LONGEST_PAUSE_S)
        self.start_at = now + self.pause_s
        _say(f"{self.name} ended with status {status}; starting it again in {self.pause_s:g} s")

    def ask_to_stop(self) -> None:
        """Send SIGTERM to its main process, which stops its children."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()

    def kill(self) -> None:
        """Send SIGKILL to the rest of its group, and reap it."""
        if self.process is None:
            return
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


class Supervisor:
    """Keeps the web server, the worker and the node service running. Their output goes to `log`."""

    def __init__(self, config: Config, log: TextIO) -> None:
        self._config = config
        self.url = config.public_url or f"http://{_for_url(config.host)}:{config.port}"
        self.local_url = f"http://{_for_url(_reachable(config.host))}:{config.port}"
        self._parts = [
            SupervisedProcess("web", uvicorn_argv(config), log),
            SupervisedProcess("worker", worker_argv(config), log),
        ]
        if config.target == "gpu":
            self._parts.append(SupervisedProcess("node", [sys.executable, "-m", "worker.node"], log))
        self._stop = Event()

    def start(self) -> None:
        """Start them and wait until the site answers.

        Raises:
            PortTaken: another program uses the port.
            TimeoutError: the site does not answer.
        """
        check_port(self._config.host, self._config.port)
        for part in self._parts:
            part.start()
        deadline = time.monotonic() + 60
        while not _answers(f"{self.local_url}/healthz"):
            if time.monotonic() > deadline or self._stop.is_set():
                raise TimeoutError("The site did not start; its log says why.")
            self._tend()
            time.sleep(0.1)

    def wait(self, timeout_s: float | None = None) -> None:
        """Keep them running until `stop` is requested, or for `timeout_s`."""
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        while not self._stop.is_set() and (deadline is None or time.monotonic() < deadline):
            self._tend()
            self._stop.wait(0.2)

    def ask_to_stop(self) -> None:
        """Make `wait` return. Safe in a signal handler."""
        self._stop.set()

    @property
    def stopping(self) -> bool:
        """Return whether a stop was requested."""
        return self._stop.is_set()

    def stop(self) -> None:
        """Stop them with SIGTERM, and kill them later if necessary."""
        for part in self._parts:
            part.ask_to_stop()
        patience_s = self._config.stop_grace_s + LEEWAY_S
        deadline = time.monotonic() + patience_s
        for part in self._parts:
            if part.process is not None:
                try:
                    part.process.wait(max(deadline - time.monotonic(), 0.1))
                except subprocess.TimeoutExpired:
                    _say(f"{part.name} did not stop within {patience_s:g} s; killing it")
            part.kill()

    def _tend(self) -> None:
        for part in self._parts:
            part.tend()


@contextmanager
def running(config: Config, *, log: TextIO = sys.stdout) -> Iterator[Supervisor]:
    """Yield a started supervisor, which Ctrl-C, SIGTERM and the end of the block stop."""
    supervisor = Supervisor(config, log)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: supervisor.ask_to_stop())
    try:
        supervisor.start()
        yield supervisor
    finally:
        supervisor.stop()


def prepare() -> None:
    """Bring the database up to date and load the problems. Broken packages are reported and left out.

    Raises:
        django.db.DatabaseError: the database does not answer or cannot be migrated.
    """
    use_settings()
    django.setup()
    call_command("migrate", verbosity=0)
    try:
        call_command("loadproblems")
    except CommandError as error:
        _say(str(error))
    connections.close_all()


def check_port(host: str, port: int) -> None:
    """Check that the site can listen on its port.

    Raises:
        PortTaken: with the fix.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise PortTaken(
                f"Cannot listen on {host}:{port} ({error.strerror}). Stop what listens there, "
                f"or choose another port: WARPCOURT_PORT={port + 1}"
            ) from error


def worker_argv(config: Config) -> list[str]:
    """Return the command of the worker."""
    return [
        *(sys.executable, "-m", "celery", "--quiet", "-A", "worker.app", "worker"),
        *("--loglevel", config.log_level.lower(), "--without-gossip", "--without-mingle"),
    ]


def _copy(name: str, stream: TextIO, log: TextIO) -> None:
    """Copy the output of a part. If the log cannot be written, as on a full disk, the part must not wait."""
    for line in stream:
        if line.strip():
            # JSON is for machines, and names its source itself.
            prefix = "" if line.startswith("{") else f"{name:>6} | "
            with suppress(OSError):
                print(f"{prefix}{line.rstrip()}", file=log, flush=True)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)  # noqa: T201 - as above


def _answers(url: str) -> bool:
    try:
        with urlopen(url, timeout=1) as response:  # noqa: S310 - our own address
            return bool(response.status == 200)
    except (URLError, OSError):
        return False


def _reachable(host: str) -> str:
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - all addresses, to reach one of them


def _for_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def main() -> int:
    """Serve until Ctrl-C."""
    argparse.ArgumentParser(prog="python -m worker.supervise", description=main.__doc__).parse_args()
    try:
        config = Config.from_env()
        check_port(config.host, config.port)
        prepare()
        if reason := readiness.readiness_error(config, _say):
            _say(f"Submissions will wait, since this host cannot judge: {reason}")
        with running(config) as supervisor:
            _say(f"Warpcourt serves {supervisor.url} (Ctrl-C stops it)")
            supervisor.wait()
    except (ConfigError, PortTaken, TimeoutError, DatabaseError) as error:
        _say(str(error))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
