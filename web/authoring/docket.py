"""What workers do with proofs and previews, as `web.submissions.services` does it with jobs.

Theory of operation. A worker takes one only when no submission of a learner waits, previews first, since
somebody looks at the page, and people in turn, so that nobody's runs keep out everybody else's. The fencing
is that of jobs: `attempt` grows with every claim, every write names it, and leases are on the database's
clock. A run is about one revision, which stays as it is whatever is written meanwhile; only where the files
still say the same does a proof that holds make the workspace ready.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Case, Count, F, OuterRef, Q, QuerySet, Subquery, When
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Coalesce
from django.utils import timezone

from problems.contents import Contents
from web.authoring import queries
from web.authoring.models import OPEN_RUNS, ProofRun, RunKind, RunState, State, Workspace
from web.authoring.queries import standing
from web.clock import DatabaseNow
from web.submissions import doorbell
from web.submissions.models import CPU
from web.submissions.services import Hold, LeaseLost

MOST_STEPS = 200
AGED = timedelta(minutes=5)
_SWEPT_AT_ONCE = 500
_GAVE_UP = "The judge failed several times. Try again. Staff can find the reason in the worker's log."

_UNREADABLE = "The judge could not read these files in time. Remove unusually long or deeply nested content."


@dataclass(frozen=True, slots=True)
class RunClaim:
    """The right to run `run`, whose files are `contents`."""

    run: ProofRun
    contents: Contents
    attempt: int
    tries: int


def claim(worker: str) -> RunClaim | None:
    """Take a run that waits, or one whose lease expired; None when there is none."""
    while True:
        row = _first()
        if row is None:
            return None
        pk, attempt = row
        taken = ProofRun.objects.filter(_claimable(), pk=pk, attempt=attempt).update(
            state=RunState.LEASED,
            attempt=F("attempt") + 1,
            tries=F("tries") + 1,
            lease_until=_lease_end(),
            worker=worker,
            progress={},
        )
        if not taken:
            continue  # another worker got there first
        run = ProofRun.objects.select_related("workspace", "revision__workspace").get(pk=pk)
        contents = Contents(run.workspace.slug, queries.read_revision(run.revision))
        return RunClaim(run, contents, attempt + 1, run.tries)


def extend_lease(held: RunClaim) -> Hold:
    """Extend the lease by its full length, and learn whether to go on."""
    if _held(held).update(lease_until=_lease_end()):
        return Hold.HELD
    cancelled = ProofRun.objects.filter(pk=held.run.pk, attempt=held.attempt, state=RunState.CANCELLED)
    return Hold.CANCELLED if cancelled.exists() else Hold.LOST


def tell(held: RunClaim, steps: list[dict[str, Any]]) -> None:
    """Say what is done now and what was before: `steps`, of which the latest are kept.

    Raises:
        LeaseLost: the run is no longer this worker's.
    """
    if not _held(held).update(progress={"steps": steps[-MOST_STEPS:], "count": len(steps)}):
        raise LeaseLost(f"attempt {held.attempt} of run {held.run.pk} is over")


@transaction.atomic
def record(held: RunClaim, report: Mapping[str, Any], *, holds: bool | None = None) -> bool:
    """Keep what came of it. False: the lease was lost, nothing is stored."""
    return _finish(held, report=dict(report), holds=holds)


@transaction.atomic
def record_failure(held: RunClaim, failure: str) -> bool:
    """Keep why nothing came of it, for its author. False: the lease was lost."""
    return _finish(held, failure=failure, holds=False if held.run.kind == RunKind.PROOF else None)


@transaction.atomic
def hand_back(held: RunClaim, *, failed: bool) -> bool:
    """Give the run up for another try, as `submissions.services.hand_back` does with a job."""
    if failed and held.tries >= settings.WARPCOURT.max_tries:
        return record_failure(held, _GAVE_UP)
    tries = F("tries") if failed else F("tries") - 1
    return _held(held).update(state=RunState.QUEUED, lease_until=None, worker="", tries=tries) > 0


def abandon(pk: int, attempt: int) -> bool:
    """End a run on which its worker's process hung, without another try. False if it was lost before."""
    run = ProofRun.objects.select_related("workspace").filter(pk=pk).first()
    return run is not None and record_failure(
        RunClaim(run, Contents("", {}), attempt, run.tries), _UNREADABLE
    )


def sweep(*, now: datetime | None = None) -> None:
    """Queue runs again whose worker is gone, and ring for those that wait."""
    moment = now or DatabaseNow()
    expired = ProofRun.objects.filter(state=RunState.LEASED, lease_until__lt=moment)
    for run in expired.select_related("workspace")[:_SWEPT_AT_ONCE]:
        _hand_back_expired(RunClaim(run, Contents("", {}), run.attempt, run.tries), moment)
    ring()


def ring() -> None:
    """Wake workers for the runs that wait."""
    waiting = ProofRun.objects.filter(state=RunState.QUEUED)[: doorbell.MOST_RINGS].count()
    doorbell.ring_for({CPU: waiting})  # any worker takes them, and all of them hear CPU


def settle(workspace_id: int) -> None:
    """Make a workspace whose proof is over what its files are now."""
    workspace = Workspace.objects.filter(pk=workspace_id, state=State.PROVING).first()
    revision = queries.present_revision(workspace) if workspace else None
    if workspace is None or revision is None:
        return
    mine = Workspace.objects.filter(pk=workspace_id, state=State.PROVING, revision=workspace.revision)
    mine.update(state=standing(workspace, revision.content_hash))


def _finish(held: RunClaim, **columns: Any) -> bool:
    done = _held(held).update(state=RunState.DONE, lease_until=None, finished=timezone.now(), **columns)
    if done and held.run.kind == RunKind.PROOF:
        settle(held.run.workspace_id)
    return done > 0


@transaction.atomic
def _hand_back_expired(held: RunClaim, moment: datetime | DatabaseNow) -> None:
    # Takes the row's lock, so that nobody extends it now.
    if _held(held).filter(lease_until__lt=moment).update(worker=""):
        hand_back(held, failed=True)


def _first() -> tuple[int, int] | None:
    """The run whose turn it is: everybody's first one comes before anybody's second.

    Of those, previews come first, and proofs that waited for AGED, so that no stream of previews holds up
    a proof.
    """
    earlier = ProofRun.objects.filter(by=OuterRef("by"), state__in=OPEN_RUNS, pk__lt=OuterRef("pk"))
    counted = earlier.order_by().values("by").annotate(count=Count("pk")).values("count")
    urgent = Q(kind=RunKind.PREVIEW) | Q(created__lt=DatabaseNow() - AGED)
    rows = ProofRun.objects.filter(_claimable()).annotate(
        turn=Coalesce(Subquery(counted), 0), later=Case(When(urgent, then=0), default=1)
    )
    return rows.order_by("turn", "later", "pk").values_list("pk", "attempt").first()


def _claimable() -> Q:
    expired = Q(state=RunState.LEASED, lease_until__lt=DatabaseNow(), tries__lt=settings.WARPCOURT.max_tries)
    return Q(state=RunState.QUEUED) | expired


def _held(held: RunClaim) -> QuerySet[ProofRun]:
    return ProofRun.objects.filter(pk=held.run.pk, attempt=held.attempt, state=RunState.LEASED)


def _lease_end() -> CombinedExpression:
    return DatabaseNow() + timedelta(seconds=settings.WARPCOURT.lease_s)
