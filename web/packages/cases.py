"""The cases of a version of a problem. They never change, so each process reads a version once."""

from functools import lru_cache

import structlog

from judge.cases import select_cases
from problems.faults import PackageInvalid
from problems.loader import load_problem
from problems.schema import Case
from problems.vocabulary import Mode
from web.packages.folders import PackageDamaged, unpacked
from web.packages.models import PackageVersion

log = structlog.get_logger(__name__)


def judged_cases(version: PackageVersion, slug: str, mode: Mode, *, ranked: bool) -> tuple[Case, ...]:
    """Return the cases on which `version` of the problem `slug` judges a program; none if it cannot be read.

    `ranked` includes the timed cases.
    """
    try:
        return _cases(version.content_hash, slug, mode, ranked)
    except (OSError, PackageDamaged, PackageInvalid):
        log.exception("cases_unreadable", problem=slug)
        return ()


@lru_cache(maxsize=256)
def _cases(content_hash: str, slug: str, mode: Mode, ranked: bool) -> tuple[Case, ...]:
    versions = PackageVersion.objects.defer("archive")
    version = versions.get(problem__slug=slug, content_hash=content_hash)
    problem = load_problem(unpacked(version, slug))
    return select_cases(problem, mode, None, ranked=ranked)
