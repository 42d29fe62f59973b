"""The hints of a problem, for its page."""

from dataclasses import dataclass

from django.utils.safestring import SafeString

from web.catalog.markdown import render
from web.catalog.models import Problem
from web.catalog.queries import Viewer
from web.hints.queries import closed_by_contest, count_opened, editorial_open
from web.packages.figures import pictures


@dataclass(frozen=True, slots=True)
class OpenHint:
    """A hint that the viewer has opened."""

    number: int
    html: SafeString


@dataclass(frozen=True, slots=True)
class HintsPart:
    """The part of a problem's page with the hints. `opened` are those that the viewer has opened.

    `next` is the number of the hint to open next; None if all are open. `closed` says that a contest keeps
    them closed. `explains` says whether the editorial is open, and `may_give_up` whether
    giving up would open one.
    """

    total: int
    opened: tuple[OpenHint, ...]
    next: int | None
    closed: bool
    explains: bool
    may_give_up: bool


def hints_part(viewer: Viewer, problem: Problem) -> HintsPart:
    """Return the hints of `problem` for `viewer`."""
    explains = editorial_open(viewer, problem)
    may_give_up = bool(problem.editorial) and not explains
    closed = bool(problem.hints or may_give_up) and closed_by_contest(viewer, problem)
    count = 0 if closed else count_opened(viewer, problem)
    return HintsPart(
        total=len(problem.hints),
        opened=tuple(
            OpenHint(number, render(text, pictures=pictures(problem, text), terms=True))
            for number, text in enumerate(problem.hints[:count], start=1)
        ),
        next=count + 1 if count < len(problem.hints) else None,
        closed=closed,
        explains=explains,
        may_give_up=may_give_up and not closed,
    )
