"""Saves drafts, and keeps what they said before.

Theory of operation. Editors save a few seconds after each pause, from any number of browsers. A save
names the revision that it was made from. When that is not the current one somebody else has saved in
between, and the save is refused with the current draft, so that the person decides. The row is locked
meanwhile, so of two saves from one revision one wins.

Not every save is worth keeping. The text that a save replaces is kept when the save asks for it (a
reset, a restore, a decided conflict), or when nothing younger than KEPT_EVERY is kept already. Each
draft keeps KEPT_REVISIONS of them, for KEPT_FOR.

DraftRefused
+-- DraftUnacceptable     too long, or not text
+-- DraftConflict         saved from elsewhere in between
"""

from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from problems.vocabulary import Language
from web.accounts.models import User
from web.catalog.models import Problem
from web.drafts.models import Draft, DraftRevision

KEPT_EVERY = timedelta(minutes=5)
KEPT_FOR = timedelta(days=90)
KEPT_REVISIONS = 30


class DraftRefused(Exception):
    """Root of the reasons for which a draft is not saved. The message is for its author."""


class DraftUnacceptable(DraftRefused):
    """Raised when the text is longer than the problem takes, or cannot be stored."""


class DraftConflict(DraftRefused):
    """Raised when the draft was saved from elsewhere in between. `current` is what it says now."""

    def __init__(self, current: Draft) -> None:
        super().__init__("This draft was changed elsewhere in the meantime.")
        self.current = current


@transaction.atomic
def save_draft(
    user: User, problem: Problem, language: Language, *, source: str, expected: int, keep: bool = False
) -> Draft:
    """Make `source` the draft, if `expected` is still its revision (0: there is none).

    With `keep`, what it replaces goes into the history in any case. Saving what the draft says already
    changes nothing and is no conflict.

    Raises:
        DraftRefused: see the tree above.
    """
    source = source.replace("\r\n", "\n")
    _check(source, problem)
    draft, _ = Draft.objects.select_for_update().get_or_create(
        user=user, problem=problem, language=language.value
    )
    if draft.revision and draft.source == source:
        return draft
    if draft.revision != expected:
        raise DraftConflict(draft)
    if draft.revision:
        _remember(draft, keep=keep)
    draft.source, draft.revision, draft.saved = source, draft.revision + 1, timezone.now()
    draft.save(update_fields=["source", "revision", "saved"])
    return draft


def _check(source: str, problem: Problem) -> None:
    if "\0" in source:
        raise DraftUnacceptable("The source contains NUL characters. Remove them.")
    try:
        length = len(source.encode())
    except UnicodeEncodeError as error:
        raise DraftUnacceptable("The source contains lone surrogates. Remove them.") from error
    if length > problem.source_limit_bytes:
        raise DraftUnacceptable(
            f"The source has {length} bytes. The limit of {problem.title} is {problem.source_limit_bytes}."
        )


def _remember(draft: Draft, *, keep: bool) -> None:
    latest = draft.revisions.first()
    if not keep and latest and draft.saved - latest.saved < KEPT_EVERY:
        return
    DraftRevision.objects.create(draft=draft, revision=draft.revision, source=draft.source, saved=draft.saved)
    kept = draft.revisions.values_list("pk", flat=True)[:KEPT_REVISIONS]
    draft.revisions.exclude(pk__in=[*kept]).delete()
    draft.revisions.filter(saved__lt=timezone.now() - KEPT_FOR).delete()
