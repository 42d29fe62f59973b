"""The parts of the help page that depend on this site: verdicts, limits, versions, exit statuses."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.conf import settings
from django.core.cache import cache

from problems.vocabulary import Language, Verdict
from web.cli import exits
from web.site.verdicts import Badge, all_badges
from web.submissions.models import Report

_NOT_VERSIONS = {"target", "gpu", "gpu_uuid", "problem", "problem_version", "version", "node"}
_LONGEST = 40
_CACHE_KEY = "versions-of-tools"
_KEEP_S = 60


@dataclass(frozen=True, slots=True)
class Versions:
    """The environment that judged the latest program in a language."""

    language: Language
    tools: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class GuidePage:
    """The figures and tables of the page."""

    badges: list[tuple[Verdict, Badge]]
    versions: list[Versions]
    exit_statuses: list[tuple[int, str]]
    in_flight: int
    submits_per_minute: int
    profiles_per_hour: int
    submits_per_day: int
    gpu_seconds_per_day: int
    api_per_minute: int
    site: str


def guide_page(site: str) -> GuidePage:
    """Return the page for the site at the address `site`."""
    config = settings.WARPCOURT
    return GuidePage(
        badges=all_badges(),
        versions=_versions(),
        exit_statuses=[(status, verdict) for verdict, status in exits.BY_VERDICT.items()],
        in_flight=config.max_in_flight,
        submits_per_minute=config.submits_per_minute,
        profiles_per_hour=config.profiles_per_hour,
        submits_per_day=config.submits_per_day,
        gpu_seconds_per_day=config.gpu_seconds_per_day,
        api_per_minute=config.api_per_minute,
        site=site,
    )


def _versions() -> list[Versions]:
    """Return the versions for each language that has been judged, at most _KEEP_S old.

    For a language that is rarely used, the query reads most reports.
    """
    found = cache.get_or_set(_CACHE_KEY, _latest_of_each, _KEEP_S)
    return [Versions(Language(name), tools) for name, tools in found or () if tools]


def _latest_of_each() -> list[tuple[str, dict[str, str]]]:
    return [(language.value, _latest(language)) for language in Language]


def _latest(language: Language) -> dict[str, str]:
    """Return the environment of the latest report, so that the page needs no maintained list of versions.

    Reports of personal nodes are ignored, because their owners can forge them.
    """
    ours = Report.objects.filter(submission__language=language.value, submission__personal_node=False)
    stamps = ours.order_by("-pk")
    stamp = stamps.values_list("body__environment", flat=True).first() or {}
    return {
        name: str(value)
        for name, value in stamp.items()
        if name not in _NOT_VERSIONS and value and len(str(value)) <= _LONGEST
    }
