"""Saves what a form says, for browsers with and without scripts, and tells of conflicts.

Theory of operation. Every form names the revision that it was made from, in `expected`. A script sends it
after each pause and takes JSON: the new revision, or why nothing was saved. Its `kind` says which, saved,
conflict or refused, and its status is 200: that a text is half typed is nothing for a console of errors.
Without scripts, and when the button is pressed, the answer is a page. Of two people who changed the same
file, the later one gets the page of the conflict, with their text still in it, and decides; nothing is
overwritten unseen.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render

from web.authoring.differing import FileDifference, differences, text_or_none
from web.authoring.models import Workspace
from web.authoring.permissions import person
from web.authoring.queries import find_revision
from web.authoring.services import files

MAX_REVISION = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Rival:
    """A file that two people changed: what this one wrote, what it says now, and how they differ."""

    path: str
    mine: str
    theirs: str
    removed: bool
    difference: FileDifference


def wants_json(request: HttpRequest) -> bool:
    """Whether a script saves."""
    return request.headers.get("Accept", "") == "application/json"


def expected_revision(request: HttpRequest) -> int:
    """The revision that a form was made from; -1, which nothing was made from, where it names none."""
    expected = request.POST.get("expected", "")
    return min(int(expected), MAX_REVISION) if expected.isascii() and expected.isdigit() else -1


def save(
    request: HttpRequest,
    workspace: Workspace,
    changes: Mapping[str, bytes | None],
    *,
    back: str = "",
    renumbered: Mapping[str, object] | None = None,
    note: str = "",
) -> HttpResponse:
    """Write `changes` and answer. `back` is where a page goes on; this address by default.

    `renumbered` are values of the form that a script must replace once it is saved.
    """
    back = back or request.path
    try:
        files.write(workspace, person(request), expected_revision(request), changes, note)
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
    messages.success(request, f"Saved as revision {workspace.revision}.")
    return redirect(back)


def refused(request: HttpRequest, workspace: Workspace, reasons: Sequence[str], *, back: str) -> HttpResponse:
    """Say why nothing was saved."""
    if wants_json(request):
        body = {"error": " ".join(reasons), "revision": workspace.revision}
        return JsonResponse({"kind": "refused", **body})
    for reason in reasons:
        messages.error(request, reason)
    return redirect(back)


def _unwritten(
    request: HttpRequest,
    workspace: Workspace,
    changes: Mapping[str, bytes | None],
    reason: str,
    *,
    back: str,
) -> HttpResponse:
    """Say why `changes` were refused, on a page that still has what was typed. Who uploads has the file."""
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
    """Both texts of every file that somebody else changed too, for its author to decide."""
    rivals = [_rival(path, changes[path], conflict.theirs[path]) for path in conflict.paths]
    others = {
        path: text_or_none(data) or ""
        for path, data in changes.items()
        if path not in conflict.paths and data
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
    """Who wrote the present revision: a name, "you" from another window, empty where nobody is known."""
    revision = find_revision(workspace, conflict.revision)
    if revision is None or revision.by is None:
        return ""
    return "you" if revision.by == request.user else revision.by.username


def _rival(path: str, mine: bytes | None, theirs: bytes | None) -> Rival:
    (difference,) = differences({path: theirs}, {path: mine})
    return Rival(path, text_or_none(mine) or "", text_or_none(theirs) or "", mine is None, difference)
