"""The list of problems that a user writes, alone or with others."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.core.paginator import Page, Paginator
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.urls import reverse

from web.accounts.models import User
from web.authoring.models import Membership, Role, Workspace, WorkspaceState
from web.authoring.queries import own_workspaces, shared_workspaces, visible_workspaces

PER_PAGE = 50


@dataclass(frozen=True, slots=True)
class WorkspaceRow:
    """A problem in the list. `role` is the viewer's role in words."""

    workspace: Workspace
    role: str
    comments: int


@dataclass(frozen=True, slots=True)
class WorkspaceListing:
    """One page of the list. `any` is false if the user has no problem at all."""

    rows: list[WorkspaceRow]
    page: Page[Workspace]
    chosen: dict[str, str]
    any: bool
    before: str
    after: str

    @property
    def found(self) -> int:
        """Return the number of problems on all pages."""
        return self.page.paginator.count


def list_page(viewer: User, chosen: dict[str, str], number: str) -> WorkspaceListing:
    """Return page `number` of the problems that `viewer` may see, filtered by `chosen`.

    An invalid or too large `number` gives the nearest page.
    """
    found = _narrowed(viewer, chosen)
    page = Paginator(found, PER_PAGE).get_page(number if number.strip("0").isdecimal() else 1)
    return WorkspaceListing(
        rows=[_row(viewer, workspace) for workspace in page],
        page=page,
        chosen=chosen,
        any=bool(page.paginator.count) or visible_workspaces(viewer).exists(),
        before=_url(chosen, page.number - 1) if page.has_previous() else "",
        after=_url(chosen, page.number + 1) if page.has_next() else "",
    )


def _narrowed(viewer: User, chosen: dict[str, str]) -> QuerySet[Workspace]:
    among = {"own": own_workspaces, "shared": shared_workspaces}.get(
        chosen.get("whose", ""), visible_workspaces
    )
    found = among(viewer)
    if state := chosen.get("state"):
        found = found.filter(state=state)
    else:
        found = found.exclude(state=WorkspaceState.ARCHIVED)
    for word in chosen.get("q", "").split():
        found = found.filter(Q(title__icontains=word) | Q(slug__icontains=word))
    mine = Membership.objects.filter(workspace=OuterRef("pk"), user=viewer.pk).values("role")[:1]
    unanswered = Count("comments", filter=Q(comments__resolved__isnull=True))
    annotated = found.annotate(membership=Subquery(mine), unanswered=unanswered)
    return annotated.order_by("-changed", "-pk")  # a grouped query ignores the model's default order


def _row(viewer: User, workspace: Workspace) -> WorkspaceRow:
    annotated = vars(workspace)
    if workspace.owner_id == viewer.pk:
        role = Role.OWNER.label
    else:
        role = Role(annotated["membership"]).label if annotated["membership"] else "Staff"
    return WorkspaceRow(workspace, role, annotated["unanswered"])


def _url(chosen: dict[str, str], number: int) -> str:
    query = {**chosen, **({"page": str(number)} if number > 1 else {})}
    return reverse("author") + (f"?{urlencode(query)}" if query else "")
