"""The judge of this process: opened once, kept, opened again after trouble."""

import time

import structlog
from django.conf import settings

from worker.judges import Judge, PackageJudge, ScriptedJudge
from worker.readiness import CANNOT_JUDGE

log = structlog.get_logger(__name__)

RETRY_S = 30.0


class Bench:
    """Holds the judge. Without one, this worker judges nothing and leaves jobs to those that can."""

    def __init__(self) -> None:
        self._judge: Judge | None = None
        self._retry_at = 0.0

    def judge(self) -> Judge | None:
        """The judge, opened if need be; None when this host cannot judge, which is logged with the fix.

        Programs are never run without isolation. The host is tried again every RETRY_S.
        """
        if self._judge is None and time.monotonic() >= self._retry_at:
            config = settings.WARPCOURT
            try:
                self._judge = ScriptedJudge() if config.target == "scripted" else PackageJudge(config)
            except CANNOT_JUDGE as error:
                self._retry_at = time.monotonic() + RETRY_S
                log.error("cannot_judge_here", fix=str(error), retry_s=RETRY_S)  # noqa: TRY400 - a traceback would bury the fix
        return self._judge

    def close(self, *, retry_in_s: float = 0.0) -> None:
        """End the judge's sandboxes. The next `judge` opens another, not before `retry_in_s`."""
        judge, self._judge = self._judge, None
        self._retry_at = time.monotonic() + retry_in_s
        if judge is not None:
            judge.close()


bench = Bench()
