"""The end of a job: one write, retried until the database accepts it or the lease expires."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import structlog
from django.conf import settings
from django.db import InternalError, connections

from problems.vocabulary import Verdict
from web.site import metrics
from web.site.databases import DATABASE_AWAY

log = structlog.get_logger(__name__)

# A write is retried if the database temporarily refuses it, as if the database did not answer.
UNANSWERED = (*DATABASE_AWAY, InternalError)
AGAIN_S = 0.5


@dataclass(frozen=True, slots=True)
class FinalWrite:
    """The final write of a job: a report with its verdict, or the return of the job to the queue.

    If the lease was lost, `write` returns False and changes nothing. `interrupted`: the job was not
    completed, so a worker that stops returns it to the queue instead. `follow_up` runs once after a write
    that succeeded, and does not raise.
    """

    write: Callable[[], bool]
    verdict: Verdict | None = None
    interrupted: bool = False
    follow_up: Callable[[], None] | None = None

    def settle(self, lost: Callable[[], bool]) -> None:
        """Write the end of the job. Retry while the database does not answer, until the lease is `lost`.

        A commit without an answer may have succeeded. Then the next try finds that the lease has ended. If
        the database answers heartbeats but refuses this write for the length of a lease, the write itself is
        at fault. Then the lease expires, and the job is retried.
        """
        deadline = time.monotonic() + settings.WARPCOURT.lease_s
        kept = False
        while not lost() and time.monotonic() < deadline:
            try:
                written = self.write()
            except UNANSWERED as error:
                kept = True
                metrics.RECORD_RETRIES.inc()
                log.warning("verdict_kept", error=str(error))
                connections.close_all()
                time.sleep(AGAIN_S)
            else:
                self._say(written=written, kept=kept)
                if written and self.follow_up is not None:
                    self.follow_up()
                return
        self._say(written=False, kept=False)

    def _say(self, *, written: bool, kept: bool) -> None:
        if written:
            if self.verdict is not None:
                log.info("verdict_recorded", verdict=self.verdict.value)
        elif kept:
            log.warning("verdict_settled", reason="an earlier try was taken, or the lease was lost")
        else:
            metrics.VERDICTS_DISCARDED.inc()
            log.warning("verdict_discarded", reason="the lease was lost")
