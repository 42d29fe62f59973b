"""The judge of this process. It is opened once, kept, and reopened after a failure."""

import time

import structlog
from django.conf import settings

from web.site import metrics
from worker import disk_space
from worker.judges import Judge, PackageJudge, ScriptedJudge
from worker.readiness import CANNOT_JUDGE
from worker.shared_status import shared_status

log = structlog.get_logger(__name__)

# The cause may end soon, such as a restart of the container engine, or need an operator.
FIRST_RETRY_S, LONGEST_RETRY_S = 1.0, 30.0


class JudgeHandle:
    """Holds the judge. Without one, this worker judges nothing and leaves jobs to other workers."""

    def __init__(self) -> None:
        self._judge: Judge | None = None
        self._retry_at = 0.0
        self._retry_s = FIRST_RETRY_S
        self._trouble = ""

    def judge(self) -> Judge | None:
        """Return the judge, opened if necessary; None if this host cannot judge, which is logged.

        The log entry has the fix. Programs never run without isolation, nor while a disk is full. A missing
        requirement is retried after pauses that grow from FIRST_RETRY_S to LONGEST_RETRY_S; the disks are
        checked each time.
        """
        if fix := disk_space.shortage(settings.WARPCOURT):
            self._pause(fix)
            return None
        if self._judge is None and time.monotonic() >= self._retry_at:
            self._open()
        if self._judge is not None:
            self._go_on()
        return self._judge

    def close(self, *, retry_in_s: float = 0.0, trouble: str = "") -> None:
        """End the judge's sandboxes. The next `judge` opens another, not before `retry_in_s`.

        The fleet page shows `trouble` to staff until then.
        """
        judge, self._judge = self._judge, None
        metrics.JUDGES_READY.set(0)
        self._retry_at = time.monotonic() + retry_in_s
        if trouble:
            self._tell(trouble)
        if judge is not None:
            judge.close()

    def put_off(self, trouble: str) -> float:
        """Close after `trouble` that may not affect a later `judge`. Return the seconds until the retry.

        They double each time until a job succeeds (`worked`).
        """
        pause_s, self._retry_s = self._retry_s, min(2 * self._retry_s, LONGEST_RETRY_S)
        self.close(retry_in_s=pause_s, trouble=trouble)
        return pause_s

    def worked(self) -> None:
        """Record a success, so that the next failure starts with a short pause."""
        self._retry_s = FIRST_RETRY_S

    def _open(self) -> None:
        config = settings.WARPCOURT
        try:
            self._judge = ScriptedJudge() if config.target == "scripted" else PackageJudge(config)
            metrics.JUDGES_READY.set(1)
        except CANNOT_JUDGE as error:
            metrics.CANNOT_JUDGE.inc()
            pause_s = self.put_off(str(error))
            log.error("judge_unavailable", fix=str(error), retry_s=pause_s)  # noqa: TRY400 - a traceback would bury the fix

    def _pause(self, fix: str) -> None:
        if fix != self._trouble:
            log.error("disk_full", fix=fix)
        metrics.PAUSED.set(1)
        self._tell(fix)

    def _go_on(self) -> None:
        metrics.PAUSED.set(0)
        if self._trouble:
            log.info("judging_resumed", after=self._trouble)
            self._tell("")

    def _tell(self, trouble: str) -> None:
        self._trouble = trouble
        shared_status.put(trouble)


judge_handle = JudgeHandle()
