"""The tab of publishing: release notes, versions, and previews of a version before it goes live."""

from typing import cast

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from web.authoring import rights, versions
from web.authoring.differing import differences
from web.authoring.forms.runs import PublishForm
from web.authoring.models import Workspace
from web.authoring.pages import tab_context
from web.authoring.permissions import in_workspace, person
from web.authoring.ranks import rank_changes, ranks_known
from web.authoring.saving import expected_revision
from web.authoring.services import publishing as services
from web.packages.models import PackageVersion
from web.packages.queries import live_version
from web.rejudges import pages as rejudge_pages
from web.rejudges import rejudging
from web.rejudges.models import Rejudge
from web.site import cursors
from web.site.asking import Question, ask
from web.site.htmx_request import PageRequest

_form = require_http_methods(["GET", "HEAD", "POST"])


@_form
@in_workspace(write=rights.PUBLISH)
def publish(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Show what would be published, and publish it."""
    form = PublishForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        if expected_revision(request) != workspace.revision:
            messages.error(
                request,
                "The files changed after you opened this page. Review the changes, then publish again.",
            )
            return redirect("author-publish", workspace.slug)
        try:
            return _publish(request, workspace, form.cleaned_data["note"])
        except services.PublishingRefused as refusal:
            messages.error(request, str(refusal))
            return redirect("author-publish", workspace.slug)
    page = versions.publishing(
        workspace,
        request.user,
        before=cursors.decode_key(request.GET.get("before", "")),
        archived_before=cursors.decode_key(request.GET.get("archived", "")),
    )
    context = tab_context(
        request,
        workspace,
        "publish",
        page=page,
        form=form,
        may_publish=request.user.has_perm(rights.PUBLISH, workspace),
        may_withdraw=request.user.has_perm(rights.WITHDRAW, workspace),
        open_rejudge=services.open_rejudge(page.frozen) if page.frozen else None,
        rejudges=_rejudges(request, workspace),
        differences=page.differences,
    )
    return render(request, "authoring/publish.html", context)


@require_safe
@in_workspace()
def version(request: HttpRequest, workspace: Workspace, number: int) -> HttpResponse:
    """Show the changes in a version since the previous one, or since the version in `?against=`."""
    found = _version_or_404(request, workspace, number)
    asked = request.GET.get("against", "")
    known = asked.isdecimal() and len(asked) < 9
    against = versions.version_of(workspace, request.user, int(asked)) if known else None
    if against is None:
        against = versions.version_of(workspace, request.user, number - 1)
    old = versions.files_of(against) if against else {}
    live = live_version(workspace.slug)
    context = tab_context(
        request,
        workspace,
        "publish",
        version=found,
        against=against,
        is_live=live == found,
        judged_parts=versions.judged_parts(against, found) if against else (),
        differences=differences(old, versions.files_of(found)),
        may_publish=request.user.has_perm(rights.PUBLISH, workspace),
        may_withdraw=request.user.has_perm(rights.WITHDRAW, workspace),
        open_rejudge=services.open_rejudge(found),
        affected=services.affected(found).count(),
    )
    return render(request, "authoring/version.html", context)


@require_POST
@in_workspace(write=rights.PUBLISH)
def go_live(request: HttpRequest, workspace: Workspace, number: int) -> HttpResponse:
    """Make a frozen version live, either at once or after a preview."""
    found = _version_or_404(request, workspace, number)
    try:
        if request.POST.get("how") == "preview":
            return _preview(request, workspace, found)
        services.go_live(workspace, found, person(request))
    except services.PublishingRefused as refusal:
        messages.error(request, str(refusal))
        return redirect("author-version", workspace.slug, number)
    messages.success(request, f"Version {number} is live.")
    return redirect("author-publish", workspace.slug)


@require_POST
@in_workspace(write=rights.WITHDRAW)
def version_archive(request: HttpRequest, workspace: Workspace, number: int) -> HttpResponse:
    """Archive or unarchive a version. Its verdicts stay."""
    found = _version_or_404(request, workspace, number)
    try:
        services.archive(workspace, found, person(request), archived=not found.archived)
    except services.PublishingRefused as refusal:
        messages.error(request, str(refusal))
    return redirect("author-version", workspace.slug, number)


@_form
@in_workspace(read=rights.WITHDRAW, write=rights.WITHDRAW)
def withdraw(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Hide the published problem from learners after a confirmation, or show it again."""
    if request.method != "POST":
        question = Question(
            "Withdraw this problem?",
            "Learners will no longer see the problem, its leaderboards and its discussion. "
            "They keep their submissions. You can restore the problem at any time.",
            "Withdraw problem",
            workspace.title or workspace.slug,
            reverse("author-publish", args=[workspace.slug]),
            sent={"how": "withdraw"},
        )
        return ask(request, question)
    again = request.POST.get("how") == "show"
    try:
        done = (services.show_again if again else services.withdraw)(workspace, person(request))
    except services.PublishingRefused as refusal:
        messages.error(request, str(refusal))
        return redirect("author-publish", workspace.slug)
    if done:
        messages.success(
            request,
            "Problem restored. Learners can see it again."
            if again
            else "Problem withdrawn. Learners can no longer see it.",
        )
    return redirect("author-publish", workspace.slug)


@require_POST
@in_workspace(write=rights.WITHDRAW)
def personal_nodes(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Allow or forbid runs on personal nodes."""
    allowed = request.POST.get("how") == "allow"
    try:
        services.allow_personal_nodes(workspace, person(request), allowed=allowed)
    except services.PublishingRefused as refusal:
        messages.error(request, str(refusal))
    else:
        messages.success(request, f"Runs on personal nodes are {'allowed' if allowed else 'forbidden'}.")
    return redirect("author-publish", workspace.slug)


@require_safe
@in_workspace(read=rights.PUBLISH)
def rejudge(request: HttpRequest, workspace: Workspace, pk: int) -> HttpResponse:
    """Show the results of a preview. htmx gets the part that changes."""
    found = _rejudge_or_404(request, workspace, pk)
    page = rejudge_pages.rejudge_page(found, request.GET.get("change", ""), request.GET.get("after", ""))
    context = {
        "workspace": workspace,
        "page": page,
        "rejudge": found,
        "ranks": rank_changes(found) if ranks_known(found) else None,
        "overtaken": services.overtaken_by(found),
    }
    htmx = cast("PageRequest", request).htmx
    return render(request, "authoring/rejudge_state.html" if htmx else "authoring/rejudge.html", context)


@_form
@in_workspace(read=rights.PUBLISH, write=rights.PUBLISH)
def rejudge_apply(request: HttpRequest, workspace: Workspace, pk: int) -> HttpResponse:
    """Make the version live and its verdicts visible, after a confirmation."""
    found = _rejudge_or_404(request, workspace, pk)
    if request.method != "POST":
        changed = rejudge_pages.rows([found])[0].progress.verdicts
        question = Question(
            f"Make {found.package} live?",
            f"Learners see the version and its verdicts at once. Changed verdicts: {changed}. "
            "You can't restore the old ones.",
            "Apply",
            found.reason,
            reverse("author-rejudge", args=[workspace.slug, pk]),
            dangerous=False,
        )
        return ask(request, question)
    try:
        applied = services.apply(workspace, found, person(request))
    except services.PublishingRefused as refusal:
        messages.error(request, str(refusal))
        return redirect("author-rejudge", workspace.slug, pk)
    if applied:
        messages.success(request, f"{str(found.package).capitalize()} is live, with its verdicts.")
    else:
        messages.error(request, "This preview is not ready, or was already applied or discarded.")
    return redirect("author-rejudge", workspace.slug, pk)


@_form
@in_workspace(read=rights.PUBLISH, write=rights.PUBLISH)
def rejudge_discard(request: HttpRequest, workspace: Workspace, pk: int) -> HttpResponse:
    """Discard a preview, after a confirmation. The live version and all verdicts stay."""
    found = _rejudge_or_404(request, workspace, pk)
    if request.method != "POST":
        question = Question(
            "Discard this preview?",
            "This deletes its results. All verdicts stay, and the version stays frozen.",
            "Discard",
            found.reason,
            reverse("author-rejudge", args=[workspace.slug, pk]),
        )
        return ask(request, question)
    if not rejudging.discard(found, person(request)):
        messages.error(request, "This preview is not ready, or was already applied or discarded.")
    return redirect("author-rejudge", workspace.slug, pk)


@require_POST
@in_workspace(write=rights.PUBLISH)
def rejudge_cancel(request: HttpRequest, workspace: Workspace, pk: int) -> HttpResponse:
    """Cancel a running preview."""
    if not rejudging.cancel(_rejudge_or_404(request, workspace, pk), person(request)):
        messages.error(request, "This preview is no longer running.")
    return redirect("author-rejudge", workspace.slug, pk)


def _publish(request: HttpRequest, workspace: Workspace, note: str) -> HttpResponse:
    if request.POST.get("how") == "preview":
        frozen = services.freeze(workspace, person(request), note=note)
        return _preview(request, workspace, frozen)
    made = services.publish(workspace, person(request), note=note)
    messages.success(request, f"Version {made.number} is live.")
    return redirect("author-publish", workspace.slug)


def _preview(request: HttpRequest, workspace: Workspace, version: PackageVersion) -> HttpResponse:
    """Start a preview and redirect to it, or redirect to a preview that is already open."""
    rejudge = services.open_rejudge(version) or services.preview(workspace, version, person(request))
    return redirect("author-rejudge", workspace.slug, rejudge.pk)


def _version_or_404(request: HttpRequest, workspace: Workspace, number: int) -> PackageVersion:
    found = versions.version_of(workspace, request.user, number)
    if found is None:
        raise Http404("Version not found.")
    return found


def _rejudges(request: HttpRequest, workspace: Workspace) -> list[rejudge_pages.RejudgeRow]:
    return rejudge_pages.rows(list(services.previews(workspace, person(request))[:10]))


def _rejudge_or_404(request: HttpRequest, workspace: Workspace, pk: int) -> Rejudge:
    found = services.previews(workspace, person(request)).filter(pk=pk).first()
    if found is None:
        raise Http404("Preview not found.")
    return found
