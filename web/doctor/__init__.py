"""What the doctor looks at, each finding with its fix: `manage.py doctor`.

Theory of operation. `examine` makes one check after the other, in the order in which faults are mended:
what everything rests on first. A check looks at the real thing, by using it. One whose ground is missing is
left out, since it could only repeat what was found before; one that fails in a way that nobody foresaw says
so, and the others go on. Nothing here changes anything.
"""

from collections.abc import Callable, Iterator

from deploy.audit.finding import Finding, Findings, Level
from web.config import Config
from web.doctor import content, host, services, settings, work

Check = Callable[[Config], Findings]

# What needs no service; what they are; what rests on a database that answers and is migrated.
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


def examine(config: Config, *, judging: bool = False) -> Iterator[Finding]:
    """All findings. `judging` has this host isolate and compile too, as a worker would."""
    for check in _ALONE:
        yield from _careful(check, config)
    sound = True
    for check in _GROUND:
        if not sound:
            break
        for finding in _careful(check, config):
            sound = sound and not finding.stops
            yield finding
    for check in _ABOVE if sound else ():
        yield from _careful(check, config)
    yield from _careful(services.check_address, config)
    if judging:
        yield from _careful(host.check_judging, config)


def _careful(check: Check, config: Config) -> Findings:
    try:
        yield from check(config)
    except Exception as error:  # noqa: BLE001 - the doctor's boundary: one fault must not hide the others
        name = check.__name__.removeprefix("check_")
        said = f"could not be looked at: {type(error).__name__}: {error}"
        yield Finding(name, Level.MISSING, said, "the log of the site may say more; run the doctor again")
