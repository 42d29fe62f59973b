"""Read-only admin pages about quizzes."""

from django.contrib import admin

from web.audit.audited import RecordAdmin
from web.quizzes.models import Attempt, Quiz, Sitting


@admin.register(Quiz)
class QuizAdmin(RecordAdmin[Quiz]):
    """Quizzes."""

    list_display = ["title", "track_day", "questions", "published", "from_files", "live"]
    search_fields = ["=slug"]


@admin.register(Attempt)
class AttemptAdmin(RecordAdmin[Attempt]):
    """Attempts at quizzes."""

    list_display = ["quiz", "user", "draw", "right", "questions", "passed", "late", "created"]
    list_select_related = ["quiz", "user"]
    search_fields = ["=user__username", "=quiz__slug"]


@admin.register(Sitting)
class SittingAdmin(RecordAdmin[Sitting]):
    """Starts of quizzes with a time limit."""

    list_display = ["quiz", "user", "draw", "started"]
    list_select_related = ["quiz", "user"]
    search_fields = ["=user__username", "=quiz__slug"]
