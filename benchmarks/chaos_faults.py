"""The faults of `benchmarks.chaos`. Each affects a cluster, lasts for a while, and is then repaired.

Theory of operation. Each fault names the resource that it reserves (a worker host, the database, the broker,
the site). So two faults can happen at the same time, but not to the same resource. Killed processes are
restarted, as the service manager of a host would do. Either the fault that killed the process restarts it, or
`Upkeep` does. `Upkeep` checks every second all resources that no fault has reserved.
"""

import contextlib
import os
import shutil
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from threading import Event, Lock, Thread

import psycopg

from tests.cluster import Cluster, Host
from tests.cluster.hosts import ROOT

ENGINE = "engine"
LEASE_S = 2.0  # lease time of the workers in a cluster
START_S = 90.0
SKEWS_S = (-300, -30, 30, 300)
DISK_MIB, FREE_MIB = 32, 16
_FAKETIME = Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1")
_LEASED = "SELECT worker FROM submissions_job WHERE state = 'leased' AND worker <> ''"


@dataclass(slots=True)
class Scene:
    """The environment of faults. `verdicts` has the expected verdict of each submission, by id."""

    cluster: Cluster
    rng: Random
    verdicts: dict[str, str] = field(default_factory=dict)
    # Variables for the workers of some hosts.
    environments: dict[str, dict[str, str]] = field(default_factory=dict)
    over: Event = field(default_factory=Event)
    troubles: list[str] = field(default_factory=list)
    _locks: dict[str, Lock] = field(default_factory=dict)
    _choosing: Lock = field(default_factory=Lock)

    @contextlib.contextmanager
    def taken(self, *names: str) -> Iterator[bool]:
        """Reserve these resources until the end of the block. Yields False if another fault has one."""
        with self._choosing:
            locks = [self._locks.setdefault(name, Lock()) for name in names]
            ours = [lock for lock in locks if lock.acquire(blocking=False)]
        try:
            yield len(ours) == len(locks)
        finally:
            for lock in ours:
                lock.release()

    def wait(self, least_s: float, most_s: float) -> None:
        """Wait for a random time while a fault lasts."""
        time.sleep(self.rng.uniform(least_s, most_s))

    def revive(self, host: Host, **environment: str) -> None:
        """Start the worker of `host`, again if it exits, until it is ready.

        Raises: TimeoutError: the worker was not ready within START_S.
        """
        cluster, deadline = self.cluster, time.monotonic() + START_S
        while time.monotonic() < deadline:
            cluster.launch(host, **self.environments.get(host.name, {}), **environment)
            worker = cluster.worker(host)
            while worker.running and time.monotonic() < deadline:
                if worker.said("ready."):
                    return
                time.sleep(0.1)
            time.sleep(1)
        raise TimeoutError(f"the worker of {host.name} does not start: {host.log[-5:]}")


@dataclass(frozen=True, slots=True)
class Fault:
    """A kind of fault. `strike` returns after its repair. `needs` names the resource that it reserves."""

    name: str
    strike: Callable[[Scene, Host], None]
    needs: str = "host"

    def things(self, host: Host) -> tuple[str, ...]:
        """Return the resources that the fault on `host` reserves."""
        return {"host": (host.name,), "": ()}.get(self.needs, (self.needs,))


def furnish(scene: Scene, *, engine: bool) -> None:
    """Give every host a small disk and start its worker.

    With `engine`, the last host has no such disk and judges in containers.
    """
    cluster = scene.cluster
    for host in cluster.hosts[:-1] if engine else cluster.hosts:
        cluster.give_disk(host, mib=DISK_MIB)
    if engine:
        host = cluster.hosts[-1]
        cluster.start_engine(host)
        data = cluster.folder / host.name
        scene.environments[host.name] = {
            "WARPCOURT_TARGET": "cpu",
            "WARPCOURT_ISOLATION": "docker",
            "WARPCOURT_WORKER_CONCURRENCY": "1",
            "WARPCOURT_RUNTIME_DIR": str(data / "run"),
        }
        (data / "cache").mkdir(parents=True, exist_ok=True)
        for built in (ROOT / ".cache" / "tests").glob("functional-*"):  # building these takes half a minute
            shutil.copytree(built, data / "cache" / built.name)
    for host in cluster.hosts:
        scene.revive(host)


class Upkeep:
    """Restarts processes that exited, every second."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Stop checking, once all processes run."""
        self._thread.join()

    def _run(self) -> None:
        scene = self._scene
        while not scene.over.wait(1):
            try:
                self._look()
            except Exception as error:  # noqa: BLE001 - it looks again, and the report says it
                scene.troubles.append(f"upkeep: {error!r}")

    def _look(self) -> None:
        scene = self._scene
        for host in scene.cluster.hosts:
            with scene.taken(host.name) as ours:
                if ours and not scene.cluster.worker(host).running:
                    scene.revive(host)
        with scene.taken("site") as ours:
            if ours and not scene.cluster.site.running:
                scene.cluster.start_site()


def worker_killed(scene: Scene, host: Host) -> None:
    """Kill a worker with all its children."""
    scene.cluster.worker(host).kill()
    scene.wait(0, 2)
    scene.revive(host)


def child_killed(scene: Scene, host: Host) -> None:
    """Kill a process that is judging."""
    with contextlib.suppress(psycopg.Error), scene.cluster.postgres.connect() as sql:
        names = [name for (name,) in sql.execute(_LEASED) if name.startswith(f"{host.name}:")]
        if names:
            inside = int(scene.rng.choice(names).rpartition(":")[2])
            if pid := host.processes().get(inside):
                os.kill(pid, signal.SIGKILL)


