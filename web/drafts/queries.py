"""Reads of drafts. Users can read only their own drafts. This includes staff."""

from problems.vocabulary import Language
from web.catalog.models import Problem
from web.catalog.queries import Viewer
from web.drafts.models import Draft, DraftRevision


def find_draft(viewer: Viewer, problem: Problem, language: Language) -> Draft | None:
    """Return the draft of `viewer`, or None if there is none or `viewer` is not signed in."""
    if not viewer.is_authenticated:
        return None
    return Draft.objects.filter(user=viewer.pk, problem=problem, language=language.value).first()


def find_revision(draft: Draft, revision: int) -> DraftRevision | None:
    """Return the text of `draft` at `revision`, or None if it was not kept."""
    return draft.revisions.filter(revision=revision).first()
