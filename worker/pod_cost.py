"""The thread that tells Kubernetes whether this worker judges, so that idle pods are removed first.

Theory of operation. When a Deployment shrinks, Kubernetes removes the pods with the lowest
`controller.kubernetes.io/pod-deletion-cost` first. The thread runs in the worker's main process and checks
the claims of the children every second (`worker.pulse`). At the first claim it writes JUDGING; when no
child has held a claim for QUIET_S it writes IDLE. So a worker that judges one job after the other writes
once, as Kubernetes asks. The cost is only a preference: a worker that is removed while it judges gets
SIGTERM and finishes its jobs (`worker.shutdown`).

No job waits for the API server. A request ends after PATIENCE_S, however slowly the server answers. A failed
write is repeated, after pauses that grow to LONGEST_PAUSE_S. The request is a merge patch of one annotation
without a resource version, so the worker does not read or watch the pod first.
"""

import asyncio
import json
import os
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from typing import Self

import httpx
import structlog

from worker.pulse import PulseKind, pulse

log = structlog.get_logger(__name__)

ANNOTATION = "controller.kubernetes.io/pod-deletion-cost"
# A pod without the annotation counts as 0: its worker is starting, or cannot reach the API server.
IDLE, JUDGING = -100, 100
QUIET_S = 10.0
PATIENCE_S = 5.0
FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 60.0
_LOOK_S = 1.0


class PodNotPatched(Exception):
    """Raised when the API server did not store a cost. The message says why and, if known, how to fix it."""


@dataclass(frozen=True, slots=True)
class PodApi:
    """The pod of this process in the API server at `url`.

    `folder` holds the files of a projected volume: `token`, `ca.crt`, `namespace` and `pod`. Kubernetes
    replaces them, so every request reads them again.
    """

    url: str
    folder: Path

    @classmethod
    def of_this_pod(cls, folder: Path) -> Self:
        """Return the API server that Kubernetes names to every container."""
        host = os.environ.get("KUBERNETES_SERVICE_HOST", "kubernetes.default.svc")
        port = os.environ.get("KUBERNETES_SERVICE_PORT", "443")
        return cls(f"https://{f'[{host}]' if ':' in host else host}:{port}", folder)

    def write(self, cost: int, *, patience_s: float = PATIENCE_S) -> None:
        """Write the cost into the pod's annotation, within `patience_s`.

        Raises:
            PodNotPatched: it is not certain that the API server stored the cost.
        """
        try:
            status = asyncio.run(asyncio.wait_for(self._patch(cost), patience_s))
        except TimeoutError:
            raise PodNotPatched(f"{self.url} did not answer within {patience_s:g} s") from None
        except (httpx.HTTPError, OSError, UnicodeError) as error:
            raise PodNotPatched(f"{self.url}: {error or type(error).__name__}") from error
        if status in {401, 403}:
            raise PodNotPatched(
                f"{self.url} answers {status}: set deletionCost in the values of the chart, "
                "which makes the service account and its role"
            )
        if not 200 <= status < 300:
            raise PodNotPatched(f"{self.url} answers {status}")

    async def _patch(self, cost: int) -> int:
        """Return the status of the answer. Its body, the whole pod, is not read."""
        namespace, pod, token = (
            (self.folder / name).read_text().strip() for name in ("namespace", "pod", "token")
        )
        headers = {
            "Authorization": f"Bearer {token}",
            "Content-Type": "application/merge-patch+json",
            # A child that is forked during the request inherits the socket: the server has to end it.
            "Connection": "close",
        }
        patch = json.dumps({"metadata": {"annotations": {ANNOTATION: str(cost)}}})
        trusted = ssl.create_default_context(cafile=str(self.folder / "ca.crt"))
        path = f"{self.url}/api/v1/namespaces/{namespace}/pods/{pod}"
        async with (
            httpx.AsyncClient(verify=trusted, timeout=None, trust_env=False) as client,  # noqa: S113 - bounded as a whole
            client.stream("PATCH", path, content=patch, headers=headers) as answer,
        ):
            return answer.status_code


def held_jobs() -> int:
    """Return how many children of this worker hold a claim."""
    return sum(sign.held.kind is not PulseKind.NONE for _, sign in pulse.signs())


class PodCost:
    """Writes the cost of this worker's pod, from `start` until the process ends."""

    def __init__(
        self,
        write: Callable[[int], None],
        *,
        held: Callable[[], int] = held_jobs,
        quiet_s: float = QUIET_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._write, self._held = write, held
        self._quiet_s, self._clock = quiet_s, clock
        self._written: int | None = None
        self._judged_at = -quiet_s
        self._retry_at, self._pause_s = 0.0, FIRST_PAUSE_S
        self._trouble = ""
        self._thread = Thread(target=self._run, name="pod-cost", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def look(self) -> None:
        """Write the cost if it has changed, unless a write has just failed."""
        now = self._clock()
        judging = bool(self._held())
        if judging:
            self._judged_at = now
        cost = JUDGING if judging or now - self._judged_at < self._quiet_s else IDLE
        if cost == self._written or now < self._retry_at:
            return
        try:
            self._write(cost)
        except PodNotPatched as error:
            self._written = None  # the server may have stored it nevertheless
            self._retry_at = self._clock() + self._pause_s
            self._pause_s = min(2 * self._pause_s, LONGEST_PAUSE_S)
            self._tell(str(error))
            return
        self._written, self._pause_s = cost, FIRST_PAUSE_S
        self._tell("")

    def _run(self) -> None:
        pause = Event()
        while not pause.wait(_LOOK_S):
            try:
                self.look()
            except Exception:  # the thread's boundary: the worker keeps judging
                log.exception("pod_cost_failed")

    def _tell(self, trouble: str) -> None:
        """Log each new failure once, and its end."""
        if trouble and trouble != self._trouble:
            log.warning("pod_cost_not_written", fix=trouble)
        elif self._trouble and not trouble:
            log.info("pod_cost_written", after=self._trouble)
        self._trouble = trouble
