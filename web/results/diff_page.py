"""The page of a difference: two submissions, the changes, and other submissions to compare with."""

from dataclasses import dataclass

from django.urls import reverse
from django.utils.http import urlencode

from web.results.comparison_base import ACCEPTED, BEST, PREVIOUS, comparison_base, recent
from web.site.profile import LaunchPair, compare_profiles
from web.site.verdicts import badge_of
from web.submissions.differences import Difference, TooDifferent, compare
from web.submissions.models import Submission
from web.submissions.queries import Viewer, present_report, verdict_of

VIEWS = (("unified", "Unified"), ("split", "Side by side"))
_NAMES = ((PREVIOUS, "Previous"), (ACCEPTED, "Last accepted"), (BEST, "Best"))


@dataclass(frozen=True, slots=True)
class ComparisonChoice:
    """A submission to switch to, with its address."""

    label: str
    url: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class DiffPage:
    """The difference of `submission` from `other`, which is None if there is nothing to compare with.

    `difference` is None in this case, and if the two are too different; `complaint` says so.
    `launches` are those of two runs that were profiled.
    """

    submission: Submission
    other: Submission | None
    difference: Difference | None
    complaint: str
    is_split: bool
    missing: bool
    against: tuple[ComparisonChoice, ...]
    views: tuple[ComparisonChoice, ...]
    recent: tuple[tuple[str, str, bool], ...]
    launches: tuple[LaunchPair, ...]

    @property
    def sides(self) -> tuple[tuple[str, str, Submission, str | None], ...]:
        """Return the two submissions, the old one first: its class, its sign, itself and its verdict."""
        if self.other is None:
            return ()
        return (
            ("diff-old", "\N{MINUS SIGN}", self.other, verdict_of(self.other)),
            ("diff-new", "+", self.submission, verdict_of(self.submission)),
        )


def diff_page(submission: Submission, viewer: Viewer, *, against: str, view: str) -> DiffPage:
    """Return the difference of `submission`, which `viewer` may see, from the submission `against`.

    The default for `against` is the previous submission, else the last accepted one, else the best.
    """
    named = {name: comparison_base(submission, viewer, name) for name, _ in _NAMES}
    asked = against or next((name for name, found in named.items() if found), "")
    other = named[asked] if asked in named else comparison_base(submission, viewer, asked)
    view = view if view in dict(VIEWS) else VIEWS[0][0]
    difference, complaint = None, ""
    if other is not None:
        try:
            difference = compare(
                other.source,
                submission.source,
                old_language=other.language,
                new_language=submission.language,
            )
        except TooDifferent as refusal:
            complaint = str(refusal)
    return DiffPage(
        submission=submission,
        other=other,
        difference=difference,
        complaint=complaint,
        is_split=view == "split",
        missing=bool(against) and other is None,
        against=tuple(
            ComparisonChoice(label, _url(submission, name, view), name == asked)
            for name, label in _NAMES
            if named[name]
        ),
        views=tuple(
            ComparisonChoice(label, _url(submission, asked, name), name == view) for name, label in VIEWS
        ),
        recent=tuple((row.public_id, _describe(row), row == other) for row in recent(submission, viewer)),
        launches=_launches(other, submission, viewer) if other else (),
    )


def _launches(old: Submission, new: Submission, viewer: Viewer) -> tuple[LaunchPair, ...]:
    if not (old.profiled and new.profiled):
        return ()
    reports = [present_report(submission, viewer) for submission in (old, new)]
    profiles = [report.profile for report in reports if report and report.profile]
    return compare_profiles(*profiles) if len(profiles) == len(reports) else ()


def _describe(submission: Submission) -> str:
    made = f"{submission.created:%-d %b, %H:%M}"
    return f"{badge_of(verdict_of(submission)).word}, {submission.mode}, {made} ({submission.public_id})"


def _url(submission: Submission, against: str, view: str) -> str:
    url = reverse("submission-diff", args=[submission.public_id])
    return f"{url}?{urlencode({'against': against, 'view': view})}"
