"""The contents of the pages of rejudges."""

from dataclasses import dataclass

from django.utils.http import urlencode

from web.rejudges import queries
from web.rejudges.badges import CHANGE_BADGES, REJUDGE_BADGES, Badge
from web.rejudges.models import Change, HiddenRun, Rejudge, RejudgeState, Resolution
from web.rejudges.queries import RejudgeProgress
from web.site import cursors
from web.site.paging import first_rows


@dataclass(frozen=True, slots=True)
class RejudgeRow:
    """A rejudge with its badge and its progress."""

    rejudge: Rejudge
    badge: Badge
    progress: RejudgeProgress

    @property
    def judged(self) -> str:
        """Return the number of judged submissions, with the total unless cancelling deleted the others."""
        done = str(self.progress.done)
        cancelled = self.rejudge.state == RejudgeState.CANCELLED
        return done if cancelled else f"{done} of {self.progress.total}"


@dataclass(frozen=True, slots=True)
class RunRow:
    """A hidden run next to the visible verdict. `factor` is the old time over the new one."""

    run: HiddenRun
    badge: Badge | None
    factor: float | None


@dataclass(frozen=True, slots=True)
class ChangeCount:
    """The number of runs that went from one verdict to another."""

    badge: Badge
    before: str
    now: str
    count: int


@dataclass(frozen=True, slots=True)
class RejudgePage:
    """A rejudge: its progress, its result, and a page of its runs."""

    row: RejudgeRow
    changes: list[ChangeCount]
    filters: list[tuple[str, str]]
    chosen_filter: str
    runs: list[RunRow]
    following: str
    applied: int
    kept: int

    @property
    def moving(self) -> bool:
        """Return whether the page must refresh to stay current."""
        return self.row.rejudge.state in {RejudgeState.RUNNING, RejudgeState.APPLYING}


def rejudge_list(before: str) -> tuple[list[RejudgeRow], str]:
    """Return a page of the rejudges, and the address of the next page."""
    rejudges, more = first_rows(queries.list_rejudges(before=cursors.decode_key(before)))
    return rows(rejudges), f"?before={rejudges[-1].pk}" if more else ""


def open_rejudges() -> list[RejudgeRow]:
    """Return the rejudges that run, or wait for a decision of staff."""
    return [_row(rejudge, progress) for rejudge, progress in queries.open_rejudges()]


def rejudge_page(rejudge: Rejudge, change: str, after: str) -> RejudgePage:
    """Return the contents of the page of a rejudge."""
    change = change if change in Change.values else ""
    counts = queries.count_changes(rejudge)
    runs, more = first_rows(queries.list_runs(rejudge, change=change, after=cursors.decode_key(after)))
    following = urlencode({"change": change, "after": str(runs[-1].pk)}) if more else ""
    states = queries.count_applied(rejudge)
    found = {kind for kind, *_ in counts}
    return RejudgePage(
        row=rows([rejudge])[0],
        changes=[_count(*row) for row in counts],
        filters=[("", "All"), *((kind, label) for kind, label in Change.choices if kind in found)],
        chosen_filter=change,
        runs=[_run_row(run) for run in runs],
        following=f"?{following}" if following else "",
        applied=states.get(Resolution.APPLIED, 0),
        kept=states.get(Resolution.KEPT, 0),
    )


def rows(rejudges: list[Rejudge]) -> list[RejudgeRow]:
    """Return `rejudges` with their badges and progress."""
    progress = queries.progress_of(rejudges) if rejudges else {}
    return [_row(rejudge, progress.get(rejudge.pk, RejudgeProgress())) for rejudge in rejudges]


def _row(rejudge: Rejudge, progress: RejudgeProgress) -> RejudgeRow:
    return RejudgeRow(rejudge, REJUDGE_BADGES[RejudgeState(rejudge.state)], progress)


def _count(kind: str, before: str, now: str, count: int) -> ChangeCount:
    return ChangeCount(CHANGE_BADGES[Change(kind)], before, now, count)


def _run_row(run: HiddenRun) -> RunRow:
    badge = CHANGE_BADGES[Change(run.change)] if run.change else None
    factor = run.old_score_us / run.score_us if run.old_score_us and run.score_us else None
    return RunRow(run, badge, factor)
