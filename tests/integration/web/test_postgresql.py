"""Runs the tests that query the database on PostgreSQL.

`tests.one_database` says which of them also run on SQLite.
"""

import os
import subprocess
import sys

import pytest

from testing.services import ROOT, postgresql
from tests.integration.web.test_databases import POSTGRES
from tests.migrated import put_migrated_postgresql
from tests.one_database import ON_POSTGRESQL, ONLY_ON_SQLITE

LIMIT_S = 1500


@pytest.mark.integration
@pytest.mark.xdist_group("postgresql")
@pytest.mark.timeout(LIMIT_S + 60)
def test_the_site_holds_on_postgresql():
    """Runs these files on a real PostgreSQL: of their tests those that may ask the database."""
    files = [f"tests/{name}" for name in ON_POSTGRESQL]
    ignored = [f"--ignore=tests/{name}" for name in ONLY_ON_SQLITE]
    plugins = ["-p", "tests.asking_the_database", "-p", "no:cacheprovider", "-p", "no:xdist"]
    with postgresql(put_data=put_migrated_postgresql) as url:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "--maxfail=10", *plugins, *files, *ignored],
            cwd=ROOT,
            env={**os.environ, POSTGRES: url, "PYTEST_ADDOPTS": ""},
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
    assert done.returncode == 0, done.stdout[-5000:]
