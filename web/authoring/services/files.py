"""Writes files of a workspace, and keeps earlier revisions.

Theory of operation. Editors save a few seconds after each pause, from any number of browsers and command
lines. A write names the revision from which it was made. If that is not the current revision, another user
has written in between. A write to files that the other user did not change still succeeds, because no text is
lost. Any other write is refused and returns the other user's text, so that the author can decide. A write
locks the row of the workspace. Two writes from the same revision therefore run one after the other.

Every write makes a revision, whose tree maps each path to the digest of its content. Contents are stored
once. Not every revision is worth keeping. A revision without a note is merged into the next one by the same
user within KEPT_EVERY, unless the next one removes a file. Each workspace keeps KEPT_REVISIONS revisions, and
those that were proved or published. Contents without a revision are deleted.

FilesRefused
+-- FilesUnacceptable     a path, a size or the number of files is not allowed in a package
+-- Conflict              another user wrote the same files in between
+-- NoRoom                the owner's workspaces are full
"""

import hashlib
from collections.abc import Mapping
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from problems.contents import Contents, ContentsInvalid, check_contents
from web.accounts.models import User
from web.authoring import queries
from web.authoring.models import (
    NOTE_CHARACTERS,
    Content,
    Revision,
    Workspace,
    WorkspaceFile,
    WorkspaceState,
)
from web.authoring.services import quota
from web.authoring.titles import title_of

KEPT_EVERY = timedelta(minutes=5)
KEPT_REVISIONS = 200
MOST_GONE = 1000

Changes = Mapping[str, bytes | None]


class FilesRefused(Exception):
    """Root of the reasons for refusing to write files. The message is for their author."""


class FilesUnacceptable(FilesRefused):
    """Raised when a path, a size or the number of files is not allowed in a package."""


class NoRoom(FilesRefused):
    """Raised when the owner's workspaces, with histories and versions, have reached the maximum size."""


class Conflict(FilesRefused):
    """Raised when another user wrote the same files in between.

    `revision` is the current one. `paths` are the files that both changed. `theirs` maps them to their
    current bytes (None: removed).
    """

    def __init__(self, revision: int, theirs: Changes) -> None:
        self.revision, self.theirs, self.paths = revision, theirs, tuple(theirs)
        super().__init__(
            f"{', '.join(self.paths)} changed in the meantime; the current revision is {revision}. "
            "Compare both versions, then save again from that revision."
        )


@transaction.atomic
def write(
    workspace: Workspace,
    by: User | None,
    expected_revision: int,
    changes: Changes,
    note: str = "",
    *,
    keep: bool = False,
) -> Revision:
    """Write `changes` (bytes by path, None removes) unless these files changed since `expected_revision`.

    With a `note` or `keep`, the revision is never merged with the next. A write that changes nothing makes no
    revision and never conflicts. `workspace` is updated in place. If the returned revision has a number above
    `expected_revision` + 1, others wrote other files in between. Callers that show these files must read them
    again.

    Raises:
        FilesRefused: see the tree above.
    """
    locked = Workspace.objects.select_for_update().get(pk=workspace.pk)
    before = locked.revisions.filter(number=locked.revision).first()
    present = queries.read(locked)
    news = {path: data for path, data in changes.items() if data != present.get(path)}
    if before and not news:
        _settle(workspace, locked)
        return _noted(before, note, keep=keep)
    if locked.revision != expected_revision:
        _refuse_conflicts(locked, present, news, expected_revision)
    contents = _checked(locked, present, news)
    changed = {path: _what(path, data, present) for path, data in news.items()}
    if before and "removed" in changed.values():
        pin(before)  # otherwise the file could not be restored
    require_room(locked.owner, _unstored_bytes(locked, news))
    _store(locked, news)
    revision = _remember(locked, by, before, contents, changed, note=note, keep=keep)
    locked.revision, locked.changed = revision.number, revision.created
    locked.touched = _touched(locked, contents, news)
    if "problem.toml" in news:
        locked.title = title_of(news["problem.toml"] or b"") or locked.title
    if locked.state != WorkspaceState.ARCHIVED:
        locked.state = queries.standing(locked, revision.content_hash)
    locked.save(update_fields=["revision", "touched", "changed", "title", "state"])
    _prune(locked)
    _settle(workspace, locked)
    return revision


@transaction.atomic
def restore(workspace: Workspace, by: User, number: int, *, expected_revision: int) -> Revision:
    """Restore the files of revision `number` in a new revision. The current files stay in the history.

    Raises:
        FilesRefused: another user wrote in between.
        Revision.DoesNotExist: that revision is not kept.
    """
    locked = Workspace.objects.select_for_update().get(pk=workspace.pk)
    wanted = locked.revisions.get(number=number)
    present = locked.revisions.get(number=locked.revision)
    Revision.objects.filter(pk__in=(wanted.pk, present.pk)).update(kept=True)
    changes: dict[str, bytes | None] = {**dict.fromkeys(present.tree), **queries.read_revision(wanted)}
    note = f"Restored revision {number}"
    return write(workspace, by, expected_revision, changes, note)


def pin(revision: Revision) -> None:
    """Keep `revision` unchanged forever, because it is proved or published."""
    Revision.objects.filter(pk=revision.pk).update(kept=True)
    revision.kept = True


def _checked(workspace: Workspace, present: Mapping[str, bytes], news: Changes) -> Contents:
    """Return all files with `news` applied. Raises FilesUnacceptable."""
    files = dict(present)
    for path, data in news.items():
        if data is None:
            files.pop(path, None)
        else:
            files[path] = data
    try:
        return check_contents(Contents(workspace.slug, files))
    except ContentsInvalid as error:
        raise FilesUnacceptable(f"{error}.") from error


