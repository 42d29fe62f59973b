"""What asks the database is tested on PostgreSQL too, as every test of the site is on SQLite."""

import os
import subprocess
import sys

import pytest

from testing.services import ROOT, postgresql
from tests.integration.web.test_databases import POSTGRES

FILES = (
    "tests/integration/helm/test_queue_query.py",
    "tests/integration/web/test_databases.py",
    "tests/integration/web/test_queues.py",
    "tests/integration/web/test_talk_at_once.py",
    "tests/unit/web",
)
# They ask the database for nothing that others do not ask for.
LEFT_OUT = ("tests/unit/web/access", "tests/unit/web/cli")
LIMIT_S = 1500


@pytest.mark.integration
@pytest.mark.xdist_group("postgresql")
@pytest.mark.timeout(LIMIT_S + 60)
def test_the_site_holds_on_postgresql():
    """Runs these files again, on a real PostgreSQL: of their tests those that may ask the database."""
    ignored = [f"--ignore={folder}" for folder in LEFT_OUT]
    plugins = ["-p", "tests.asking_the_database", "-p", "no:cacheprovider", "-p", "no:xdist"]
    with postgresql() as url:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "--maxfail=10", *plugins, *FILES, *ignored],
            cwd=ROOT,
            env={**os.environ, POSTGRES: url, "PYTEST_ADDOPTS": ""},
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
    assert done.returncode == 0, done.stdout[-5000:]
