"""Writes about comments on files."""

from django.db import transaction
from django.utils import timezone

from web.accounts.models import User
from web.authoring.models import COMMENT_CHARACTERS, Comment, Workspace

MOST_COMMENTS = 1000  # in one workspace


class CommentRefused(Exception):
    """Raised when a comment is refused. The message is for its author."""


@transaction.atomic
def comment(workspace: Workspace, by: User, *, path: str, line: int | None, text: str) -> Comment:
    """Add the comment `text` to a line of a current file, or to the whole file.

    Raises:
        CommentRefused: the file does not exist, the line number or the text is invalid,
            or the workspace has too many comments.
    """
    text = text.replace("\r\n", "\n").strip()
    if not text or "\0" in text:
        raise CommentRefused("Enter a comment.")
    if len(text) > COMMENT_CHARACTERS:
        raise CommentRefused(
            f"A comment can have up to {COMMENT_CHARACTERS} characters. This one has {len(text)}."
        )
    if line is not None and not 1 <= line < 2**31:
        raise CommentRefused("Line numbers start at 1.")
    if not workspace.files.filter(path=path).exists():
        raise CommentRefused(f"File not found: {path[:60]}.")
    Workspace.objects.select_for_update(no_key=True).get(pk=workspace.pk)  # comments are counted one by one
    if workspace.comments.count() >= MOST_COMMENTS:
        raise CommentRefused(f"This workspace has {MOST_COMMENTS} comments, the maximum.")
    return Comment.objects.create(
        workspace=workspace, by=by, path=path, line=line, text=text, revision=workspace.revision
    )


def resolve(found: Comment, by: User, *, resolved: bool = True) -> None:
    """Resolve or reopen a comment."""
    found.resolved, found.resolved_by = (timezone.now(), by) if resolved else (None, None)
    found.save(update_fields=["resolved", "resolved_by"])
