"""Pages and data of replays. For users without access to a submission, neither exists."""

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from problems.vocabulary import Language, Mode
from web.accounts.models import User
from web.results.permalinks import visible_or_404
from web.results.replay_page import may_run, replay_page
from web.submissions import services
from web.submissions.models import Replay


@require_safe
@never_cache
def replay(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show the replay of a run, next to that of another run if `with` names one."""
    submission = visible_or_404(request, public_id)
    page = replay_page(submission, request.user, against=request.GET.get("with", "").strip())
    return render(request, "submissions/replay.html", {"page": page}, status=404 if page.missing else 200)


@require_safe
@never_cache
def replay_data(request: HttpRequest, public_id: str) -> HttpResponse:
    """Return the data of the replay, as `judge.replay.packed` packed it. It is stored gzipped."""
    found = Replay.objects.filter(report__submission=visible_or_404(request, public_id)).first()
    if found is None:
        raise Http404
    response = HttpResponse(bytes(found.packed), content_type="application/octet-stream")
    response["Content-Encoding"] = "gzip"
    return response


@require_POST
@login_required
def run(request: HttpRequest, public_id: str) -> HttpResponse:
    """Run the program of the user's own submission on the sample cases, which records a replay."""
    submission = visible_or_404(request, public_id)
    if not may_run(submission, request.user):
        raise PermissionDenied
    try:
        new = services.submit(
            cast("User", request.user),
            submission.problem,
            language=Language(submission.language),
            source=submission.source,
            mode=Mode.RUN,
        )
    except services.SubmissionRefused as refusal:
        messages.error(request, str(refusal))
        return redirect("submission-replay", public_id)
    return redirect("submission", new.public_id)
