"""Fills a site with problems, users and submissions, to measure its pages at a realistic size.

    python -m benchmarks.site_data --problems 1000 --users 10000 --submissions 1000000

Migrates and fills the database that WARPCOURT_DATABASE_URL or WARPCOURT_DATA_DIR names. It must not contain
submissions yet. `benchmarks.site_rows` describes the generated rows. Serve the site with `uvicorn
web.asgi:application`. `worker.supervise` would load the shipped problems first and withdraw the generated
ones.
"""

import argparse
import sys

import django
from django.conf import settings
from django.core.management import call_command

from web.config import use_settings


def main() -> int:
    """Fill the configured database."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--problems", type=int, default=1000, help="default: %(default)s")
    parser.add_argument("--users", type=int, default=10_000, help="default: %(default)s")
    parser.add_argument("--submissions", type=int, default=1_000_000, help="default: %(default)s")
    parser.add_argument("--seed", type=int, default=1, help="default: %(default)s")
    parser.add_argument("--password", help="the password of all users; by default no user can sign in")
    options = parser.parse_args()
    use_settings()
    # Generating rows during a transaction takes a while, especially on a busy machine.
    chosen = settings.DATABASES["default"]["OPTIONS"]
    if "options" in chosen:
        chosen["options"] += " -c idle_in_transaction_session_timeout=0"
    django.setup()
    call_command("migrate", verbosity=0)
    # Models can be imported only after Django is set up.
    from benchmarks.site_copies import NotFresh  # noqa: PLC0415
    from benchmarks.site_rows import Size, fill  # noqa: PLC0415

    size = Size(options.problems, options.users, options.submissions)
    try:
        fill(size, seed=options.seed, password=options.password, say=lambda line: print(line, flush=True))
    except NotFresh as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
