"""Checks of the site's contents: problems, administrators and backups."""

from datetime import timedelta

from deploy.audit.finding import Finding, Findings, Level, ok_if
from problems.loader import load_sound
from web.accounts.models import User
from web.catalog.models import Problem
from web.config import Config
from web.packages.models import Origin
from web.upkeep.queries import backup_age_s, last_backup

_LOAD = "warpcourt-admin loadproblems"
_MOST_FAULTS = 5


def check_problems(config: Config) -> Findings:
    """The packages are valid and loaded in their current version."""
    packages, faults = load_sound(config.problems_dir)
    for fault in faults[:_MOST_FAULTS]:
        yield Finding("problems", Level.WEAK, fault, f"fix the package or remove it, then run: {_LOAD}")
    if len(faults) > _MOST_FAULTS:
        more = f"{len(faults) - _MOST_FAULTS} further faults in packages"
        yield Finding("problems", Level.WEAK, more, "fix these first")
    stored = dict(Problem.objects.values_list("slug", "version"))
    authored = set(Problem.objects.filter(package__origin=Origin.AUTHOR).values_list("slug", flat=True))
    stale = [
        package.slug
        for package in packages
        if package.slug not in authored and stored.get(package.slug) != package.version
    ]
    if not packages:
        fix = f"set WARPCOURT_PROBLEMS_DIR to the folder of the problem packages; it is {config.problems_dir}"
        yield Finding("problems", Level.MISSING, "none found", fix)
    else:
        found = (
            f"{len(stale)} of {len(packages)} packages need loading: {', '.join(stale[:3])}"
            if stale
            else f"{len(packages)} packages, loaded in their current version"
        )
        yield Finding("problems", ok_if(not stale, Level.WEAK), found, f"run {_LOAD}")


def check_people(_config: Config) -> Findings:
    """The site has an active superuser."""
    there = User.objects.filter(is_superuser=True, is_active=True).exists()
    yield Finding(
        "staff",
        ok_if(there, Level.WEAK),
        "the site has an administrator" if there else "the site has no administrator",
        "run warpcourt-admin createsuperuser",
    )


def check_backups(config: Config) -> Findings:
    """The latest backup is recent enough."""
    if not config.backup_max_age_h:
        return
    age_s, latest = backup_age_s(), last_backup()
    good = age_s is not None and age_s <= config.backup_max_age_h * 3600
    found = (
        "no backup found"
        if age_s is None
        else f"the latest backup is {_age_text(timedelta(seconds=age_s))} old"
    )
    fix = "run warpcourt-admin backup every night, and keep a copy on another host"
    yield Finding("backup", ok_if(good and latest is not None, Level.WEAK), found, fix)


def _age_text(age: timedelta) -> str:
    hours = int(age.total_seconds() // 3600)
    return f"{hours // 24} days" if hours >= 48 else f"{hours} hours"
