"""Staff pages about leaderboards: their stored rows, and baselines to remove."""

from django.contrib import admin

from web.audit.audited import RecordAdmin, RemovableAdmin
from web.audit.models import AuditKind
from web.leaderboards.models import Baseline, Place, Ranking
from web.submissions.models import Best, BestByChecker


@admin.register(Best)
class BestAdmin(RecordAdmin[Best]):
    """Bests. `manage.py recount` rebuilds them from the reports."""

    list_display = ["problem", "user", "language", "gpu_model", "score_us", "current", "record", "handed_in"]
    list_filter = ["current", "record", "language"]
    list_select_related = ["problem", "user"]
    search_fields = ["=problem__slug", "=user__username"]


@admin.register(BestByChecker)
class BestByCheckerAdmin(RecordAdmin[BestByChecker]):
    """Bests by checker. `manage.py recount` rebuilds them from the reports."""

    list_display = [
        *("problem", "user", "language", "gpu_model", "checker_score", "lowest", "highest", "latest"),
        "handed_in",
    ]
    list_filter = ["lowest", "highest", "latest", "language"]
    list_select_related = ["problem", "user"]
    search_fields = ["=problem__slug", "=user__username"]


@admin.register(Baseline)
class BaselineAdmin(RemovableAdmin[Baseline]):
    """Baselines."""

    list_display = ["problem", "label", "kind", "submission", "created"]
    list_filter = ["kind"]
    list_select_related = ["problem", "submission"]
    search_fields = ["label", "=problem__slug"]

    def kind_of_deletion(self) -> AuditKind:
        """Remove the baseline."""
        return AuditKind.BASELINE_REMOVE


@admin.register(Ranking)
class RankingAdmin(RecordAdmin[Ranking]):
    """Overall rankings. The sweepers rebuild them from the bests."""

    list_display = ["gpu_model", "track", "people", "refreshed"]
    list_select_related = ["track"]
    search_fields = ["gpu_model"]


@admin.register(Place)
class PlaceAdmin(RecordAdmin[Place]):
    """Places in rankings."""

    list_display = ["ranking", "rank", "user", "points", "problems", "full"]
    list_select_related = ["ranking", "user"]
    search_fields = ["=user__username"]
