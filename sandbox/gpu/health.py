"""Health checks of GPUs, and quarantine marks of those that fail.

A check queries NVML and MPS, and then a new process computes something on the GPU, as a submission would. A
GPU that fails is quarantined: a mark in the runtime directory makes it unavailable to every process of the
node at once. The node service probes a quarantined GPU exclusively, at growing intervals, and removes the
mark when the GPU is healthy.

Staff may hold a GPU with a second, separate mark, which no check removes. After staff release the GPU, it is
probed like a quarantined GPU before it is used.
"""

import contextlib
import json
import math
import os
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from sandbox.gpu.mps import Mps, MpsUnavailable, ServerState
from sandbox.gpu.nvml import MemoryErrors, Nvml, NvmlUnavailable
from sandbox.gpu.probe import ProbeFailed, probe

_HOTTEST_C = 95  # a GPU that still reports is throttling long before
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 15.0, 600.0
_SUFFIX = ".quarantine"
_HELD_SUFFIX = ".held"
_STAFF = "staff"


@dataclass(frozen=True, slots=True)
class HealthResult:
    """The outcome of a check. `reason` has the fault and the fix; empty if the GPU is healthy."""

    reason: str = ""

    @property
    def well(self) -> bool:
        """Whether the GPU can judge."""
        return not self.reason


def check(uuid: str, *, nvml: Nvml, mps: Mps | None) -> HealthResult:
    """Query a GPU, then compute on it in a new process, in half a second. `mps` is None if time-sliced.

    The caller must hold a lease, because the process is another client.
    """
    seen = look(uuid, nvml=nvml, mps=mps)
    if not seen.well:
        return seen
    try:
        probe(uuid, mps)
    except ProbeFailed as error:
        return HealthResult(str(error))
    return HealthResult()


def look(uuid: str, *, nvml: Nvml, mps: Mps | None) -> HealthResult:
    """Return the health by NVML and MPS, without using the GPU. Takes ten milliseconds and needs no lease."""
    try:
        hot = nvml.sample(uuid).temperature_c
        reason = _explain_memory(nvml.memory_errors(uuid))
    except NvmlUnavailable as error:
        return HealthResult(str(error))
    if hot is not None and hot > _HOTTEST_C:
        reason = f"it is too hot ({hot} °C); check its cooling"
    return HealthResult(reason) if reason or mps is None else look_at_mps(mps)


def look_at_mps(mps: Mps) -> HealthResult:
    """Return the health that MPS reports."""
    try:
        servers = mps.servers()
    except MpsUnavailable as error:
        return HealthResult(str(error))
    faulted = any(server.state is ServerState.FAULT for server in servers)
    return HealthResult("its MPS server has faulted and waits for its clients to exit" if faulted else "")


def _explain_memory(errors: MemoryErrors) -> str:
    if errors.remap_failed:
        return "its memory has run out of spare rows; replace the GPU"
    if errors.remap_pending or errors.retire_pending:
        return "its memory has defective rows that a reset would retire; drain the node and reset the GPU"
    if errors.uncorrected:
        return f"its memory had {errors.uncorrected} uncorrected errors; drain the node and reset the GPU"
    return ""


@dataclass(frozen=True, slots=True)
class QuarantineMark:
    """A quarantine. Times are in seconds of the epoch; `failures` counts the checks that failed in a row.

    If staff hold the GPU, `retry_at` is infinite: it is never probed.
    """

    uuid: str
    reason: str
    by: str
    since: float
    failures: int
    retry_at: float


class Quarantine:
    """The marks below `directory`, shared by all processes of a node."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory / "quarantine"
        self._directory.mkdir(parents=True, exist_ok=True)

    def quarantine(self, uuid: str, reason: str, *, by: str) -> QuarantineMark:
        """Quarantine a GPU, or count another failure of a quarantined GPU.

        `by` says who found the failure.
        """
        now = time.time()
        earlier = self._failed(uuid)
        failures = 1 + (earlier.failures if earlier else 0)
        pause_s = min(_FIRST_PAUSE_S * 2 ** (failures - 1), _LONGEST_PAUSE_S)
        mark = QuarantineMark(uuid, reason, by, earlier.since if earlier else now, failures, now + pause_s)
        _write(self._path(uuid), json.dumps(asdict(mark)))
        return mark

    def hold(self, uuid: str, reason: str) -> None:
        """Take a GPU out of use until `release`, whatever its checks find."""
        path = self._held_path(uuid)
        if _read(path) != reason:
            _write(path, reason)

    def release(self, uuid: str) -> None:
        """Release a held GPU. It is probed at once, and used if it is healthy.

        Does nothing if it is not held.
        """
        path = self._held_path(uuid)
        if not path.exists():
            return
        # The probed mark is written first, so that one of the two is always visible.
        now = time.time()
        waits = QuarantineMark(
            uuid, "an operator released it, and it has not passed a check yet", _STAFF, now, 0, now
        )
        _write(self._path(uuid), json.dumps(asdict(waits)))
        path.unlink(missing_ok=True)

    def held(self) -> Mapping[str, str]:
        """The reason of each GPU that staff hold, by uuid."""
        names = sorted(path.name for path in self._directory.glob(f"*{_HELD_SUFFIX}"))
        uuids = [name.removesuffix(_HELD_SUFFIX) for name in names]
        return {uuid: reason for uuid in uuids if (reason := _read(self._held_path(uuid))) is not None}

    def quarantined(self) -> Mapping[str, str]:
        """The reason of each GPU that is out of use, by uuid."""
        return {mark.uuid: mark.reason for mark in self.marks()}

    def marks(self) -> tuple[QuarantineMark, ...]:
        """Every mark."""
        paths = [*self._directory.glob(f"*{_SUFFIX}"), *self._directory.glob(f"*{_HELD_SUFFIX}")]
        found = (self.mark(uuid) for uuid in sorted({path.stem for path in paths}))
        return tuple(mark for mark in found if mark is not None)

    def mark(self, uuid: str) -> QuarantineMark | None:
        """Return the mark of a GPU, None if it is in use.

        An unreadable mark counts, with its retry due now.
        """
        held = _read(self._held_path(uuid))
        if held is not None:
            return QuarantineMark(uuid, held, _STAFF, time.time(), 0, math.inf)
        return self._failed(uuid)

    def _failed(self, uuid: str) -> QuarantineMark | None:
        """The mark of the checks alone."""
        try:
            said = json.loads(self._path(uuid).read_text())
            return QuarantineMark(
                uuid,
                str(said["reason"]),
                str(said["by"]),
                float(said["since"]),
                int(said["failures"]),
                float(said["retry_at"]),
            )
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            return QuarantineMark(uuid, f"its quarantine file cannot be read: {error}", "", 0.0, 1, 0.0)

    def clear(self, uuid: str) -> None:
        """Put a GPU back into use, unless staff hold it. Does nothing if it is in use."""
        with contextlib.suppress(FileNotFoundError):
            self._path(uuid).unlink()

    def _path(self, uuid: str) -> Path:
        return self._directory / f"{uuid}{_SUFFIX}"

    def _held_path(self, uuid: str) -> Path:
        return self._directory / f"{uuid}{_HELD_SUFFIX}"


def _write(path: Path, text: str) -> None:
    """Replace a file in one step, as others may read it."""
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    draft.write_text(text)
    draft.replace(path)


def _read(path: Path) -> str | None:
    """Return the text of a file, None if it does not exist."""
    try:
        return path.read_text() or "held"
    except FileNotFoundError:
        return None
    except OSError as error:
        return f"its quarantine file cannot be read: {error}"
