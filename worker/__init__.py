"""Celery workers and the supervisor. No judging logic lives here: a task claims, evaluates and records."""
