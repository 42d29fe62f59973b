"""Celery workers and the supervisor. No logic of judging lives here: a task claims, evaluates, records."""