def _refuse_conflicts(
    workspace: Workspace, present: Mapping[str, bytes], news: Changes, expected: int
) -> None:
    """Raise Conflict if a file was also written after revision `expected`."""
    both = sorted(path for path in news if workspace.touched.get(path, 0) > expected)
    if both:
        raise Conflict(workspace.revision, {path: present.get(path) for path in both})


def require_room(owner: User | None, more_bytes: int) -> None:
    """Refuse to store `more_bytes` more for the workspaces of `owner`, if they would exceed the maximum size.

    Raises:
        NoRoom: see above.
    """
    if not quota.has_room_for(owner, more_bytes):
        raise NoRoom(quota.no_room(owner))


def _unstored_bytes(workspace: Workspace, news: Changes) -> int:
    """Return the size of the contents of `news` that `workspace` does not store yet."""
    fresh = {_digest(data): len(data) for data in news.values() if data is not None}
    known = workspace.contents.filter(digest__in=fresh).values_list("digest", flat=True)
    return sum(fresh.values()) - sum(fresh[digest] for digest in known)


def _touched(workspace: Workspace, contents: Contents, news: Changes) -> dict[str, int]:
    """Return the revision of the last write to each file, which is the current one for `news`.

    Of the files that are gone, only the MOST_GONE latest stay: authors can choose new names without end.
    """
    touched: dict[str, int] = workspace.touched | dict.fromkeys(news, workspace.revision)
    gone = sorted(touched.keys() - contents.files.keys(), key=lambda path: touched[path], reverse=True)
    for path in gone[MOST_GONE:]:
        del touched[path]
    return touched


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _what(path: str, data: bytes | None, present: Mapping[str, bytes]) -> str:
    if data is None:
        return "removed"
    return "changed" if path in present else "added"


def _store(workspace: Workspace, news: Changes) -> None:
    """Write `news` in four queries, however many files. The caller holds the lock of the workspace."""
    digests = {path: _digest(data) for path, data in news.items() if data is not None}
    stored = dict(workspace.contents.filter(digest__in=digests.values()).values_list("digest", "pk"))
    fresh = {digest: news[path] or b"" for path, digest in digests.items() if digest not in stored}
    created = Content.objects.bulk_create(
        Content(workspace=workspace, digest=digest, size_bytes=len(data), data=data)
        for digest, data in fresh.items()
    )
    stored |= {content.digest: content.pk for content in created}
    workspace.files.filter(path__in=news.keys() - digests.keys()).delete()
    WorkspaceFile.objects.bulk_create(
        (
            WorkspaceFile(workspace=workspace, path=path, content_id=stored[digest])
            for path, digest in digests.items()
        ),
        update_conflicts=True,
        unique_fields=["workspace", "path"],
        update_fields=["content"],
    )


def _remember(
    workspace: Workspace,
    by: User | None,
    before: Revision | None,
    contents: Contents,
    changed: dict[str, str],
    *,
    note: str,
    keep: bool,
) -> Revision:
    number = workspace.revision + 1
    now = timezone.now()
    since = now
    if before and _merges(before, by):
        changed = _both(before.changed, changed)
        since = before.created
        before.delete()
    kept = keep or bool(note)
    return Revision.objects.create(
        workspace=workspace,
        number=number,
        by=by,
        note=note[:NOTE_CHARACTERS],
        content_hash=contents.content_hash,
        tree={path: _digest(data) for path, data in contents.files.items()},
        changed=changed,
        kept=kept,
        since=since,
        created=now,
    )


def _merges(before: Revision, by: User | None) -> bool:
    """Return whether the next revision by this user replaces `before`."""
    young = timezone.now() - before.since < KEPT_EVERY
    same = before.by_id == (by.pk if by else None)
    return young and same and not before.kept and not before.runs.exists()


def _both(first: dict[str, str], second: dict[str, str]) -> dict[str, str]:
    """Return the changes of two merged revisions.

    The second one removes no file: such revisions are never merged.
    """
    once_there = {path: "changed" for path, what in first.items() if what != "added"}
    return first | second | {path: once_there.get(path, "added") for path in second if path in first}


def _noted(revision: Revision, note: str, *, keep: bool) -> Revision:
    """Return the current revision with `note`, for a write that changed no file."""
    if (note and not revision.note) or (keep and not revision.kept):
        revision.note, revision.kept = revision.note or note[:NOTE_CHARACTERS], True
        revision.save(update_fields=["note", "kept"])
    return revision


def _prune(workspace: Workspace) -> None:
    """Delete the oldest revisions beyond the limit, except those of runs, and contents without a revision."""
    quota.shorten_history(workspace)
    latest = workspace.revisions.values_list("pk", flat=True)[:KEPT_REVISIONS]
    workspace.revisions.exclude(pk__in=[*latest]).filter(runs__isnull=True).delete()
    named = {
        digest for tree in workspace.revisions.values_list("tree", flat=True) for digest in tree.values()
    }
    unnamed = workspace.contents.exclude(files__isnull=False)
    loose = [pk for pk, digest in unnamed.values_list("pk", "digest") if digest not in named]
    Content.objects.filter(pk__in=loose).delete()


def _settle(workspace: Workspace, locked: Workspace) -> None:
    workspace.revision, workspace.changed = locked.revision, locked.changed
    workspace.title, workspace.state, workspace.touched = locked.title, locked.state, locked.touched
