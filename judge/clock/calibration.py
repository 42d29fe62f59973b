"""Measured peak rates of one GPU of this node, stored with a stamp.

Theory of operation. A separate process (`python -m judge.gpu.device.calibrate`) measures the GPU. The caller
must hold the exclusive lease of this GPU. The result is stored as a small JSON file for each GPU in a
directory of the node. A file is valid for the GPU and the driver in its stamp. If the stamp differs or the
file has an older format, the GPU is measured again.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from judge.errors import JudgeError

MEASURES = "float16", "float32", "float64"
_TIMEOUT_S = 120.0
_FORMAT = 2  # 2: adds the rate of reads alone, and the bytes that cold writes leave in the cache
_ABSORBED_ROOM = 1.5
_ROOT = Path(__file__).resolve().parents[2]


class CalibrationFailed(JudgeError):
    """Raised when a GPU cannot be measured. The message contains the output of the measuring process."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Measured rates of a GPU: bytes read plus written per second, and operations per second by dtype.

    A fused multiply-add counts as two operations. `l2_bytes` is the size of its L2 cache. `read_bytes_per_s`
    is the rate of reads alone, 0 if it was not measured. `absorbed_bytes` is the largest number of bytes that
    a cold call left in the cache instead of writing them to memory, None if it was not measured.
    """

    gpu_uuid: str
    driver: str
    bytes_per_s: float
    operations_per_s: Mapping[str, float]
    l2_bytes: int
    read_bytes_per_s: float = 0.0
    absorbed_bytes: int | None = None

    @property
    def fastest_bytes_per_s(self) -> float:
        """The highest rate of any mix of reads and writes."""
        return max(self.bytes_per_s, self.read_bytes_per_s)

    @property
    def left_in_cache_bytes(self) -> int:
        """The most bytes of outputs that may still be in the cache when a call ends, with a safety margin.

        At most the size of the L2 cache, and at least a quarter of it: the calibration measures only one of
        many ways to write.
        """
        if self.absorbed_bytes is None:
            return self.l2_bytes
        return min(self.l2_bytes, max(self.l2_bytes // 4, int(_ABSORBED_ROOM * self.absorbed_bytes)))

    @property
    def fastest_operations_per_s(self) -> float:
        """The highest rate of any dtype."""
        return max(self.operations_per_s.values())


def calibrated(
    directory: Path,
    *,
    gpu_uuid: str,
    driver: str,
    measure: Callable[[str, str], Calibration] | None = None,
) -> Calibration:
    """Return the calibration of a GPU from `directory`.

    If it is missing, measure the GPU and store the result.

    The caller must hold the GPU's exclusive lease, because `measure` uses the whole GPU for some seconds.

    Raises:
        CalibrationFailed: the GPU cannot be measured.
    """
    known = load(directory, gpu_uuid=gpu_uuid, driver=driver)
    if known is not None:
        return known
    fresh = (measure or measure_in_process)(gpu_uuid, driver)
    store(directory, fresh)
    return fresh


def load(directory: Path, *, gpu_uuid: str, driver: str) -> Calibration | None:
    """Return the stored calibration for this GPU and driver, or None if it is missing or unreadable."""
    try:
        body = json.loads(_file(directory, gpu_uuid).read_text(encoding="utf-8"))
        found = parse(body)
    except (OSError, ValueError):
        return None
    return found if (found.gpu_uuid, found.driver) == (gpu_uuid, driver) else None


def store(directory: Path, calibration: Calibration) -> None:
    """Store `calibration`. It atomically replaces an earlier one of the same GPU."""
    directory.mkdir(parents=True, exist_ok=True)
    path = _file(directory, calibration.gpu_uuid)
    draft = path.with_suffix(f".{os.getpid()}")
    draft.write_text(json.dumps({"format": _FORMAT, **asdict(calibration)}, indent=1), encoding="utf-8")
    draft.replace(path)


def parse(body: object) -> Calibration:
    """Parse a calibration from a JSON value. Raises ValueError if the value is not a calibration."""
    try:
        if not isinstance(body, dict) or body["format"] != _FORMAT:
            raise ValueError("not a calibration")
        found = Calibration(
            gpu_uuid=str(body["gpu_uuid"]),
            driver=str(body["driver"]),
            bytes_per_s=float(body["bytes_per_s"]),
            operations_per_s={dtype: float(body["operations_per_s"][dtype]) for dtype in MEASURES},
            l2_bytes=int(body["l2_bytes"]),
            read_bytes_per_s=float(body["read_bytes_per_s"]),
            absorbed_bytes=None if body["absorbed_bytes"] is None else int(body["absorbed_bytes"]),
        )
    except (KeyError, TypeError) as error:
        raise ValueError(f"not a calibration: {error}") from error
    if (
        not all(rate > 0 for rate in (found.bytes_per_s, *found.operations_per_s.values()))
        or min(found.read_bytes_per_s, found.absorbed_bytes or 0) < 0
    ):
        raise ValueError("the calibration contains a rate that is not positive")
    return found


def not_yet_written(written: int, moved: int, took_s: float, rate: float) -> float:
    """Return how many of the `written` bytes cannot have reached memory in `took_s`, if `moved` had to."""
    return min(float(written), max(0.0, moved - max(0.0, took_s) * rate))


def measure_in_process(gpu_uuid: str, driver: str) -> Calibration:
    """Measure a GPU in a separate process, so that no CUDA context remains. Takes some seconds."""
    environment = os.environ | {"CUDA_VISIBLE_DEVICES": gpu_uuid}
    try:
        done = subprocess.run(
            [sys.executable, "-m", "judge.gpu.device.calibrate"],
            env=environment,
            cwd=_ROOT,
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise CalibrationFailed(f"measuring {gpu_uuid} took more than {_TIMEOUT_S:g} s") from error
    if done.returncode:
        raise CalibrationFailed(f"measuring {gpu_uuid} failed: {done.stderr.strip()[-2000:]}")
    try:
        measured = json.loads(done.stdout)
        return parse({"format": _FORMAT, "gpu_uuid": gpu_uuid, "driver": driver, **measured})
    except ValueError as error:
        raise CalibrationFailed(f"measuring {gpu_uuid} printed no figures: {done.stdout[:200]!r}") from error


def _file(directory: Path, gpu_uuid: str) -> Path:
    return directory / f"calibration-{gpu_uuid}.json"
