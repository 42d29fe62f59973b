"""The admin page about limits. Staff set them at /staff/quotas."""

from django.contrib import admin

from web.audit.audited import RecordAdmin
from web.quotas.models import Quota


@admin.register(Quota)
class QuotaAdmin(RecordAdmin[Quota]):
    """Limits of GPU time."""

    list_display = ["owner", "gpu_s_per_day", "created"]
    list_select_related = ["user", "group", "node"]
    search_fields = ["=user__username", "=group__name", "=node__name"]
