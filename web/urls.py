"""Every address of the site. Pages belong to their apps; the API is one tree under /api/v1."""

from django.contrib import admin
from django.urls import include, path

from web.api import api, errors, permalinks
from web.api.reference.views import reference
from web.help import views
from web.observability import health
from web.observability.views import metrics
from web.submissions import streams

urlpatterns = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", metrics, name="metrics"),
    path("api/v1/docs", reference, name="api-reference"),
    path("api/v1/", api.urls),
    path("api/v1/<path:rest>", errors.not_found),
    path("admin/", admin.site.urls),
    path("accounts/", include("web.accounts.provider_urls")),
    path("accounts/", include("allauth.urls")),
    path("help", views.help_page, name="help"),
    path("", include("web.practice.urls")),
    path("", include("web.results.urls")),  # this app registers the form of public ids
    path("", include("web.learn.urls")),
    path("submissions/<public_id:public_id>/events", streams.events, name="submission-events"),
    path("s/<public_id:public_id>.json", permalinks.submission_json, name="submission-json"),
    path("", include("web.leaderboards.urls")),
    path("", include("web.fleet.urls")),
    path("", include("web.tracks.urls")),
    path("", include("web.quizzes.urls")),
    path("", include("web.drafts.urls")),
    path("", include("web.hints.urls")),
    path("", include("web.authoring.urls")),
    path("", include("web.profiles.urls")),
    path("", include("web.discussion.urls")),
    path("", include("web.staff.urls")),
    path("", include("web.accounts.urls")),
    path("", include("web.notifications.urls")),
    path("", include("web.privacy.urls")),
]

handler500 = "web.site.error_views.handler500"
