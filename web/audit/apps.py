"""The audit log."""

from django.apps import AppConfig


class AuditConfig(AppConfig):
    """Registers the app."""

    name = "web.audit"
    label = "audit"
