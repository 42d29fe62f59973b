"""How far people have come, kept in step with the reports.

Theory of operation.

`Progress` and `Tally` say nothing that the reports do not: they are there because no list can look at a
million reports. Whoever writes or deletes a report calls `settle` in the same transaction. It counts that
person's reports on that problem anew and moves the tally by the difference, so a report that is dropped,
repeated or recorded late leaves no trace. The tally's row is the lock: of two that settle the same problem
at a time the second counts when the first has committed. `recount` makes both tables anew, in bulk.

What counts is what says something about the program. `internal_error` and `cancelled` do not count as
judged. Runs count as runs alone, whatever became of them.
"""

from datetime import datetime
from typing import Any

from django.db.models import Count, F, Max, Min, Q

from problems.vocabulary import Mode, Verdict
from web.submissions.models import Progress, Report, Submission, Tally

UNCOUNTED = (Verdict.INTERNAL_ERROR.value, Verdict.CANCELLED.value)
_SUBMIT = Q(submission__mode=Mode.SUBMIT.value)
_ACCEPTED = _SUBMIT & Q(verdict=Verdict.ACCEPTED.value)
_NOTHING: dict[str, Any] = {"runs": 0, "judged": 0, "accepted": 0, "solved": None, "latest": None}


def settle(submission_id: int) -> None:
    """Make progress and tally agree with the reports, after that of a submission was written or deleted.

    Runs in the caller's transaction, which holds the problem's tally from here to its end: call it last.
    """
    user, problem = Submission.objects.values_list("user_id", "problem_id").get(pk=submission_id)
    tallies = Tally.objects.filter(problem=problem)
    if not tallies.select_for_update(no_key=True).values_list("judged").first():
        Tally.objects.bulk_create([Tally(problem_id=problem)], ignore_conflicts=True)
        tallies.select_for_update(no_key=True).values_list("judged").first()
    mine = Progress.objects.filter(user=user, problem=problem)
    before = mine.values(*_NOTHING).first() or _NOTHING
    after = _count(user, problem)
    if after == before:
        return
    if after["latest"] is None:
        mine.delete()
    elif not mine.update(**after):
        Progress.objects.create(user_id=user, problem_id=problem, **after)
    tallies.update(
        judged=F("judged") + after["judged"] - before["judged"],
        accepted=F("accepted") + after["accepted"] - before["accepted"],
        solvers=F("solvers") + bool(after["accepted"]) - bool(before["accepted"]),
    )


def _count(user: int, problem: int) -> dict[str, int | datetime | None]:
    counted = Report.objects.filter(submission__user=user, submission__problem=problem)
    return counted.exclude(verdict__in=UNCOUNTED).aggregate(
        runs=Count("pk", filter=~_SUBMIT),
        judged=Count("pk", filter=_SUBMIT),
        accepted=Count("pk", filter=_ACCEPTED),
        solved=Min("finished", filter=_ACCEPTED),
        latest=Max("finished"),
    )
