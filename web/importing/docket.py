"""What workers do with imports, as `web.authoring.docket` does it with proofs.

Theory of operation. The same claim, lease and fencing. Nobody waits for an import, so a worker takes one only
when no submission and no proof waits. The database is written at the end, in one transaction: the problems
that came in and the report that tells of them, or nothing. A set that is imported twice, because a worker was
lost, is the same as once: files that say what they said make no new revision.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.db.models.expressions import CombinedExpression
from django.utils import timezone

from problems.importing.report import Imported
from web.clock import DatabaseNow
from web.importing.landing import land
from web.importing.models import ImportRun, ImportState
from web.submissions import doorbell
from web.submissions.models import CPU
from web.submissions.services import Hold, LeaseLost

_SWEPT_AT_ONCE = 100
_GAVE_UP = "The import failed several times. Try again. Staff can find the reason in the worker's log."

_UNREADABLE = "The judge could not read this set in time. Remove unusually long or deeply nested content."


@dataclass(frozen=True, slots=True)
class ImportClaim:
    """The right to import `run`."""

    run: ImportRun
    attempt: int
    tries: int


def claim(worker: str) -> ImportClaim | None:
    """Take an import that waits, or one whose lease expired; None when there is none."""
    while True:
        row = ImportRun.objects.filter(_claimable()).order_by("pk").values_list("pk", "attempt").first()
        if row is None:
            return None
        pk, attempt = row
        taken = ImportRun.objects.filter(_claimable(), pk=pk, attempt=attempt).update(
            state=ImportState.LEASED,
            attempt=F("attempt") + 1,
            tries=F("tries") + 1,
            lease_until=_lease_end(),
            worker=worker,
            progress="",
        )
        if taken:
            run = ImportRun.objects.select_related("by").get(pk=pk)
            return ImportClaim(run, attempt + 1, run.tries)


def extend_lease(held: ImportClaim) -> Hold:
    """Extend the lease by its full length, and learn whether to go on."""
    if _held(held).update(lease_until=_lease_end()):
        return Hold.HELD
    given_up = ImportRun.objects.filter(pk=held.run.pk, attempt=held.attempt, state=ImportState.CANCELLED)
    return Hold.CANCELLED if given_up.exists() else Hold.LOST


def tell(held: ImportClaim, text: str) -> None:
    """Say which problem is looked at.

    Raises:
        LeaseLost: the import is no longer this worker's.
    """
    if not _held(held).update(progress=text[:200]):
        raise LeaseLost(f"attempt {held.attempt} of import {held.run.pk} is over")


@transaction.atomic
def record(held: ImportClaim, problems: Iterable[Imported]) -> bool:
    """Make workspaces of the problems and keep the report. False: the lease was lost, nothing is stored."""
    if not _finish(held):
        return False
    by = held.run.by
    if by is None:  # they left the site meanwhile
        return _keep(held, failure="The user who requested this import was deleted.")
    landed = [land(by, found) for found in problems]
    return _keep(held, report={"format": held.run.format, "problems": [entry.as_json() for entry in landed]})


@transaction.atomic
def record_failure(held: ImportClaim, failure: str) -> bool:
    """Keep why nothing came of it. False: the lease was lost."""
    return _finish(held) and _keep(held, failure=failure)


@transaction.atomic
def hand_back(held: ImportClaim, *, failed: bool) -> bool:
    """Give the import up for another try."""
    if failed and held.tries >= settings.WARPCOURT.max_tries:
        return record_failure(held, _GAVE_UP)
    tries = F("tries") if failed else F("tries") - 1
    return _held(held).update(state=ImportState.QUEUED, lease_until=None, worker="", tries=tries) > 0


def abandon(pk: int, attempt: int) -> bool:
    """End an import on which its worker's process hung, without another try. False if it was lost before."""
    run = ImportRun.objects.select_related("by").defer("archive").filter(pk=pk).first()
    return run is not None and record_failure(ImportClaim(run, attempt, run.tries), _UNREADABLE)


def sweep(*, now: datetime | None = None) -> None:
    """Queue imports again whose worker is gone, and ring for those that wait."""
    moment = now or DatabaseNow()
    expired = ImportRun.objects.filter(state=ImportState.LEASED, lease_until__lt=moment)
    for run in expired.defer("archive")[:_SWEPT_AT_ONCE]:
        _hand_back_expired(ImportClaim(run, run.attempt, run.tries), moment)
    ring()


def ring() -> None:
    """Wake workers for the imports that wait."""
    waiting = ImportRun.objects.filter(state=ImportState.QUEUED)[: doorbell.MOST_RINGS].count()
    doorbell.ring_for({CPU: waiting})  # any worker takes them, and all of them hear CPU


@transaction.atomic
def _hand_back_expired(held: ImportClaim, moment: datetime | DatabaseNow) -> None:
    # Takes the row's lock, so that nobody extends it now.
    if _held(held).filter(lease_until__lt=moment).update(worker=""):
        hand_back(held, failed=True)


def _finish(held: ImportClaim) -> bool:
    """End it. Takes the row's lock, so that what follows in this transaction is done once."""
    ended = {"state": ImportState.DONE, "lease_until": None, "archive": None, "finished": timezone.now()}
    return _held(held).update(**ended) > 0


def _keep(held: ImportClaim, **columns: Any) -> bool:
    return ImportRun.objects.filter(pk=held.run.pk).update(**columns) > 0


def _claimable() -> Q:
    expired = Q(
        state=ImportState.LEASED, lease_until__lt=DatabaseNow(), tries__lt=settings.WARPCOURT.max_tries
    )
    return Q(state=ImportState.QUEUED) | expired


def _held(held: ImportClaim) -> QuerySet[ImportRun]:
    return ImportRun.objects.filter(pk=held.run.pk, attempt=held.attempt, state=ImportState.LEASED)


def _lease_end() -> CombinedExpression:
    return DatabaseNow() + timedelta(seconds=settings.WARPCOURT.lease_s)