def sweeper_killed(scene: Scene, host: Host) -> None:
    """Kill the main process of a worker with its sweeper. Its children continue without them."""
    scene.cluster.worker(host).signal(signal.SIGKILL)
    scene.wait(0, 2)
    scene.cluster.worker(host).kill()  # a service manager ends the remaining processes of a service
    scene.revive(host)


def worker_stopped(scene: Scene, host: Host) -> None:
    """Ask a worker to stop, as for an upgrade. It finishes its jobs or returns them."""
    worker = scene.cluster.worker(host)
    worker.signal(signal.SIGTERM)
    with contextlib.suppress(Exception):
        worker.wait(20)
    worker.kill()
    scene.revive(host)


def worker_paused(scene: Scene, host: Host) -> None:
    """Pause a worker for longer than its leases, then let it continue."""
    worker = scene.cluster.worker(host)
    worker.group(signal.SIGSTOP)
    scene.wait(LEASE_S + 0.5, LEASE_S + 3)
    worker.group(signal.SIGCONT)
    time.sleep(0.5)
    # `nsenter` stops itself when its child has stopped, possibly after the first SIGCONT.
    worker.group(signal.SIGCONT)


def host_cut_off(scene: Scene, host: Host) -> None:
    """Disconnect a host from the network, for less or more than the time of a lease."""
    scene.cluster.hub.disconnect(host)
    scene.wait(0.5, LEASE_S + 4)
    scene.cluster.hub.reconnect(host)


def clock_skewed(scene: Scene, host: Host) -> None:
    """Run the worker of a host with a wrong clock."""
    skew_s = scene.rng.choice(SKEWS_S)
    scene.cluster.worker(host).kill()
    scene.revive(host, LD_PRELOAD=str(_FAKETIME), FAKETIME=f"{skew_s:+d}s", FAKETIME_DONT_FAKE_MONOTONIC="1")
    scene.wait(2, 5)
    scene.cluster.worker(host).kill()
    scene.revive(host)


def disk_full(scene: Scene, host: Host) -> None:
    """Fill the disk with the data of a host."""
    if host.name in scene.environments:
        return  # it has no disk of its own
    scene.cluster.fill_disk(host)
    scene.wait(1, 4)
    scene.cluster.clear_disk(host)


def engine_restarted(scene: Scene, _: Host) -> None:
    """Stop the container engine with all containers, and start it again."""
    (engine,) = scene.cluster.engines
    engine.stop()
    scene.wait(0, 3)
    engine.start()


def broker_stopped(scene: Scene, _: Host) -> None:
    """Kill Redis with all messages, and start it again, empty."""
    scene.cluster.redis.stop()
    scene.wait(0, 3)
    scene.cluster.redis.start()


def broker_flushed(scene: Scene, _: Host) -> None:
    """Delete all messages in Redis."""
    scene.cluster.redis.flush()


def database_stopped(scene: Scene, _: Host) -> None:
    """Restart PostgreSQL during writes: it ends all connections, or crashes."""
    scene.cluster.postgres.stop(suddenly=scene.rng.random() < 0.5)
    scene.wait(0, 3)
    scene.cluster.postgres.start()


def site_killed(scene: Scene, _: Host) -> None:
    """Kill every process of the site."""
    scene.cluster.site.kill()
    scene.wait(0, 1)
    scene.cluster.start_site()


def killed_before_waking(scene: Scene, _: Host) -> None:
    """Kill a process of the site after it has committed a submission and before it wakes a worker."""
    order = scene.cluster.gates / "die-before-waking"
    order.touch()
    deadline = time.monotonic() + 5
    while order.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    order.unlink(missing_ok=True)
    if not scene.cluster.site.running:
        scene.cluster.start_site()


def ten_messages(scene: Scene, _: Host) -> None:
    """Send the same message ten times."""
    _have_asked(scene, "wake", 10)


def result_sent_twice(scene: Scene, _: Host) -> None:
    """Claim a job, wait for up to two lease times, and send the result twice."""
    public_id = _have_asked(scene, "claim")
    if isinstance(public_id, str):
        scene.wait(0, 2 * LEASE_S)
        verdict = scene.verdicts.get(public_id, "accepted")
        for _again in range(2):
            _have_asked(scene, "send_result", public_id, verdict)


def _have_asked(scene: Scene, name: str, *arguments: object) -> object:
    # The request fails while the database or the broker is down.
    with contextlib.suppress(RuntimeError):
        return scene.cluster.ask(name, *arguments)
    return None


FAULTS: Mapping[str, Fault] = {
    fault.name: fault
    for fault in (
        Fault("worker killed", worker_killed),
        Fault("child killed", child_killed),
        Fault("sweeper killed", sweeper_killed),
        Fault("worker stopped", worker_stopped),
        Fault("worker paused past its lease", worker_paused),
        Fault("host cut off", host_cut_off),
        Fault("clock skewed", clock_skewed),
        Fault("disk full", disk_full),
        Fault("container engine restarted", engine_restarted, ENGINE),
        Fault("broker stopped", broker_stopped, "broker"),
        Fault("broker flushed", broker_flushed, "broker"),
        Fault("database stopped", database_stopped, "database"),
        Fault("site killed", site_killed, "site"),
        Fault("site killed before waking a worker", killed_before_waking, "site"),
        Fault("ten messages for one", ten_messages, ""),
        Fault("result sent twice", result_sent_twice, "auditor"),
    )
}
