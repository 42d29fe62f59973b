"""Reads of drafts. Each person has access to their own alone, staff included."""

from problems.vocabulary import Language
from web.catalog.models import Problem
from web.catalog.queries import Viewer
from web.drafts.models import Draft, DraftRevision


def find_draft(viewer: Viewer, problem: Problem, language: Language) -> Draft | None:
    """The draft of `viewer`; None when there is none, or nobody is signed in."""
    if not viewer.is_authenticated:
        return None
    return Draft.objects.filter(user=viewer.pk, problem=problem, language=language.value).first()


def list_revisions(draft: Draft) -> list[DraftRevision]:
    """What `draft` said earlier, latest first."""
    return list(draft.revisions.all())


def find_revision(draft: Draft, revision: int) -> DraftRevision | None:
    """What `draft` said at `revision`, if that was kept."""
    return draft.revisions.filter(revision=revision).first()
