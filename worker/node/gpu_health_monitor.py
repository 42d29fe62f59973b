"""Monitors one GPU: keeps its MPS running, and quarantines the GPU while it is faulty."""

import contextlib
import time
from collections.abc import Callable
from typing import Protocol

import structlog

from sandbox.gpu import health
from sandbox.gpu.health import HealthResult, Quarantine, QuarantineMark
from sandbox.gpu.lease import LeaseCancelled, Leases, Share
from sandbox.gpu.mps import Mps, MpsUnavailable, ServerState
from sandbox.gpu.nvml import Nvml, NvmlUnavailable
from web.fleet.services import GpuStatus
from web.site import metrics

log = structlog.get_logger(__name__)

FAULT_PATIENCE_S = 10.0  # a fault ends within a second of the last client's end
LEASE_PATIENCE_S = 60.0
_MOST_RESTARTS = 2
_BY = "node"


class HealthCheck(Protocol):
    """A full check of a GPU: `sandbox.gpu.health.check`."""

    def __call__(self, uuid: str, *, nvml: Nvml, mps: Mps | None) -> HealthResult:
        """Check the GPU, and compute on it."""


class GpuHealthMonitor:
    """Monitors the GPU `uuid`. `mps` is None if GPUs are time-sliced. Use it in one thread.

    `maintain` does what is due: it starts MPS, restarts it if it does not recover from a fault, quarantines a
    faulty GPU, and probes a quarantined one after a while. The first call computes on the GPU before it
    reports it as healthy. During ranking it does nothing, to add no noise.
    """

    def __init__(
        self,
        uuid: str,
        *,
        nvml: Nvml,
        mps: Mps | None,
        leases: Leases,
        quarantine: Quarantine,
        check: HealthCheck = health.check,
    ) -> None:
        self.uuid = uuid
        self._nvml = nvml
        self._mps = mps
        self._leases = leases
        self._quarantine = quarantine
        self._check = check
        self._probed = False
        self._temperature_c: int | None = None
        self._faulted_since: float | None = None
        self._restarts = 0

    def maintain(self, stopping: Callable[[], bool]) -> None:
        """Do what is due. Returns early when `stopping`."""
        if self._ranking():
            return
        mark = self._quarantine.mark(self.uuid)
        if mark is not None:
            if time.time() >= mark.retry_at:
                self._probe(Share.RANK, stopping, mark)
            return
        reason = self._maintain_mps() or health.look(self.uuid, nvml=self._nvml, mps=None).reason
        if reason:
            self._take_out(reason)
        elif not self._probed:
            self._probe(Share.CHECK, stopping, None)

    def status(self) -> GpuStatus:
        """Return the current status of the GPU."""
        mark = self._quarantine.mark(self.uuid)
        holders = self._leases.holders(self.uuid)
        return GpuStatus(
            uuid=self.uuid,
            reason=mark.reason if mark else "",
            temperature_c=self._temperature(),
            checking=sum(holder.share is Share.CHECK for holder in holders),
            ranking=self._ranking(),
            waiting=self._leases.waiting(self.uuid),
        )

    def _ranking(self) -> bool:
        return any(holder.share is Share.RANK for holder in self._leases.holders(self.uuid))

    def _temperature(self) -> int | None:
        if not self._ranking():
            with contextlib.suppress(NvmlUnavailable):
                self._temperature_c = self._nvml.sample(self.uuid).temperature_c
        return self._temperature_c

    def stop(self) -> None:
        """Stop MPS, unless a judge or another service still uses it."""
        if self._mps is not None:
            try:
                if not self._mps.clients():
                    self._mps.stop()
            except MpsUnavailable as error:
                log.info("mps_left_running", gpu_uuid=self.uuid, error=str(error))

    def _maintain_mps(self) -> str:
        """Start MPS or let it recover from a fault. Return a permanent fault, empty if there is none."""
        if self._mps is None:
            return ""
        try:
            self._mps.ensure()
            faulted = any(server.state is ServerState.FAULT for server in self._mps.servers())
            if not faulted:
                self._faulted_since, self._restarts = None, 0
                return ""
            now = time.monotonic()
            self._faulted_since = self._faulted_since or now
            if now - self._faulted_since < FAULT_PATIENCE_S:
                return ""
            if self._restarts >= _MOST_RESTARTS:
                return f"MPS faults again after {self._restarts} restarts"
            log.warning("mps_restarted", gpu_uuid=self.uuid, faulted_s=round(now - self._faulted_since, 1))
            metrics.MPS_RESTARTS.labels(gpu=self.uuid).inc()
            self._restarts += 1
            self._faulted_since = None
            self._mps.restart()
        except MpsUnavailable as error:
            return str(error)
        return ""

    def _probe(self, share: Share, stopping: Callable[[], bool], mark: QuarantineMark | None) -> None:
        """Compute on the GPU, and quarantine or restore it. A quarantined GPU is probed alone."""
        give_up = time.monotonic() + LEASE_PATIENCE_S
        try:
            with self._leases.acquire(
                self.uuid, share, lambda: stopping() or time.monotonic() > give_up, label="health check"
            ):
                found = self._mend_mps() if share is Share.RANK else HealthResult()
                if found.well:
                    found = self._check(self.uuid, nvml=self._nvml, mps=self._mps)
        except LeaseCancelled:
            return
        self._probed = True
        if not found.well:
            self._take_out(found.reason)
        elif mark is not None:
            self._restarts = 0
            self._quarantine.clear(self.uuid)
            log.info("gpu_restored", gpu_uuid=self.uuid, after_s=round(time.time() - mark.since))

    def _mend_mps(self) -> HealthResult:
        """Restart MPS unless it is healthy. The caller holds the GPU exclusively."""
        try:
            if self._mps is not None and not self._mps.healthy():
                metrics.MPS_RESTARTS.labels(gpu=self.uuid).inc()
                self._mps.restart()
        except MpsUnavailable as error:
            return HealthResult(str(error))
        return HealthResult()

    def _take_out(self, reason: str) -> None:
        mark = self._quarantine.quarantine(self.uuid, reason, by=_BY)
        metrics.QUARANTINES.labels(gpu=self.uuid).inc()
        log.error(
            "gpu_quarantined",
            gpu_uuid=self.uuid,
            reason=reason,
            failures=mark.failures,
            retry_s=round(mark.retry_at - time.time()),
        )
