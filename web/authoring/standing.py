"""The state of a problem for its author: the version that learners have, and unpublished changes."""

from dataclasses import dataclass

from web.authoring.models import Workspace, WorkspaceState
from web.catalog.models import Problem


@dataclass(frozen=True, slots=True)
class Pill:
    """A word for the state, with a tone of the style sheet."""

    word: str
    tone: str


_DRAFT = Pill("Draft", "void")
_LIVE = Pill("Live", "good")
_CHANGED = Pill("Live with changes", "limit")
_WITHDRAWN = Pill("Withdrawn", "limit")
_ARCHIVED = Pill("Archived", "void")
_PROVING = Pill("Proving", "live")
_READY = Pill("Ready to publish", "good")


def is_shown(workspace: Workspace) -> bool:
    """Return whether learners see a version of this workspace.

    A list annotates its workspaces with `shown` (`queries.visible_workspaces`), so that no query is needed.
    """
    if not workspace.published_hash:
        return False
    known: bool | None = workspace.__dict__.get("shown")
    return Problem.objects.filter(slug=workspace.slug, published=True).exists() if known is None else known


def pills_of(workspace: Workspace) -> tuple[Pill, ...]:
    """Return the state of the version that learners have, followed by the state of unpublished changes."""
    state = workspace.state
    if state == WorkspaceState.ARCHIVED:
        return (_ARCHIVED, _LIVE) if is_shown(workspace) else (_ARCHIVED,)
    more = {WorkspaceState.PROVING.value: (_PROVING,), WorkspaceState.READY.value: (_READY,)}.get(state, ())
    if not workspace.published_hash:
        return (_DRAFT, *more)
    if not is_shown(workspace):
        return (_WITHDRAWN, *more)
    return (_LIVE if state == WorkspaceState.PUBLISHED else _CHANGED, *more)
