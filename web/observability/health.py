"""Health checks: does the process run, and can it serve?"""

from django.conf import settings
from django.db import Error as DatabaseTrouble
from django.db import connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from web.site.draining import draining
from web.submissions import queries


@require_safe
def healthz(request: HttpRequest) -> JsonResponse:  # noqa: ARG001 - a view takes one
    """Return 200 as long as the process responds."""
    return JsonResponse({"status": "ok"})


@require_safe
def readyz(request: HttpRequest) -> JsonResponse:  # noqa: ARG001 - a view takes one
    """Return 200 if the database responds and is migrated, otherwise 503, also while the server stops."""
    if draining(settings.WARPCOURT):
        return JsonResponse({"status": "draining"}, status=503)
    try:
        connection.ensure_connection()
        oldest_wait_s = round(queries.oldest_wait_s(), 1)
        waiting = queries.count_waiting()
    except DatabaseTrouble:
        return JsonResponse(
            {"status": "unavailable", "database": "not reachable or not migrated"}, status=503
        )
    return JsonResponse({"status": "ok", "waiting_jobs": waiting, "oldest_wait_s": oldest_wait_s})
