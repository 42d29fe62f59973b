"""Private notes and bookmarks of a user, one row per problem.

Two windows may save a note from the same revision. Then the note contains both texts, one below the other,
because notes are short and a lost text cannot be restored.

NoteRefused    the text is too long, or not text
"""

from django.db import transaction
from django.utils import timezone

from web.accounts.models import User
from web.catalog.models import Problem
from web.catalog.queries import Viewer
from web.drafts.models import Note

MAX_CHARACTERS = 20_000


class NoteRefused(Exception):
    """Raised when a note cannot be stored. The message is for its author."""


def find_note(viewer: Viewer, problem: Problem) -> Note | None:
    """Return the viewer's own note about `problem`, or None. It is private, for staff too."""
    if not viewer.is_authenticated:
        return None
    return Note.objects.filter(user=viewer.pk, problem=problem).first()


@transaction.atomic
def save_note(user: User, problem: Problem, *, text: str, expected: int) -> Note:
    """Save `text`, which was made from revision `expected` (0: there was no note), and return the note.

    If another window saved in between, the note contains both texts.

    Raises:
        NoteRefused: see the head of this module.
    """
    text = text.replace("\r\n", "\n").strip("\n")
    note, _ = Note.objects.select_for_update().get_or_create(user=user, problem=problem)
    if note.text == text:
        return note
    if note.revision != expected and note.text:
        text = f"{note.text}\n\n{text}"
    _check(text)
    note.text, note.revision, note.changed = text, note.revision + 1, timezone.now()
    note.save(update_fields=["text", "revision", "changed"])
    return note


def set_bookmark(user: User, problem: Problem, *, bookmarked: bool) -> None:
    """Bookmark `problem` for `user`, or remove the bookmark."""
    Note.objects.update_or_create(user=user, problem=problem, defaults={"bookmarked": bookmarked})


def _check(text: str) -> None:
    if "\0" in text:
        raise NoteRefused("The note contains NUL characters. Remove them.")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise NoteRefused("The note contains lone surrogates. Remove them.") from error
    if len(text) > MAX_CHARACTERS:
        raise NoteRefused(f"The note has {len(text):,} characters. The limit is {MAX_CHARACTERS:,}.")
