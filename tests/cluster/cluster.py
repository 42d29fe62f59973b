"""The installation: services and site on the hub, a worker on each other host, and the actions of tests."""

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx
import psycopg

from testing.services import wait_until
from tests.cluster.backing import Postgres, Redis
from tests.cluster.engine import ENGINE_PROGRAMS, ContainerEngine
from tests.cluster.hosts import HUB_ADDRESS, ROOT, Host, Hub, Program, program
from tests.few_problems import SUM, VECTOR_ADD
from web.config import Config

PROBLEM, OTHER_PROBLEM = VECTOR_ADD, SUM
START_S, SWEEP_S = 60.0, 1
_PREPARE = "from worker.supervise import prepare; prepare()"
_QUICK = {
    "WARPCOURT_TARGET": "scripted",
    "WARPCOURT_LEASE_S": "2",
    "WARPCOURT_SWEEP_S": str(SWEEP_S),
    "WARPCOURT_WORKER_CONCURRENCY": "1",
    "WARPCOURT_SUBMITS_PER_MINUTE": "1000000",
    "WARPCOURT_SUBMITS_PER_DAY": "1000000",
    "WARPCOURT_API_PER_MINUTE": "1000000",
    "WARPCOURT_MAX_IN_FLIGHT": "100000",
    "WARPCOURT_SECRET_KEY": "of a cluster that lives for a test",
}


OF = "submission_id = (SELECT id FROM submissions_submission WHERE public_id = %s)"
_JOB = f"SELECT {{}} FROM submissions_job WHERE {OF}"
_EVENTS = f"SELECT kind FROM submissions_event WHERE {OF} ORDER BY sequence"
_VERDICT = f"SELECT verdict FROM submissions_report WHERE {OF}"
_SERVES = (
    "SELECT COUNT(*) FROM fleet_worker JOIN fleet_node ON fleet_node.id = node_id "
    "WHERE fleet_node.name = %s AND fleet_worker.state = 'serving' "
    "AND fleet_worker.heartbeat > NOW() - INTERVAL '3 seconds'"
)
_UNDONE = "SELECT COUNT(*) FROM submissions_job WHERE state <> 'done'"


@dataclass(frozen=True, slots=True)
class Person:
    """A user with a token."""

    name: str
    http: httpx.Client


