"""The tab of members: their roles, and actions on the whole problem."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods, require_POST

from web.accounts.models import User
from web.authoring import queries, rights
from web.authoring.forms.people import ROLE_WORDS, MemberForm
from web.authoring.models import Role, Workspace
from web.authoring.pages import tab_context
from web.authoring.permissions import in_workspace, person
from web.authoring.services import members
from web.site.asking import Question, ask
from web.site.paging import first_rows


@require_http_methods(["GET", "HEAD", "POST"])
@in_workspace(write=rights.SHARE)
def people(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """List the members by name. POST adds a member, or changes a role."""
    form = MemberForm(request.POST or None, initial={"role": Role.EDITOR})
    if request.method == "POST" and form.is_valid():
        them, role = form.cleaned_data["person"], Role(form.cleaned_data["role"])
        withdrawn = role != Role.OWNER and queries.is_offered(them, workspace)
        try:
            members.set_role(workspace, person(request), them, role)
        except members.MemberRefused as refusal:
            form.add_error(None, str(refusal))
        else:
            told = _told(workspace, them, role)
            messages.success(request, f"You withdrew the offer. {told}" if withdrawn else told)
            return _back(request, workspace)
    after = request.GET.get("after", "").replace("\0", "")  # PostgreSQL does not accept it
    rows, more = first_rows(queries.list_members(workspace, after=after))
    context = tab_context(
        request,
        workspace,
        "people",
        form=form,
        rows=rows,
        after=after,
        following=f"?{urlencode({'after': rows[-1].user.username})}" if more else "",
        offered=queries.is_offered(request.user, workspace),
        roles=[(role, ROLE_WORDS[role]) for role in Role],
        may_share=request.user.has_perm(rights.SHARE, workspace),
        may_create=request.user.has_perm(rights.CREATE),
    )
    return render(request, "authoring/people.html", context, status=422 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@in_workspace(write=rights.VIEW)
def remove(request: HttpRequest, workspace: Workspace, username: str) -> HttpResponse:
    """Remove a member, after a confirmation.

    Members may remove themselves. Users who may share the problem may remove others.
    """
    by = person(request)
    if "\0" in username:  # PostgreSQL does not accept it
        raise Http404("User not found.")
    found = get_object_or_404(User, username=username)
    allowed = found == by or by.has_perm(rights.SHARE, workspace)
    if not allowed or queries.role_of(found, workspace) is None:
        raise Http404("This user has no access to the problem.")
    if request.method != "POST":
        return ask(request, _removing(workspace, by, found))
    try:
        members.remove(workspace, by, found)
    except members.MemberRefused as refusal:
        messages.error(request, str(refusal))
    else:
        who = "You no longer have" if found == by else f"{found} no longer has"
        messages.success(request, f"{who} access to {workspace.slug}.")
    return _back(request, workspace)


@require_POST
@in_workspace(write=rights.VIEW)
def ownership(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Accept or decline the ownership that is offered to the user. `answer` is `accept` or `decline`."""
    by = person(request)
    if request.POST.get("answer") != "accept":
        if members.decline(workspace, by):
            messages.success(request, f"You declined the ownership of {workspace.slug}.")
        return _back(request, workspace)
    try:
        members.accept(workspace, by)
    except members.MemberRefused as refusal:
        messages.error(request, str(refusal))
    else:
        messages.success(request, f"You are the owner of {workspace.slug}.")
    return _back(request, workspace)


def _back(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Redirect to this tab, or to the list if the user may no longer see the problem."""
    still = person(request).has_perm(rights.VIEW, workspace)
    return redirect("author-people", workspace.slug) if still else redirect("author")


def _removing(workspace: Workspace, by: User, found: User) -> Question:
    slug, offered = workspace.slug, queries.is_offered(found, workspace)
    if found == by:
        text, action = "Leave this problem?", "Leave problem"
        lost = "You lose access to its files, history and comments at once."
        declined = " You also decline the ownership that is offered to you." if offered else ""
        again = "Only the owner and staff can add you again."
    else:
        text, action = f"Remove {found} from this problem?", "Remove member"
        lost = "The user loses access to its files, history and comments at once."
        declined = " This also withdraws the offer of the ownership." if offered else ""
        again = "Revisions and comments of the user stay. You can add the user again."
    effect = f"{lost}{declined} {again}"
    return Question(text, effect, action, workspace.title or slug, reverse("author-people", args=[slug]))


def _told(workspace: Workspace, them: User, role: Role) -> str:
    if role == Role.OWNER and workspace.owner != them:
        return f"You offered the ownership to {them}, who gets a notification and can accept or decline."
    return f"{them} is {members.with_article(role)}."
