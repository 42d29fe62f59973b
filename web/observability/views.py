"""`/metrics`, for Prometheus."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from web.observability import prometheus_multiproc
from web.observability.access import REFUSED, may_read
from web.observability.census import Census
from web.observability.exposition import CONTENT_TYPE, expose


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Return the metrics of this web server and of the database. 403 without access."""
    config = settings.WARPCOURT
    allowed = may_read(
        token=config.metrics_token,
        authorization=request.headers.get("Authorization", ""),
        client=request.META.get("REMOTE_ADDR", ""),
        forwarded=config.trusted_proxies > 0
        or not {"X-Forwarded-For", "Forwarded"}.isdisjoint(request.headers),
    )
    if not allowed:
        return HttpResponse(REFUSED, status=403, content_type="text/plain")
    return HttpResponse(expose(prometheus_multiproc.joined(), [Census()]), content_type=CONTENT_TYPE)
