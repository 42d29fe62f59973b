"""The checks of `manage.py doctor`. Each finding has a fix.

Theory of operation. `examine` runs the checks one after the other, in the order in which an administrator
fixes faults: prerequisites first. A check uses the real service. `examine` skips checks whose prerequisite
failed, because they would only repeat the same finding. If a check raises an unexpected exception, that is
a finding too, and the other checks still run. No check changes anything.
"""

from collections.abc import Callable, Iterator

from deploy.audit.finding import Finding, Findings, Level
from web.config import Config
from web.doctor import content, host, production, services, settings, work

Check = Callable[[Config], Findings]

# Checks without services; of the database; and those that need a migrated database.
_ALONE: tuple[Check, ...] = (settings.check_settings, host.check_space, services.check_broker)
_GROUND: tuple[Check, ...] = (services.check_database, services.check_migrations)
_ABOVE: tuple[Check, ...] = (
    services.check_clock,
    content.check_problems,
    content.check_people,
    content.check_backups,
    work.check_workers,
    work.check_gpus,
    work.check_queues,
    work.check_sweeps,
)
# Checks of a site in production: without services, and of a migrated database.
_PRODUCTION_ALONE: tuple[Check, ...] = (production.check_production_settings,)
_PRODUCTION_ABOVE: tuple[Check, ...] = (production.check_vendor, production.check_second_factors)


def examine(config: Config, *, judging: bool = False, for_production: bool = False) -> Iterator[Finding]:
    """All findings. `judging` also isolates and compiles a program on this host, as a worker would.

    `for_production` adds the checks of the checklist for production.
    """
    for check in (*_ALONE, *(_PRODUCTION_ALONE if for_production else ())):
        yield from _careful(check, config)
    sound = True
    for check in _GROUND:
        if not sound:
            break
        for finding in _careful(check, config):
            sound = sound and not finding.stops
            yield finding
    above = (*_ABOVE, *(_PRODUCTION_ABOVE if for_production else ()))
    for check in above if sound else ():
        yield from _careful(check, config)
    yield from _careful(services.check_address, config)
    if judging:
        yield from _careful(host.check_judging, config)


def _careful(check: Check, config: Config) -> Findings:
    try:
        yield from check(config)
    except Exception as error:  # noqa: BLE001 - the doctor's boundary: one fault must not hide the others
        name = check.__name__.removeprefix("check_")
        said = f"the check failed: {type(error).__name__}: {error}"
        yield Finding(name, Level.MISSING, said, "see the log of the site, then run the doctor again")
