"""What workers are asked for beside submissions: previews, proofs, imports, and hidden runs of rejudges.

That is also the order in which a worker looks for them, once no submission waits; see `worker.judging`. Every
read here is one query over all of them, whatever there is.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, TypeAlias

from django.db.models import CharField, Count, F, Min, QuerySet, Value
from django.db.models.functions import Cast, Coalesce

from web.authoring.models import OPEN_RUNS, ProofRun
from web.importing.models import ImportRun, ImportState
from web.staff.models import HiddenRun, RejudgeState, RunState
from web.submissions.models import Job, Status

_Rows: TypeAlias = "QuerySet[Any, Any]"  # of any of these tables, in columns of the same names
MOST_TASKS = 50
_LEASED = "leased"


class Docket(StrEnum):
    """From where a worker takes something to do. The order is that of claims."""

    SUBMISSION = "submission"
    PREVIEW = "preview"
    PROOF = "proof"
    IMPORT = "import"
    REJUDGE = "rejudge"


ASIDE = (Docket.PREVIEW, Docket.PROOF, Docket.IMPORT, Docket.REJUDGE)


@dataclass(frozen=True, slots=True)
class DocketNow:
    """How much there is to do. `oldest` is when the longest waiting one was asked for."""

    docket: Docket
    waiting: int = 0
    running: int = 0
    oldest: datetime | None = None


@dataclass(frozen=True, slots=True)
class Task:
    """One thing that waits, or that `worker` does now. `key` is the page's: of a submission its public id.

    `subject` is the problem, of an import the format; `person` who asked for it, empty where they are gone.
    `until` is when its lease ends.
    """

    docket: Docket
    key: str
    subject: str
    person: str
    worker: str
    running: bool
    since: datetime
    until: datetime | None

    @property
    def address_name(self) -> str:
        """The name of the address where staff see it."""
        return {
            Docket.SUBMISSION: "submission",
            Docket.PREVIEW: "author-reference",
            Docket.PROOF: "author-proof-run",
            Docket.IMPORT: "author-import-run",
            Docket.REJUDGE: "staff-rejudge",
        }[self.docket]

    @property
    def address_values(self) -> tuple[str, ...]:
        """What fills that address."""
        values = {Docket.PREVIEW: (self.subject,), Docket.PROOF: (self.subject, self.key)}
        return values.get(self.docket, (self.key,))


def dockets_now() -> list[DocketNow]:
    """Previews, proofs, imports and hidden runs, those of which there are none too. One query."""
    counts = {"count": Count("pk"), "first": Min("asked")}
    columns = ("docket", "state", "count", "first")
    proofs, imports, hidden = (
        rows.order_by().values("docket", "state").annotate(**counts).values_list(*columns)
        for rows in _aside()
    )
    found = {docket: DocketNow(docket) for docket in ASIDE}
    for name, state, count, first in proofs.union(imports, hidden, all=True):
        now = found[Docket(name)]
        if state == _LEASED:
            found[now.docket] = DocketNow(now.docket, now.waiting, count, now.oldest)
        else:
            found[now.docket] = DocketNow(now.docket, count, now.running, first)
    return list(found.values())


def tasks_aside() -> list[Task]:
    """What is done beside submissions and what waits, at most MOST_TASKS in the order of claims. One query.

    Hidden runs are told once a worker has them: thousands may wait.
    """
    proofs, imports, hidden = _aside()
    asked = (_as_rows(rows) for rows in (proofs, imports, hidden.filter(state=RunState.LEASED)))
    first, *others = asked
    return sorted(_tasks(first.union(*others, all=True)), key=_in_order)[:MOST_TASKS]


def tasks_held() -> list[Task]:
    """All that workers do now, submissions too, as `tasks_aside` has it. One query."""
    jobs = Job.objects.filter(status=Status.LEASED).annotate(
        docket=_word(Docket.SUBMISSION),
        key=_text("submission__public_id"),
        subject=_text("submission__problem__slug"),
        person=_text("submission__user__username"),
        held_by=_text("worker"),
        stands=_text("status"),
        asked=F("queued"),
    )
    held = (_as_rows(rows.filter(state=_LEASED)) for rows in _aside())
    found = jobs.order_by().values_list(*_COLUMNS).union(*held, all=True)
    return sorted(_tasks(found), key=_in_order)


def host_of(worker: str) -> str:
    """The host of a process, by its name in jobs and in the fleet: `node-1` of `node-1:4711`."""
    return worker.rpartition(":")[0]


def long_waiting(dockets: Iterable[DocketNow], now: datetime, limit: timedelta) -> list[DocketNow]:
    """Those in which something has waited for longer than `limit`. Hidden runs may: they come last."""
    asked = (entry for entry in dockets if entry.docket is not Docket.REJUDGE)
    return [entry for entry in asked if entry.oldest is not None and entry.oldest < now - limit]


_COLUMNS = ("docket", "key", "subject", "person", "held_by", "stands", "asked", "lease_until")


def _aside() -> tuple[_Rows, _Rows, _Rows]:
    """What waits or is done in each table, in columns of the same names and types."""
    proofs = ProofRun.objects.filter(state__in=OPEN_RUNS).annotate(
        docket=_text("kind"),
        asked=F("created"),
        subject=_text("workspace__slug"),
        person=_text("by__username"),
    )
    imports = ImportRun.objects.filter(state__in=[ImportState.QUEUED, ImportState.LEASED]).annotate(
        docket=_word(Docket.IMPORT), asked=F("created"), subject=_text("format"), person=_text("by__username")
    )
    hidden = HiddenRun.objects.filter(
        state__in=[RunState.QUEUED, RunState.LEASED], rejudge__state=RejudgeState.RUNNING
    ).annotate(
        docket=_word(Docket.REJUDGE),
        asked=F("rejudge__created"),
        subject=_text("submission__problem__slug"),
        person=_text("rejudge__creator__username"),
    )
    return proofs, imports, hidden


def _as_rows(rows: _Rows) -> _Rows:
    key = "rejudge" if rows.model is HiddenRun else "pk"
    named = rows.annotate(key=_text(key), held_by=_text("worker"), stands=_text("state"))
    found: _Rows = named.order_by().values_list(*_COLUMNS)
    return found


def _tasks(rows: Iterable[tuple[str, str, str, str, str, str, datetime, datetime | None]]) -> list[Task]:
    return [
        Task(Docket(docket), key, subject, person, worker, stands == _LEASED, asked, until)
        for docket, key, subject, person, worker, stands, asked, until in rows
    ]


def _in_order(task: Task) -> tuple[bool, int, datetime]:
    return not task.running, list(Docket).index(task.docket), task.since


def _text(column: str) -> Coalesce:
    """A column as text, so that tables fit together."""
    return Coalesce(Cast(F(column), CharField()), Value(""), output_field=CharField())


def _word(docket: Docket) -> Value:
    return Value(docket.value, output_field=CharField())
