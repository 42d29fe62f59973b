"""Checks of what the site holds: problems, people, backups."""

from datetime import timedelta

from deploy.audit.finding import Finding, Findings, Level, ok_if
from problems.loader import load_sound
from web.accounts.models import User
from web.catalog.models import Problem
from web.config import Config
from web.packages.models import Origin
from web.upkeep.queries import backup_age_s, last_backup

_LOAD = "warpcourt-admin loadproblems"


def check_problems(config: Config) -> Findings:
    """The packages are sound, and the catalogue says what they say."""
    packages, faults = load_sound(config.problems_dir)
    for fault in faults[:5]:
        yield Finding("problems", Level.WEAK, fault, f"mend the package, or remove it, then: {_LOAD}")
    stored = dict(Problem.objects.values_list("slug", "version"))
    authored = set(Problem.objects.filter(package__origin=Origin.AUTHOR).values_list("slug", flat=True))
    stale = [
        package.slug
        for package in packages
        if package.slug not in authored and stored.get(package.slug) != package.version
    ]
    if not packages:
        fix = f"WARPCOURT_PROBLEMS_DIR ({config.problems_dir}) has to name the folder of the packages"
        yield Finding("problems", Level.MISSING, "there are none", fix)
    else:
        found = (
            f"{len(stale)} not loaded as they are: {', '.join(stale[:3])}" if stale else f"{len(packages)}"
        )
        yield Finding("problems", ok_if(not stale, Level.WEAK), found, _LOAD)


def check_people(_config: Config) -> Findings:
    """Somebody may run the site."""
    there = User.objects.filter(is_superuser=True, is_active=True).exists()
    yield Finding(
        "staff",
        ok_if(there, Level.WEAK),
        "somebody may run the site" if there else "nobody may run the site",
        "warpcourt-admin createsuperuser",
    )


def check_backups(config: Config) -> Findings:
    """There is a backup that is young enough."""
    if not config.backup_max_age_h:
        return
    age_s, latest = backup_age_s(), last_backup()
    good = age_s is not None and age_s <= config.backup_max_age_h * 3600
    found = "there is none" if age_s is None else f"the latest is {_age_text(timedelta(seconds=age_s))} old"
    fix = "warpcourt-admin backup FILE, every night, and a copy on another host"
    yield Finding("backup", ok_if(good and latest is not None, Level.WEAK), found, fix)


def _age_text(age: timedelta) -> str:
    hours = int(age.total_seconds() // 3600)
    return f"{hours // 24} days" if hours >= 48 else f"{hours} hours"