class Cluster:
    """Starts with services and site; `start` or `start_worker` adds the workers."""

    def __init__(
        self,
        folder: Path,
        *,
        hosts: int = 2,
        worker_app: str = "worker.app",
        web_processes: int = 1,
        **settings: str,
    ) -> None:
        self.folder = folder
        self.worker_app, self._web_processes = worker_app, web_processes
        self.gates = folder / "gates"
        self.gates.mkdir()
        known = {setting.variable for setting in Config.settings()}
        self._settings = {name: value for name, value in (_QUICK | settings).items() if name in known}
        self._scripted = self._settings["WARPCOURT_TARGET"] == "scripted"
        self._ends = contextlib.ExitStack()
        self.engines: list[ContainerEngine] = []
        self._people: dict[str, Person] = {}
        self._workers: dict[str, Program] = {}
        try:
            self.hub = Hub()
            self._ends.callback(self.hub.power_off)
            self.hosts = [self._new_host(f"worker{number + 1}") for number in range(hosts)]
            self.postgres = Postgres(self.hub, folder / "postgres")
            self.redis = Redis(self.hub, folder / "redis")
            done = [*self.hub.enter(), sys.executable, "-c", _PREPARE]
            subprocess.run(done, cwd=ROOT, env=self.environment(self.hub), check=True)
            self._auditor = self._start_auditor()
            self._sql = self.postgres.connect()
            self._asking = threading.Lock()
            self.start_site()
        except BaseException:
            self._ends.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Power off every host."""
        for person in self._people.values():
            person.http.close()
        self._sql.close()
        self._ends.close()

    def environment(self, host: Host) -> dict[str, str]:
        """Return the environment of a program of the application on `host`."""
        address = "127.0.0.1" if host is self.hub else HUB_ADDRESS
        data = self.folder / host.name
        (data / "tmp").mkdir(parents=True, exist_ok=True)
        return {
            "PATH": os.environ["PATH"],
            "WARPCOURT_DATA_DIR": str(data),
            "WARPCOURT_RUNTIME_DIR": str(self.gates if self._scripted else data / "run"),
            "DOCKER_HOST": f"unix://{self._engine_folder(host)}/docker.sock",
            "TMPDIR": str(data / "tmp"),
            "WARPCOURT_IMPORTS_DIR": str(self.imports_dir(host)),
            "WARPCOURT_DATABASE_URL": self.postgres.url(address),
            "WARPCOURT_BROKER_URL": self.redis.url(address),
            "WARPCOURT_TRUSTED_PROXIES": "1",
            **self._settings,
        }

    def imports_dir(self, host: Host) -> Path:
        """Return the directory of sets on `host`. No other host has it."""
        return self.folder / host.name / "imports"

    # The site

    def start_site(self) -> None:
        """Start the site and wait until it answers."""
        socket = self.folder / "site.sock"
        words = "--lifespan off --timeout-graceful-shutdown 1 --log-level warning --no-access-log"
        self.site = self.hub.python(
            *("-m", "uvicorn", "tests.cluster.mortal_site:application", "--uds", str(socket)),
            *("--workers", str(self._web_processes), *words.split()),
            environment=self.environment(self.hub),
        )
        wait_until(self._site_answers, "the site's start", START_S)

    def person(self, name: str = "learner") -> Person:
        """Return the user with that name. Create the user at the first call."""
        if name not in self._people:
            secret = self.ask("enrol", name)
            http = self._client()
            http.headers["Authorization"] = f"Bearer {secret}"
            self._people[name] = Person(name, http)
        return self._people[name]

    def submit(
        self, source: str, *, by: str = "learner", problem: str = PROBLEM, key: str | None = None
    ) -> str:
        """Submit a program and return its id."""
        body = {"problem": problem, "language": "cuda", "source": source}
        headers = {"Idempotency-Key": key} if key else {}
        made = self.person(by).http.post("/api/v1/submissions", json=body, headers=headers)
        assert made.status_code == 201, made.text
        return str(made.json()["id"])

    def show(self, public_id: str, *, by: str = "learner") -> dict[str, Any]:
        """Return a submission as the API shows it to its author."""
        shown: dict[str, Any] = self.person(by).http.get(f"/api/v1/submissions/{public_id}").json()
        return shown

    # The workers

    def give_disk(self, host: Host, *, mib: int) -> None:
        """Give `host` a small disk for all that its worker writes: data, scratch, runtime files."""
        data = self.folder / host.name
        data.mkdir(exist_ok=True)
        host.run("mount", "-t", "tmpfs", "-o", f"size={mib}m,mode=755", "disk", str(data))
        host.run("mkdir", str(data / "tmp"))

    def fill_disk(self, host: Host) -> None:
        """Write to the disk of `host` until it is full."""
        fill = f"cat /dev/zero > {self._ballast(host)} 2>/dev/null || true"
        host.run("sh", "-c", fill)

    def clear_disk(self, host: Host) -> None:
        """Free the space on the disk of `host`."""
        host.run("rm", "-f", str(self._ballast(host)))

    def _ballast(self, host: Host) -> Path:
        return self.folder / host.name / "ballast"

    def start_engine(self, host: Host) -> ContainerEngine:
        """Start a container engine on `host`, which its worker finds."""
        folder = self._engine_folder(host)
        folder.mkdir()
        self.engines.append(ContainerEngine(host, folder))
        self.engines[-1].start()
        return self.engines[-1]

    def start(self) -> None:
        """Start everything that is not running: services, site, a worker on every host.

        Wait until all serve.
        """
        for gate in self.gates.iterdir():
            gate.unlink()
        for service in (self.postgres, self.redis):
            if not service.running:
                service.start()
        if not self.site.running:
            self.start_site()
        for host in self.hosts:
            if not self._runs(host):
                self.launch(host)
        for host in self.hosts:
            self._await_worker(host)

    def launch(self, host: Host, **environment: str) -> None:
        """Start the worker of `host`, as the service manager of a host does. Do not wait for it."""
        words = f"-m celery -q -A {self.worker_app} worker -l info --without-gossip --without-mingle"
        self._workers[host.name] = host.python(
            *words.split(), environment=self.environment(host) | environment
        )

    def start_worker(self, host: Host, **environment: str) -> None:
        """Start the worker of `host`, and wait until it is ready."""
        self.launch(host, **environment)
        self._await_worker(host)

    def worker(self, host: Host) -> Program:
        """Return the worker of `host`."""
        return self._workers[host.name]

    def stop_worker(self, host: Host) -> None:
        """Send SIGKILL to the worker and all its children, as if the host failed."""
        if host.name in self._workers:
            self._workers.pop(host.name).kill()

    def stop_workers(self) -> None:
        """Do the same on all hosts."""
        for host in self.hosts:
            self.stop_worker(host)

    def judging(self, public_id: str) -> tuple[Host, int]:
        """Return the host that judges a submission, and the process id of its child, as the test sees it."""
        ((name,),) = self.sql(_JOB.format("worker"), public_id)
        host_name, _, pid = name.rpartition(":")
        host = next(host for host in self.hosts if host.name == host_name.split(":")[0])
        return host, host.processes().get(int(pid), 0)

    # State of the cluster

    def sql(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Return the rows of a query. The test's own connection reconnects after restarts."""
        try:
            return self._sql.execute(query, values or None).fetchall()
        except psycopg.OperationalError:
            self._sql = self.postgres.connect()
            return self._sql.execute(query, values or None).fetchall()

    def ask(self, name: str, *arguments: object) -> Any:
        """Send a request to the auditor; see `tests.cluster.auditor`."""
        with self._asking:
            self._auditor.stdin.write(json.dumps([name, arguments]) + "\n")
            self._auditor.stdin.flush()
            answer = json.loads(self._auditor.stdout.readline())
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer["value"]

    def steps(self, public_id: str) -> list[str]:
        """Return the kinds of the submission's events."""
        rows = self.sql(_EVENTS, public_id)
        return [kind for (kind,) in rows]

    def state(self, public_id: str) -> tuple[str, int]:
        """Return the state and the attempt of the submission's job."""
        ((state, attempt),) = self.sql(_JOB.format("state, attempt"), public_id)
        return state, attempt

    def verdict(self, public_id: str) -> str:
        """Return the submission's verdict, empty while there is none."""
        rows = self.sql(_VERDICT, public_id)
        return rows[0][0] if rows else ""

    def violations(self) -> list[str]:
        """Return the invariants that are violated now; see `tests.cluster.invariants`."""
        found: list[str] = self.ask("violations")
        strays = [f"{host.name} still runs {words}" for host in self.hosts for words in self._strays(host)]
        orphans = [f"{name} is an orphan" for engine in self.engines for name in engine.orphans()]
        return found + strays + orphans

    def settle(self, timeout_s: float = 30.0) -> float:
        """Wait until every submission has its verdict; return the seconds that took."""
        started = time.monotonic()
        wait_until(lambda: self.sql(_UNDONE) == [(0,)], "a verdict for all", timeout_s)
        return time.monotonic() - started

    def has_heartbeat(self, host: Host) -> bool:
        """Return whether the worker of `host` has recently reported to the database that it serves."""
        return self.sql(_SERVES, host.name) != [(0,)]

    def story(self, lines: int = 40) -> str:
        """Return the last log lines of every host, to investigate a failure."""
        return "\n".join(
            "\n".join([f"-- {host.name} --", *host.log[-lines:]]) for host in (self.hub, *self.hosts)
        )

    # Construction

    def _new_host(self, name: str) -> Host:
        host = Host(name)
        self._ends.callback(host.power_off)
        self.hub.connect(host)
        return host

    def _await_worker(self, host: Host) -> None:
        worker = self._workers[host.name]
        wait_until(lambda: worker.said("ready.") or not worker.running, f"the worker of {host.name}", START_S)
        assert worker.running, "\n".join(host.log[-30:])

    def _engine_folder(self, host: Host) -> Path:
        return self.folder / f"{host.name}-engine"

    def _runs(self, host: Host) -> bool:
        return host.name in self._workers and self._workers[host.name].running

    def _strays(self, host: Host) -> list[str]:
        """Return our programs on a worker host that no living worker has started."""
        worker = self._workers[host.name].pid if self._runs(host) else 0
        found = []
        for pid in host.processes().values():
            with contextlib.suppress(OSError):
                above = list(host.ancestors(pid))
                if worker not in above and not ENGINE_PROGRAMS & {program(one) for one in above}:
                    found.append(Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " "))
        return found

    def _start_auditor(self) -> "subprocess.Popen[str]":
        argv = [*self.hub.enter(), sys.executable, "-m", "tests.cluster.auditor"]
        return subprocess.Popen(
            argv,
            cwd=ROOT,
            env=self.environment(self.hub),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def _client(self) -> httpx.Client:
        """Return a client of the site that sends an address like a proxy, because a Unix socket has none."""
        transport = httpx.HTTPTransport(uds=str(self.folder / "site.sock"))
        headers = {"X-Forwarded-For": "127.0.0.1"}
        return httpx.Client(transport=transport, base_url="http://localhost", headers=headers, timeout=30)

    def _site_answers(self) -> bool:
        with contextlib.suppress(httpx.TransportError), self._client() as client:
            return client.get("/healthz").status_code == 200
        return False
