"""Saves the data of a form, for browsers with and without scripts, and reports conflicts.

Theory of operation. Every form names the revision from which it was made, in `expected`. A script submits the
form after each pause and gets JSON: the new revision, or the reason why nothing was saved. `kind` is `saved`,
`conflict` or `refused`. The status is always 200, because a half-typed text is not an error for the browser's
console. Without scripts, and when the author presses the button, the answer is a page. If two users changed
the same file, the later one gets a page that shows the conflict with the unsaved text. This user then
decides. Nothing is overwritten silently.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render

from web.authoring.differing import FileDifference, differences, text_or_none
from web.authoring.models import Workspace
from web.authoring.permissions import person
from web.authoring.queries import find_revision, read
from web.authoring.services import files

MAX_REVISION = 2**31 - 1
_MOST_DIGITS = 10


@dataclass(frozen=True, slots=True)
class Rival:
    """A file that two users changed: the text of this user, the current text, and the difference."""

    path: str
    mine: str
    theirs: str
    removed: bool
    difference: FileDifference


def wants_json(request: HttpRequest) -> bool:
    """Return whether a script sent the request."""
    return request.headers.get("Accept", "") == "application/json"


def expected_revision(request: HttpRequest) -> int:
    """Return the revision from which the form was made, or -1, which never exists, if the form names none."""
    expected = request.POST.get("expected", "")
    known = expected.isascii() and expected.isdigit() and len(expected) <= _MOST_DIGITS
    return min(int(expected), MAX_REVISION) if known else -1


def save(
    request: HttpRequest,
    workspace: Workspace,
    changes: Mapping[str, bytes | None],
    *,
    back: str = "",
    renumbered: Mapping[str, object] | None = None,
    note: str = "",
) -> HttpResponse:
    """Write `changes` and return the response. It redirects to `back`, by default to the current address.

    Browsers send Windows line ends, and forms write Unix ones. A file that differs only in these stays as it
    is. `renumbered` are form values that a script must replace after saving.
    """
    back, expected = back or request.path, expected_revision(request)
    changes = _real(workspace, changes)
    try:
        written = files.write(workspace, person(request), expected, changes, note)
    except files.Conflict as conflict:
        if wants_json(request):
            return JsonResponse(
                {
                    "kind": "conflict",
                    "error": str(conflict),
                    "revision": conflict.revision,
                    "by": _last_writer(request, workspace, conflict),
                }
            )
        return conflict_page(request, workspace, changes, conflict, back=back)
    except files.FilesRefused as refusal:
        return _unwritten(request, workspace, changes, str(refusal), back=back)
    if wants_json(request):
        body = {"revision": workspace.revision, "saved": workspace.changed, "values": dict(renumbered or {})}
        return JsonResponse({"kind": "saved", **body})
    saved = "Saved" if written.number > expected else "Already saved"
    messages.success(request, f"{saved} as revision {workspace.revision}.")
    return redirect(back)


def refused(request: HttpRequest, workspace: Workspace, reasons: Sequence[str], *, back: str) -> HttpResponse:
    """Return the response that says why nothing was saved."""
    if wants_json(request):
        body = {"error": " ".join(reasons), "revision": workspace.revision}
        return JsonResponse({"kind": "refused", **body})
    for reason in reasons:
        messages.error(request, reason)
    return redirect(back)


def _real(workspace: Workspace, changes: Mapping[str, bytes | None]) -> dict[str, bytes | None]:
    """Return `changes` without files that have Windows line ends and otherwise the same text."""
    there = read(workspace)
    same = {path for path, data in there.items() if data.replace(b"\r\n", b"\n") == changes.get(path)}
    return {path: data for path, data in changes.items() if path not in same}


def _unwritten(
    request: HttpRequest,
    workspace: Workspace,
    changes: Mapping[str, bytes | None],
    reason: str,
    *,
    back: str,
) -> HttpResponse:
    """Return the response that says why `changes` were refused.

    A page keeps the typed text, but no uploads.
    """
    texts = {path: text_or_none(data) for path, data in changes.items() if data is not None}
    if wants_json(request) or not texts or None in texts.values():
        return refused(request, workspace, [reason], back=back)
    dropped = [path for path, data in changes.items() if data is None]
    context = {
        "workspace": workspace,
        "reasons": [reason],
        "texts": texts,
        "dropped": dropped,
        "back": back,
    }
    return render(request, "authoring/refused.html", context, status=422)


def conflict_page(
    request: HttpRequest,
    workspace: Workspace,
    changes: Mapping[str, bytes | None],
    conflict: files.Conflict,
    *,
    back: str,
) -> HttpResponse:
    """Return the page with both texts of every file that another user changed too. The author decides."""
    rivals = [_rival(path, changes[path], conflict.theirs[path]) for path in conflict.paths]
    others = {
        path: text_or_none(data) or ""
        for path, data in changes.items()
        if path not in conflict.paths and data is not None
    }
    context = {
        "workspace": workspace,
        "conflict": conflict,
        "rivals": rivals,
        "others": others,
        "dropped": [p for p, data in changes.items() if data is None and p not in conflict.paths],
        "back": back,
    }
    return render(request, "authoring/conflict.html", context, status=409)


def _last_writer(request: HttpRequest, workspace: Workspace, conflict: files.Conflict) -> str:
    """Return who wrote the current revision: a name, "you" for another window, or empty if it is unknown."""
    revision = find_revision(workspace, conflict.revision)
    if revision is None or revision.by is None:
        return ""
    return "you" if revision.by == request.user else revision.by.username


def _rival(path: str, mine: bytes | None, theirs: bytes | None) -> Rival:
    (difference,) = differences({path: theirs}, {path: mine})
    return Rival(path, text_or_none(mine) or "", text_or_none(theirs) or "", mine is None, difference)
