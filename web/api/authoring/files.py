"""Reads and writes files of a workspace. A write names the revision that it was made from."""

import base64
import binascii
from collections.abc import Mapping
from typing import Annotated, Any, Self

from ninja import Field, Router, Schema
from pydantic import StringConstraints, model_validator

from web.api.auth import ApiRequest
from web.api.authoring.access import find, person
from web.api.errors import documented
from web.api.problems import Slug
from web.authoring import queries, rights
from web.authoring.models import NOTE_CHARACTERS, PATH_CHARACTERS
from web.authoring.services import files

router = Router()
MOST_FILES = 200
GREATEST = 2**31 - 1
Path = Annotated[str, StringConstraints(min_length=1, max_length=PATH_CHARACTERS, pattern=r"^[^\x00]+$")]
Note = Annotated[str, StringConstraints(max_length=NOTE_CHARACTERS, pattern=r"^[^\x00-\x1f]*$")]


class FileOut(Schema):
    """A file, as `text` if it is UTF-8, otherwise as `base64`."""

    path: str
    size_bytes: int
    text: str | None
    base64: str | None


class FilesOut(Schema):
    """All files of a revision. `content_hash` identifies their contents."""

    revision: int
    content_hash: str
    files: list[FileOut]


class FileIn(Schema):
    """A file to write, as `text` or `base64`. With neither, the file is removed."""

    path: Path
    text: str | None = None
    base64: str | None = None

    @model_validator(mode="after")
    def check(self) -> Self:
        """Raise ValueError if both are given."""
        if self.text is not None and self.base64 is not None:
            raise ValueError("give text or base64, not both")
        self.data()
        return self

    def data(self) -> bytes | None:
        """Return the bytes; None for a file to remove."""
        if self.text is not None:
            try:
                return self.text.encode()
            except UnicodeEncodeError as error:
                raise ValueError("text contains lone surrogates; remove them") from error
        if self.base64 is None:
            return None
        try:
            return base64.b64decode(self.base64, validate=True)
        except (binascii.Error, ValueError) as error:
            raise ValueError("base64 is not valid base64") from error


class FilesIn(Schema):
    """Files to write in one revision, based on the revision `expected`."""

    expected: int = Field(ge=0, le=GREATEST)
    changes: list[FileIn] = Field(min_length=1, max_length=MOST_FILES)
    note: Note = ""


class WrittenOut(Schema):
    """The new revision. If it is above `expected` + 1, other users changed other files: read them again."""

    revision: int
    content_hash: str


@router.get(
    "/workspaces/{slug}/files",
    response={200: FilesOut, **documented(401, 403, 404, 422)},
    summary="Read files",
)
def read_files(request: ApiRequest, slug: Slug) -> Any:
    """Return all files of the current revision."""
    workspace = find(request, slug)
    present = queries.present_revision(workspace)
    content_hash = present.content_hash if present else ""
    return files_json(workspace.revision, content_hash, queries.read(workspace))


@router.put(
    "/workspaces/{slug}/files",
    response={200: WrittenOut, **documented(400, 401, 403, 404, 409, 413, 422)},
    summary="Write files",
)
def write_files(request: ApiRequest, slug: Slug, wanted: FilesIn) -> Any:
    """Write all files or none. 409 if another user changed one since `expected`; `fields` names it."""
    workspace = find(request, slug, rights.EDIT)
    changes = {change.path: change.data() for change in wanted.changes}
    made = files.write(workspace, person(request), wanted.expected, changes, wanted.note)
    return {"revision": made.number, "content_hash": made.content_hash}


def files_json(revision: int, content_hash: str, content: Mapping[str, bytes]) -> dict[str, object]:
    """Return the files as an answer."""
    return {
        "revision": revision,
        "content_hash": content_hash,
        "files": [_file(path, data) for path, data in sorted(content.items())],
    }


def _file(path: str, data: bytes) -> dict[str, object]:
    try:
        text, packed = data.decode(), None
    except UnicodeDecodeError:
        text, packed = None, base64.b64encode(data).decode()
    return {"path": path, "size_bytes": len(data), "text": text, "base64": packed}
