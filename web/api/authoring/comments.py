"""Comments of members on files."""

from datetime import datetime
from typing import Annotated, Any

from django.http import Http404
from ninja import Field, Router, Schema
from ninja.responses import Status
from pydantic import StringConstraints

from web.api.auth import ApiRequest
from web.api.authoring.access import find, person
from web.api.authoring.files import GREATEST, Path
from web.api.errors import documented
from web.api.problems import Slug
from web.authoring import queries, rights
from web.authoring.models import COMMENT_CHARACTERS, Comment
from web.authoring.services import comments
from web.authoring.services.comments import MOST_COMMENTS

router = Router()
Text = Annotated[str, StringConstraints(min_length=1, max_length=COMMENT_CHARACTERS, pattern=r"^[^\x00]+$")]


class CommentOut(Schema):
    """A comment on a line of a file at `revision`. If `line` is null, it is about the whole file."""

    id: int
    path: str
    line: int | None
    revision: int
    text: str
    by: str | None
    created: datetime
    resolved: datetime | None

    @staticmethod
    def resolve_by(comment: Comment) -> str | None:
        """Return the author's name; null if the account is deleted."""
        return comment.by.username if comment.by else None


class CommentIn(Schema):
    """The text and place of a comment."""

    path: Path
    line: int | None = Field(None, ge=1, le=GREATEST)
    text: Text


class ResolveIn(Schema):
    """The new state of the comment: resolved or open."""

    resolved: bool = True


@router.get(
    "/workspaces/{slug}/comments",
    response={200: list[CommentOut], **documented(401, 403, 404, 422)},
    summary="List comments",
)
def list_comments(request: ApiRequest, slug: Slug) -> Any:
    """Return the first 1000 comments, by file and line."""
    return queries.list_comments(find(request, slug))[:MOST_COMMENTS]


@router.post(
    "/workspaces/{slug}/comments",
    response={201: CommentOut, **documented(400, 401, 403, 404, 413, 422)},
    summary="Comment on a file",
)
def add_comment(request: ApiRequest, slug: Slug, wanted: CommentIn) -> Any:
    """Comment on the current revision of a file."""
    workspace = find(request, slug, rights.COMMENT)
    made = comments.comment(workspace, person(request), path=wanted.path, line=wanted.line, text=wanted.text)
    return Status(201, made)


@router.post(
    "/workspaces/{slug}/comments/{comment_id}/resolve",
    response={200: CommentOut, **documented(400, 401, 403, 404, 413, 422)},
    summary="Resolve a comment",
)
def resolve_comment(
    request: ApiRequest, slug: Slug, comment_id: Annotated[int, Field(ge=1, lt=2**63)], wanted: ResolveIn
) -> Any:
    """Resolve or reopen a comment."""
    workspace = find(request, slug, rights.COMMENT)
    found = queries.list_comments(workspace).filter(pk=comment_id).first()
    if found is None:
        raise Http404
    comments.resolve(found, person(request), resolved=wanted.resolved)
    return found
