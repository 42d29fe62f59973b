"""The service of a GPU host, one per host: `python -m worker.node`.

Theory of operation. A thread per GPU maintains it (`worker.node.gpu_health_monitor`), so a GPU that hangs
does not block the others. The main thread reports. It reports the hardware after a change. Every few seconds
it reports that it is alive, the state of its GPUs and their users. The answer to each report says which GPUs
staff hold. Between reports it reaps containers of dead workers.

Judging does not depend on this service: a judge starts MPS if needed, and leases and quarantine marks are
files. Without the service, an MPS that does not recover is not restarted, faulty GPUs are neither quarantined
nor restored, and the fleet page shows the host as lost. One service per host works; a second waits until it
ends.
"""

import fcntl
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from typing import TextIO

import structlog
from django.db import Error as DatabaseTrouble
from django.db import connections

from sandbox.backend import IsolationUnavailable
from sandbox.gpu.health import Quarantine
from sandbox.gpu.nvml import GpuInfo, NvmlUnavailable
from web.fleet import services
from web.fleet.models import NodeState
from web.fleet.presence import orders_for
from web.site import metrics
from worker.node.gpu_health_monitor import GpuHealthMonitor
from worker.node.holds import obey

log = structlog.get_logger(__name__)

HEARTBEAT_S = 5.0
TEND_S = 1.0
REAP_S = 60.0
_LATE_HEARTBEATS = 4


@dataclass(frozen=True, slots=True)
class Host:
    """The host, as the service queries it.

    `gpus` finds the GPUs, or raises NvmlUnavailable; `versions` names the versions of its tools; `reap` ends
    the containers of dead workers and returns their number; `calibration` returns the measured rates of a
    GPU, empty before a measurement.
    """

    name: str
    gpus: Callable[[], tuple[GpuInfo, ...]]
    versions: Callable[[Sequence[GpuInfo]], dict[str, str]]
    reap: Callable[[], int] = lambda: 0
    calibration: Callable[[GpuInfo], Mapping[str, float]] = lambda _: {}


class NodeService:
    """The node service. Works from `run` until `ask_to_stop`.

    `monitor` creates the health monitor of a GPU.
    """

    def __init__(
        self,
        host: Host,
        directory: Path,
        monitor: Callable[[GpuInfo], GpuHealthMonitor],
        *,
        heartbeat_s: float = HEARTBEAT_S,
        tend_s: float = TEND_S,
    ) -> None:
        self._host = host
        self._directory = directory
        self._quarantine = Quarantine(directory)
        self._monitor = monitor
        self._heartbeat_s = heartbeat_s
        self._tend_s = tend_s
        self._stop = Event()
        self._monitors: dict[str, GpuHealthMonitor] = {}
        self._threads: list[Thread] = []
        self._recorded: tuple[GpuInfo, ...] | None = None
        self._calibrated: dict[str, Mapping[str, float]] = {}
        self._reap_at = 0.0
        self._heard: float | None = None

    @property
    def trouble(self) -> str:
        """Return the reason why the service cannot work; empty if it can."""
        if self._stop.is_set():
            return "the node service is stopping"
        if self._heard is None:
            return (
                "no heartbeat yet: another node service of this host is running, "
                "or the database does not respond"
            )
        late_s = time.monotonic() - self._heard
        return f"no heartbeat for {late_s:.0f} s" if late_s > _LATE_HEARTBEATS * self._heartbeat_s else ""

    def ask_to_stop(self) -> None:
        """Make `run` return. Safe in a signal handler."""
        self._stop.set()

    def run(self) -> None:
        """Monitor and report until asked to stop."""
        self._directory.mkdir(parents=True, exist_ok=True)
        with (self._directory / "node.lock").open("w") as duty:
            if not self._take_duty(duty):
                return
            log.info("node_service_started", node=self._host.name)
            while not self._stop.is_set():
                self.report()
                self._reap_orphans()
                self._stop.wait(self._heartbeat_s)
            self._end()
            log.info("node_service_stopped", node=self._host.name)

    def report(self) -> None:
        """Find GPUs, start monitors for new ones, and report to the database."""
        state, message = NodeState.SERVING, ""
        try:
            gpus = self._host.gpus()
        except NvmlUnavailable as error:
            gpus, state, message = self._recorded or (), NodeState.TROUBLED, str(error)
        for gpu in gpus:
            if gpu.uuid not in self._monitors:
                self._tend(gpu)
        self._record(gpus, state, message)

    def _record(self, gpus: tuple[GpuInfo, ...], state: NodeState, message: str) -> None:
        try:
            if gpus != self._recorded:
                services.record_inventory(self._host.name, self._host.versions(gpus), gpus)
                self._recorded, self._calibrated = gpus, {}
            statuses = [self._monitors[gpu.uuid].status() for gpu in gpus]
            if not services.record_heartbeat(self._host.name, statuses, state=state, message=message):
                self._recorded = None  # rows removed or GPU taken over: report everything again
            self._record_calibrations(gpus)
            obey(self._quarantine, orders_for(self._host.name).held)
            self._heard = time.monotonic()
        except DatabaseTrouble as error:
            metrics.HEARTBEATS_FAILED.inc()
            log.warning("heartbeat_not_recorded", error=str(error))
        finally:
            connections.close_all()

    def _record_calibrations(self, gpus: Iterable[GpuInfo]) -> None:
        """Record the rates that judges have measured since. They measure a GPU at its first use."""
        for gpu in gpus:
            found = self._host.calibration(gpu)
            if found and found != self._calibrated.get(gpu.uuid):
                services.record_calibration(gpu.uuid, found)
                self._calibrated[gpu.uuid] = found

    def _tend(self, gpu: GpuInfo) -> None:
        monitor = self._monitors[gpu.uuid] = self._monitor(gpu)
        thread = Thread(
            target=self._maintain_until_stopped, args=(monitor,), name=f"gpu-{gpu.minor}", daemon=True
        )
        self._threads.append(thread)
        thread.start()

    def _maintain_until_stopped(self, monitor: GpuHealthMonitor) -> None:
        while not self._stop.is_set():
            try:
                monitor.maintain(self._stop.is_set)
            except Exception:  # the thread's boundary: a GPU must not stay without a monitor
                log.exception("gpu_service_failed", gpu_uuid=monitor.uuid)
            self._stop.wait(self._tend_s)

    def _reap_orphans(self) -> None:
        if time.monotonic() < self._reap_at:
            return
        self._reap_at = time.monotonic() + REAP_S
        try:
            if reaped := self._host.reap():
                metrics.ORPHANS_REAPED.inc(reaped)
                log.warning("orphans_reaped", containers=reaped)
        except IsolationUnavailable as error:
            log.warning("orphans_not_reaped", error=str(error))

    def _take_duty(self, duty: TextIO) -> bool:
        """Wait until no other service runs on this host. Return False if asked to stop while waiting."""
        waiting = False
        while not self._stop.is_set():
            try:
                fcntl.flock(duty, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if not waiting:
                    log.info("node_service_blocked", node=self._host.name)
                waiting = True
                self._stop.wait(self._heartbeat_s)
            else:
                return True
        return False

    def _end(self) -> None:
        """Wait for the monitors, stop unused MPS, and report the end."""
        _join(self._threads)
        for monitor in self._monitors.values():
            monitor.stop()
        self._record(self._recorded or (), NodeState.STOPPED, "")


def _join(threads: Iterable[Thread]) -> None:
    deadline = time.monotonic() + 2 * HEARTBEAT_S
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
