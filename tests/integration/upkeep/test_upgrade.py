"""An upgrade while people hand in and workers judge: the version before goes on, before and after.

The version before is real where this clone has its commit; elsewhere it is what its tables looked like, read
and written through the models of that time.
"""

import io
import json
import subprocess
import tarfile
import time
from pathlib import Path

import psycopg
import pytest

from tests.integration.upkeep.site import ROOT, Site

pytestmark = pytest.mark.integration

# The last version before the queues of hardware, contests and drains.
LANDED_COMMIT = "64efed218081ff9393aaa583327a8fd9bfc913cd"
LANDED = {
    "accounts": "0003_privacy",
    "catalog": "0003_tag_and_recount",
    "discussion": "0001_threads",
    "drafts": "0001_drafts",
    "fleet": "0001_initial",
    "leaderboards": "0004_cover_places",
    "staff": "0002_rejudges",
    "submissions": "0005_plurals",
    "tracks": "0001_initial",
}
SUBMISSIONS = 300
# Hands in, claims, judges and reads without end, and says after each round what time it is.
OLD_CODE = """
import itertools, sys, time
from django.core.management import call_command
from django.test import Client
call_command("migrate", verbosity=0)
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
# The same through the models of that time: each insert names the columns of then, each read asks for them.
OLD_MODELS = """
import itertools, json, sys, time
from datetime import timedelta
from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone
landed, many = json.loads(sys.argv[1]), int(sys.argv[2])
executor = MigrationExecutor(connection)
leaves = [node for node in executor.loader.graph.leaf_nodes()
          if not executor.loader.graph.nodes[node].__module__.startswith("web.")]
targets = [*leaves, *landed.items()]
apps = executor.migrate(targets).apps
models = [model for model in apps.get_models() if model._meta.app_label in landed]
model = apps.get_model
learner = model("accounts", "User").objects.create(username="learner")
problem = model("catalog", "Problem").objects.create(
    slug="vector-add", title="t", summary="s", difficulty="easy", version="1", statement="",
    starters={"cuda": ""}, limits={"source_kib": 64},
)
Submission, Job, Event = (model("submissions", name) for name in ("Submission", "Job", "Event"))

def submit(source):
    with transaction.atomic():
        made = Submission.objects.create(user=learner, problem=problem, language="cuda", mode="submit",
                                         source=source, public_id=f"{Submission.objects.count():012}")
        return Job.objects.create(submission=made)

for number in range(many):
    submit(f"// before {number}")
for number in itertools.count():
    job = submit(f"// {number}")
    until = timezone.now() + timedelta(seconds=60)
    taken = Job.objects.filter(pk=job.pk, status="queued")
    assert taken.update(status="leased", worker="old", attempt=1, lease_until=until) == 1
    Event.objects.create(submission_id=job.submission_id, sequence=1, kind="claimed")
    assert Job.objects.filter(pk=job.pk).update(status="queued", lease_until=None, events=1) == 1
    Job.objects.order_by("pk").last().save()
    for each in models:
        list(each.objects.all()[:5])
    print(time.monotonic(), flush=True)
"""
# What the new version makes of it: all that waits is judged, and the counts are those of the reports.
NEW_CODE = """
import json
from datetime import timedelta
from django.utils import timezone
from judge.report import Report
from problems.vocabulary import Verdict
from web.submissions import services
from web.submissions.models import Job, Progress, Report as StoredReport, Submission, Tally
judged = 0
# Whoever judged when the version before was killed has lost its lease.
Job.objects.filter(status="leased").update(lease_until=timezone.now() - timedelta(seconds=1))
services.sweep()
while claim := services.claim("new"):
    judged += services.record(claim, Report(Verdict.ACCEPTED))
def counts():
    progress = Progress.objects.values_list("user", "problem", "runs", "judged", "accepted")
    tallies = Tally.objects.filter(judged__gt=0).values_list("problem", "judged", "accepted", "solvers")
    return sorted(map(repr, progress)), sorted(map(repr, tallies))
before = counts()
services.recount()
print(json.dumps({
    "judged": judged,
    "waiting": Job.objects.exclude(status="done").count(),
    "without": Submission.objects.filter(report__isnull=True).count(),
    "counts": before == counts(),
    "submissions": Submission.objects.count(),
}))
"""


@pytest.fixture(scope="session")
def landed_root(tmp_path_factory: pytest.TempPathFactory) -> Path | None:
    """The files of the version before, None where this clone does not reach back to it."""
    packed = subprocess.run(["git", "archive", LANDED_COMMIT], cwd=ROOT, capture_output=True, check=False)
    if packed.returncode:
        return None
    folder = tmp_path_factory.mktemp("landed")
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as files:
        files.extractall(folder, filter="data")
    return folder


def test_an_upgrade_in_use(new_site, landed_root):
    site = new_site()
    if landed_root:
        before = site.start(OLD_CODE, root=landed_root)
    else:
        before = site.start(OLD_MODELS, json.dumps(LANDED), SUBMISSIONS)
    with before:
        try:
            rounds(before, 1)
            if site.database_url:
                upgrade_held_up(site, before)
            else:
                site.managed("migrate")
            rounds(before, 3)  # the version before goes on with the new tables
        finally:
            before.kill()
    found = site.python(NEW_CODE)
    assert found.pop("submissions") > 4
    assert found.pop("judged") >= (2 if landed_root else SUBMISSIONS)
    assert found == {"waiting": 0, "without": 0, "counts": True}


def rounds(process: subprocess.Popen[str], count: int) -> None:
    """Wait until the version before has ended `count` rounds from now on."""
    now = time.monotonic()
    while count:
        ended = process.stdout.readline()
        assert ended, "the version before failed"
        count -= float(ended) > now


def upgrade_held_up(site: Site, before: subprocess.Popen[str]) -> None:
    """An upgrade that somebody's long transaction holds up, where an earlier attempt left something behind.

    While it waits the version before goes on.
    """
    with psycopg.connect(site.database_url, autocommit=True) as reader:
        with pytest.raises(psycopg.errors.UniqueViolation):
            reader.execute("CREATE UNIQUE INDEX CONCURRENTLY job_leased ON submissions_job (priority)")
        reader.autocommit = False
        reader.execute("SELECT COUNT(*) FROM submissions_job")
        with site.start_manage("migrate") as upgrade:
            said = next((line for line in upgrade.stderr if "in use" in line), None)
            assert said, "the upgrade did not wait"
            rounds(before, 2)
            reader.commit()
            upgrade.stdout.read()
            assert upgrade.wait() == 0, upgrade.stderr.read()
        broken = reader.execute("SELECT indexrelid::regclass FROM pg_index WHERE NOT indisvalid").fetchall()
    assert not broken
