"""Submissions as JSON under their permanent address, as in the API, for users who may see the page."""

from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from ninja.responses import NinjaJSONEncoder

from web.api.submissions import serialise
from web.results.permalinks import visible_or_404


@require_safe
@never_cache
def submission_json(request: HttpRequest, public_id: str) -> JsonResponse:
    """Return the answer of `GET /api/v1/submissions/ID` for the signed-in user."""
    shown = serialise(visible_or_404(request, public_id), request)
    return JsonResponse(shown, encoder=NinjaJSONEncoder)
