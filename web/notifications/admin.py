"""Read-only admin pages about notifications."""

from django.contrib import admin

from web.audit.audited import RecordAdmin
from web.notifications.models import MailChoice, Notification, OutgoingMail


@admin.register(Notification)
class NotificationAdmin(RecordAdmin[Notification]):
    """Notifications."""

    list_display = ["kind", "user", "subject", "created", "read"]
    list_filter = ["kind"]
    list_select_related = ["user"]
    search_fields = ["=user__username"]


@admin.register(OutgoingMail)
class OutgoingMailAdmin(RecordAdmin[OutgoingMail]):
    """Emails that wait to be sent."""

    list_display = ["notification", "due", "tries"]
    list_select_related = ["notification"]


@admin.register(MailChoice)
class MailChoiceAdmin(RecordAdmin[MailChoice]):
    """Choices of users about emails."""

    list_display = ["user", "kind", "by_mail"]
    list_select_related = ["user"]
    search_fields = ["=user__username"]
