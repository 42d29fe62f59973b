"""Quizzes."""

from django.apps import AppConfig


class QuizzesConfig(AppConfig):
    """Registers the app."""

    name = "web.quizzes"
    label = "quizzes"
