"""Tests an upgrade while users submit and workers judge: the previous version works before and after it.

The previous version is the current code. The next version is the current code with two more migrations. They
change the most used table as an upgrade may do: they add a column, an index and a check.
"""

import subprocess
import time
from pathlib import Path

import psycopg
import pytest

from tests.integration.upkeep.site import ROOT, Site

pytestmark = pytest.mark.integration

MIGRATIONS = ROOT / "web" / "submissions" / "migrations"
COLUMN = """
from django.db import migrations, models
class Migration(migrations.Migration):
    dependencies = [("submissions", "LAST")]
    operations = [
        migrations.AddField("job", "remark", models.CharField(max_length=20, default="", db_default="")),
    ]
"""
INDEX_AND_CHECK = """
from django.db import migrations, models
from web.site.live_operations import AddCheckLive, AddIndexLive
class Migration(migrations.Migration):
    atomic = False
    dependencies = [("submissions", "9998_column")]
    operations = [
        AddIndexLive("job", models.Index(fields=["worker"], name="job_of_worker")),
        AddCheckLive("job", models.CheckConstraint(
            condition=models.Q(remark=""), name="job_without_remark")),
    ]
"""
# Migrates to the next version, whose migrations are in the folder that is named.
UPGRADE = """
import sys
from django.conf import settings
from django.core.management import call_command
sys.path.insert(0, sys.argv[1])
settings.MIGRATION_MODULES = {"submissions": "next_version"}
call_command("migrate", verbosity=0)
"""
# Hands in, claims, judges and reads without end, and says after each round what time it is.
OLD_CODE = """
import itertools, sys, time
from django.core.management import call_command
from django.test import Client
call_command("loadproblems", stdout=sys.stderr)
from judge.report import Report
from problems.vocabulary import Language, Mode, Verdict
from web.accounts.services import create_user
from web.catalog.models import Problem
from web.submissions import services
learner, problem = create_user("learner", "correct horse battery"), Problem.objects.get(slug="vector-add")
browser = Client(SERVER_NAME="localhost")
browser.force_login(learner)
submitted = dict(language=Language.CUDA, source="// old", mode=Mode.SUBMIT)
waiting = [services.submit(learner, problem, **submitted) for _ in range(2)]
while True:
    for verdict in (Verdict.ACCEPTED, Verdict.WRONG_ANSWER):
        made = services.submit(learner, problem, **submitted)
        claim = services.claim("old")
        services.extend_lease(claim)
        assert services.record(claim, Report(verdict))
    services.cancel(services.submit(learner, problem, **submitted))
    for page in ("/problems", "/submissions", f"/s/{made.public_id}", "/readyz"):
        assert browser.get(page).status_code == 200, page
    print(time.monotonic(), flush=True)
"""
# What the new version makes of it: all that waits is judged, and the counts are those of the reports.
NEW_CODE = """
import json
from datetime import timedelta
from django.db import connection
from django.utils import timezone
from judge.report import Report
from problems.vocabulary import Verdict
from web.submissions import services
from web.submissions.models import Job, Progress, Report as StoredReport, Submission, Tally
judged = 0
# Whoever judged when the version before was killed has lost its lease.
Job.objects.filter(state="leased").update(lease_until=timezone.now() - timedelta(seconds=1))
services.sweep()
while claim := services.claim("new"):
    judged += services.record(claim, Report(Verdict.ACCEPTED))
def counts():
    progress = Progress.objects.values_list("user", "problem", "runs", "judged", "accepted")
    tallies = Tally.objects.filter(judged__gt=0).values_list("problem", "judged", "accepted", "solvers")
    return sorted(map(repr, progress)), sorted(map(repr, tallies))
with connection.cursor() as cursor:
    found = connection.introspection.get_table_description(cursor, Job._meta.db_table)
columns = [column.name for column in found]
before = counts()
services.recount()
print(json.dumps({
    "judged": judged,
    "waiting": Job.objects.exclude(state="done").count(),
    "without": Submission.objects.filter(report__isnull=True).count(),
    "counts": before == counts(),
    "submissions": Submission.objects.count(),
    "columns": "remark" in columns,
}))
"""


@pytest.fixture
def next_version(tmp_path: Path) -> Path:
    """A folder with the migrations of the next version."""
    package = tmp_path / "next_version"
    package.mkdir()
    for migration in MIGRATIONS.glob("*.py"):
        (package / migration.name).symlink_to(migration)
    last = max(path.stem for path in MIGRATIONS.glob("0*.py"))
    (package / "9998_column.py").write_text(COLUMN.replace("LAST", last))
    (package / "9999_index_and_check.py").write_text(INDEX_AND_CHECK)
    return tmp_path


def test_an_upgrade_in_use(new_site, next_version):
    site = new_site(migrated=True)
    with site.start(OLD_CODE) as before:
        try:
            rounds(before, 1)
            if site.database_url:
                upgrade_held_up(site, before, next_version)
            else:
                with site.start(UPGRADE, next_version) as upgrade:
                    assert upgrade.wait(60) == 0
            rounds(before, 3)  # the previous version continues with the new tables
        finally:
            before.kill()
    found = site.python(NEW_CODE)
    assert found.pop("submissions") > 4
    assert found.pop("judged") >= 2
    assert found == {"waiting": 0, "without": 0, "counts": True, "columns": True}


def rounds(process: subprocess.Popen[str], count: int) -> None:
    """Wait until the version before has ended `count` rounds from now on."""
    now = time.monotonic()
    while count:
        ended = process.stdout.readline()
        assert ended, "the version before failed"
        count -= float(ended) > now


def upgrade_held_up(site: Site, before: subprocess.Popen[str], next_version: Path) -> None:
    """An upgrade that a long transaction holds up, where an earlier attempt left something behind.

    While it waits the version before goes on.
    """
    with psycopg.connect(site.database_url, autocommit=True) as reader:
        with pytest.raises(psycopg.errors.UniqueViolation):
            reader.execute("CREATE UNIQUE INDEX CONCURRENTLY job_of_worker ON submissions_job (priority)")
        reader.autocommit = False
        reader.execute("SELECT COUNT(*) FROM submissions_job")
        with site.start(UPGRADE, next_version, stderr=subprocess.PIPE) as upgrade:
            said = next((line for line in upgrade.stderr if "in use" in line), None)
            assert said, "the upgrade did not wait"
            rounds(before, 2)
            reader.commit()
            upgrade.stdout.read()
            assert upgrade.wait() == 0, upgrade.stderr.read()
        broken = reader.execute("SELECT indexrelid::regclass FROM pg_index WHERE NOT indisvalid").fetchall()
    assert not broken
