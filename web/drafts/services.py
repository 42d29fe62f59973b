"""Saves drafts, and keeps earlier texts.

Theory of operation. Editors save a few seconds after each pause, from any number of browsers. A save names
the revision from which it was made. If that is not the current revision, another browser has saved in
between. The save is then refused and returns the current draft, so that the user decides. A save locks the
row. Of two saves from the same revision, one succeeds.

Not every text is worth keeping. A save keeps the text that it replaces if the request asks for it (a reset, a
restore, a decided conflict), or if no kept text is younger than KEPT_EVERY. Each draft keeps KEPT_REVISIONS
of them, for KEPT_FOR. All drafts of a user together keep KEPT_OF_USER, so that no user fills the database.

DraftRefused
+-- DraftUnacceptable     too long, or not text
+-- DraftConflict         another browser saved in between
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
KEPT_OF_USER = 1000


class DraftRefused(Exception):
    """Root of the reasons for refusing to save a draft. The message is for its author."""


class DraftUnacceptable(DraftRefused):
    """Raised when the text exceeds the problem's limit, or can't be stored."""


class DraftConflict(DraftRefused):
    """Raised when another browser saved the draft in between. `current` is the current draft."""

    def __init__(self, current: Draft) -> None:
        super().__init__("This draft was changed elsewhere in the meantime.")
        self.current = current


@transaction.atomic
def save_draft(
    user: User, problem: Problem, language: Language, *, source: str, expected: int, keep: bool = False
) -> Draft:
    """Save `source` as the draft, if `expected` is its current revision (0: there is no draft yet).

    With `keep`, the replaced text always goes into the history. Saving an unchanged text does nothing and
    never conflicts.

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
    of_user = DraftRevision.objects.filter(draft__user=draft.user_id).order_by("-saved", "-pk")
    if over := list(of_user.values_list("pk", flat=True)[KEPT_OF_USER:]):
        DraftRevision.objects.filter(pk__in=over).delete()
