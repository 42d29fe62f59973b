"""Addresses of submissions."""

from django.urls import path, register_converter

from web.results import permalinks, replay_views, views
from web.submissions.models import PUBLIC_ID_CHARACTERS


class PublicIdConverter:
    """Matches possible public ids. The database is not asked about any other address."""

    regex = f"[0-9A-Za-z]{{1,{PUBLIC_ID_CHARACTERS}}}"

    def to_python(self, value: str) -> str:
        """Return the id in the form of the address."""
        return value

    def to_url(self, value: str) -> str:
        """Return the id in the form of the database."""
        return value


register_converter(PublicIdConverter, "public_id")

urlpatterns = [
    path("problems/<slug:slug>/submissions", views.create, name="submission-create"),
    path("submissions", views.submission_list, name="submissions"),
    path("s/<public_id:public_id>", permalinks.detail, name="submission"),
    path("s/<public_id:public_id>.svg", permalinks.picture, name="submission-picture"),
    path("s/<public_id:public_id>/diff", permalinks.diff, name="submission-diff"),
    path("s/<public_id:public_id>/replay", replay_views.replay, name="submission-replay"),
    path("s/<public_id:public_id>/replay.bin", replay_views.replay_data, name="submission-replay-data"),
    path("s/<public_id:public_id>/replay/run", replay_views.run, name="submission-replay-run"),
    path("s/<public_id:public_id>/profile.ncu-rep", permalinks.profile_report, name="submission-profile"),
    path("s/<public_id:public_id>/share", permalinks.share, name="submission-share"),
    path("s/<public_id:public_id>/report", views.report, name="submission-report"),
    path(
        "s/<public_id:public_id>/listings/<slug:kind>.txt", views.listing_text, name="submission-listing-text"
    ),
    path("s/<public_id:public_id>/listings/<slug:kind>", views.listing, name="submission-listing"),
    path("s/<public_id:public_id>/assembly/<slug:kind>", views.assembly, name="submission-assembly"),
    path("s/<public_id:public_id>/rejudge", views.rejudge, name="submission-rejudge"),
    path("s/<public_id:public_id>/cancel", views.cancel, name="submission-cancel"),
]
