"""The sweeper as a process of its own: `python -m worker.sweep`.

Theory of operation. Every worker sweeps, so most sites need no other sweeper. Run this one if workers come
and go, as on hosts that are stopped at night. Even if no worker runs, it ends or queues the jobs of lost
workers, continues rejudges and deletions of accounts, and refreshes the overall ranking. Any number of
sweepers do no harm (see `worker.sweeper`).

It lives until SIGTERM. `/readyz` on the metrics port tells a supervisor if it no longer sweeps.
"""

import argparse
import signal
import sys

import django
from django.conf import settings

from web.config import use_settings
from web.setting import ConfigError


def main(argv: list[str] | None = None) -> int:
    """Sweep until SIGTERM or Ctrl-C."""
    argparse.ArgumentParser(prog="python -m worker.sweep", description=main.__doc__).parse_args(argv)
    use_settings()
    try:
        django.setup()
    except ConfigError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    from worker.probes import Probes  # noqa: PLC0415 - needs Django's settings
    from worker.sweeper import Sweeper  # noqa: PLC0415 - as above

    config = settings.WARPCOURT
    sweeper = Sweeper(config.sweep_s)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sweeper.stop())
    probes = Probes(
        config.metrics_host,
        config.metrics_port,
        token=config.metrics_token,
        folder=None,
        trouble=lambda: sweeper.trouble,
    )
    probes.start()
    sweeper.run()
    probes.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
