"""Download of a version."""

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from problems.archive import MEDIA_TYPE, SUFFIX
from web.authoring.version_rights import may_read
from web.packages import queries


@require_safe
@never_cache
def download(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Return the files of a version as a ZIP file. Answer 404 to users who may not read it."""
    version = queries.find_version(slug, number)
    if version is None or not may_read(request.user, version):
        raise Http404("Version not found.")
    name = f"{slug}-{number}{SUFFIX}"
    return HttpResponse(
        queries.read_archive(version),
        content_type=MEDIA_TYPE,
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )
