"""Sends the files of Nsight Compute about profiled runs.

They come from sandboxes, and the site never reads them.
"""

from django.http import HttpResponse

from web.submissions.models import ProfileReport

MEDIA_TYPE = "application/octet-stream"


def attached_report(report: ProfileReport, public_id: str) -> HttpResponse:
    """Return the file as a download. Browsers must neither show it nor guess its type."""
    named = f'attachment; filename="{public_id}.ncu-rep"'
    headers = {"Content-Disposition": named, "X-Content-Type-Options": "nosniff"}
    return HttpResponse(report.content, content_type=MEDIA_TYPE, headers=headers)
