"""Writes about help: open the next hint, give up.

HelpRefused
+-- NoMoreHints           all hints are open, or there are none
+-- ContestRunning        a contest with the problem is running
"""

from django.db import transaction

from web.accounts.models import User
from web.catalog.models import Problem
from web.hints.models import GivenUp, OpenedHint
from web.hints.queries import closed_by_contest, count_opened


class HelpRefused(Exception):
    """Root of the reasons for refusing help. The message is for the user."""


class NoMoreHints(HelpRefused):
    """Raised when all hints are open, or there are none."""


class ContestRunning(HelpRefused):
    """Raised while a contest with the problem is running."""


@transaction.atomic
def open_next(user: User, problem: Problem, *, number: int | None = None) -> int:
    """Open the next hint of `problem` and return its number.

    `number` is the hint that the user saw as the next one. If that hint is already open, for example after a
    double click, nothing changes. A hint after the next one is not opened.

    Raises:
        HelpRefused: see the tree above.
    """
    _require_no_contest(user, problem)
    opened = count_opened(user, problem)
    if number is not None and 1 <= number <= opened:
        return number
    if opened == len(problem.hints):
        raise NoMoreHints("All hints are open." if opened else "This problem has no hints.")
    OpenedHint.objects.get_or_create(user=user, problem=problem, number=opened + 1)
    return opened + 1


@transaction.atomic
def give_up(user: User, problem: Problem) -> None:
    """Record that `user` gives up on `problem`, which opens its editorial.

    Raises:
        ContestRunning: see above.
    """
    _require_no_contest(user, problem)
    GivenUp.objects.get_or_create(user=user, problem=problem)


def _require_no_contest(user: User, problem: Problem) -> None:
    if closed_by_contest(user, problem):
        raise ContestRunning("A contest with this problem is running. Hints and editorial open when it ends.")
