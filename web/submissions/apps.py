"""The submissions app."""

from django.apps import AppConfig


class SubmissionsConfig(AppConfig):
    """Submissions, jobs and reports."""

    name = "web.submissions"
    label = "submissions"
