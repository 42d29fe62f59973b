"""A separate installation for a test: processes, data directory and address."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import httpx

from testing.services import free_port, wait_until
from tests.few_problems import VECTOR_ADD, put_problems
from tests.migrated import NAME, put_migrated_database

ROOT = Path(__file__).resolve().parents[3]
PASSWORD = "correct horse battery"
_PREPARE = f"""
from worker.supervise import prepare
prepare()
from web.accounts.services import create_user
create_user("learner", {PASSWORD!r})
"""


class Installation:
    """A site with the scripted judge and the workers that the test starts.

    `settings` override the defaults.
    """

    def __init__(
        self, folder: Path, *, database_url: str = "", broker_url: str = "", **settings: str
    ) -> None:
        self.port = free_port()
        self.environment = {
            "PATH": os.environ["PATH"],
            "WARPCOURT_DATA_DIR": str(folder),
            "WARPCOURT_PROBLEMS_DIR": str(put_problems(folder, VECTOR_ADD)),
            "WARPCOURT_PORT": str(self.port),
            "WARPCOURT_TARGET": "scripted",
            "WARPCOURT_DATABASE_URL": database_url,
            "WARPCOURT_BROKER_URL": broker_url,
            "WARPCOURT_LEASE_S": "2",
            "WARPCOURT_SWEEP_S": "1",
            "WARPCOURT_SUBMITS_PER_MINUTE": "100",
            "WARPCOURT_API_PER_MINUTE": "100000",  # tests send many requests
            "WARPCOURT_MAX_IN_FLIGHT": "50",
            **{f"WARPCOURT_{name.upper()}": value for name, value in settings.items()},
        }
        self.log: list[str] = []
        self._processes: list[subprocess.Popen[str]] = []
        if not database_url:
            put_migrated_database(folder / NAME)
        subprocess.run([sys.executable, "-c", _PREPARE], cwd=ROOT, env=self.environment, check=True)

    def start(self, *argv: str) -> subprocess.Popen[str]:
        """Start a Python program of the installation in a new process group."""
        process = subprocess.Popen(
            [sys.executable, *argv],
            cwd=ROOT,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        threading.Thread(target=self._read, args=(process.stdout,), daemon=True).start()
        self._processes.append(process)
        return process

    def start_site(self) -> None:
        """Start the web server and sign the learner in to its API."""
        self.start(
            "-m", "uvicorn", "web.asgi:application", "--port", str(self.port), "--lifespan", "off",
            "--timeout-graceful-shutdown", "1", "--log-level", "warning",
            "--workers", self.environment.get("WARPCOURT_WEB_PROCESSES", "1"),
        )  # fmt: skip
        self.sign_in()

    def sign_in(self) -> None:
        """Wait for the site and create a token."""
        self.http = httpx.Client(base_url=f"http://127.0.0.1:{self.port}", timeout=20)
        wait_until(self._answers, "the site's start", 40)
        body = {"username": "learner", "password": PASSWORD}
        made = self.http.post("/api/v1/tokens", json=body)
        self.http.headers["Authorization"] = f"Bearer {made.json()['token']}"

    def start_worker(self, concurrency: int = 1) -> subprocess.Popen[str]:
        """Start a worker and wait until it is ready."""
        before = len(self.log)
        worker = self.start(
            "-m",
            "celery",
            "-q",
            "-A",
            "worker.app",
            "worker",
            "--concurrency",
            str(concurrency),
            "-l",
            "info",
        )
        wait_until(lambda: any("ready." in line for line in self.log[before:]), "the worker's start", 40)
        return worker

    def submit(self, source: str) -> str:
        """Submit a program and return its id."""
        body = {"problem": VECTOR_ADD, "language": "cuda", "source": source}
        made = self.http.post("/api/v1/submissions", json=body)
        assert made.status_code == 201, made.text
        return str(made.json()["id"])

    def show(self, public_id: str) -> dict[str, Any]:
        """Return a submission as the API shows it."""
        shown: dict[str, Any] = self.http.get(f"/api/v1/submissions/{public_id}").json()
        return shown

    def wait_for(self, public_id: str, *, state: str = "done", timeout_s: float = 30) -> dict[str, Any]:
        """Wait until a submission is in `state`."""
        wait_until(lambda: self.show(public_id)["state"] == state, f"{public_id} being {state}", timeout_s)
        return self.show(public_id)

    def events(self, public_id: str, **headers: str) -> list[str]:
        """Return the numbers and names of all events of its stream, such as `3 case`."""
        text = self.http.get(f"/api/v1/submissions/{public_id}/events", headers=headers, timeout=30).text
        blocks = [block.split("\n") for block in text.split("\n\n") if block.startswith("id: ")]
        return [f"{lines[0].removeprefix('id: ')} {lines[1].removeprefix('event: ')}" for lines in blocks]

    def stop_workers(self) -> None:
        """Kill every process group except that of the web server."""
        for process in self._processes[1:]:
            kill_group(process)
        del self._processes[1:]

    def stop(self) -> None:
        """Kill every process group."""
        for process in self._processes:
            kill_group(process)

    def _answers(self) -> bool:
        with contextlib.suppress(httpx.TransportError):
            return self.http.get("/healthz").status_code == 200
        return False

    def _read(self, stream: Any) -> None:
        for line in stream:
            self.log.append(line.rstrip())


def kill_group(process: subprocess.Popen[str]) -> None:
    """Send SIGKILL to a process and its children."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
