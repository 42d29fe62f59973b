"""The history of a program: earlier texts of the draft and the submissions, in one list."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from problems.vocabulary import Language
from web.catalog.models import Problem
from web.catalog.queries import Viewer
from web.drafts.models import DraftRevision
from web.drafts.queries import find_draft
from web.submissions.models import Submission
from web.submissions.queries import first_rows, list_submissions, verdict_of

SHOWN_SUBMISSIONS = 40


@dataclass(frozen=True, slots=True)
class PastVersion:
    """A version of a program. Either `revision` or `submission` is set."""

    at: datetime
    revision: DraftRevision | None = None
    submission: Submission | None = None

    @property
    def verdict(self) -> str | None:
        """Return the verdict of the submission, None before it is judged."""
        return verdict_of(self.submission) if self.submission else None


def past_versions(viewer: Viewer, problem: Problem, language: Language) -> list[PastVersion]:
    """Return the kept revisions of the viewer's draft and the latest submissions, newest first."""
    draft = find_draft(viewer, problem, language)
    revisions: Iterable[DraftRevision] = draft.revisions.all() if draft else ()
    rows = list_submissions(viewer, problem_slug=problem.slug, language=language.value)
    found = [PastVersion(row.saved, revision=row) for row in revisions]
    found += [PastVersion(row.created, submission=row) for row in first_rows(rows, SHOWN_SUBMISSIONS)]
    return sorted(found, key=lambda version: version.at, reverse=True)
