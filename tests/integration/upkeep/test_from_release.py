"""Tests the upgrade from the last release and the way back, with rows and writes of the release.

`benchmarks.upgrade_rehearsal` rehearses it with the programs of the release.
"""

from typing import Any

import pytest

from tests.integration.upkeep.site import Site

pytestmark = pytest.mark.integration

# Makes the tables of version 0.2.0 with one row of each kind that is in use, migrates, and writes again what
# the release writes: with its columns only.
PROGRAM = """
import json
from django.core.management import call_command
from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

LAST = {
    "catalog": "0002_live_version", "accounts": "0001_initial", "audit": "0001_initial",
    "authoring": "0001_initial", "discussion": "0001_initial", "drafts": "0001_initial",
    "fleet": "0001_initial", "importing": "0001_initial", "leaderboards": "0001_initial",
    "packages": "0001_initial", "rejudges": "0001_initial", "submissions": "0001_initial",
    "tracks": "0001_initial", "upkeep": "0001_initial",
}
executor = MigrationExecutor(connection)
state = executor.migrate([*LAST.items()])
release = executor.loader.project_state([*LAST.items()]).apps

def write(number):
    user = release.get_model("accounts", "User").objects.create(username=f"user-{number}")
    problem = release.get_model("catalog", "Problem").objects.create(
        slug=f"problem-{number}", version="1", difficulty="easy")
    node = release.get_model("fleet", "Node").objects.create(name=f"node-{number}")
    release.get_model("fleet", "Worker").objects.create(node=node, name="w", instance=str(number))
    made = release.get_model("submissions", "Submission").objects.create(
        public_id=f"id{number}", user=user, problem=problem, version="1", language="cuda", mode="run",
        source="x")
    job = release.get_model("submissions", "Job").objects.create(submission=made, user=user)
    release.get_model("submissions", "Job").objects.filter(pk=job.pk).update(
        state="leased", attempt=1, lease_until=timezone.now())
    release.get_model("submissions", "Report").objects.create(
        submission=made, attempt=1, verdict="accepted", body={"verdict": "accepted"})
    release.get_model("accounts", "ApiToken").objects.create(
        user=user, name="t", prefix="p", digest=str(number), scope="read", expires=timezone.now())

write(1)
call_command("migrate", verbosity=0)
write(2)
from web.submissions.models import BestByChecker, Job, Report, Submission
from web.submissions import best, services
services.sweep()

# The new version ranks a score, and the release deletes the account.
write(3)
Submission.objects.filter(public_id="id3").update(mode="submit")
Report.objects.filter(submission__public_id="id3").update(checker_score=1.0)
call_command("migrate", verbosity=0)
filled = BestByChecker.objects.count()
with transaction.atomic():
    release.get_model("submissions", "Submission").objects.get(public_id="id3").delete()
    release.get_model("accounts", "User").objects.get(username="user-3").delete()
left = BestByChecker.objects.count()
best.fill()
print(json.dumps({
    "personal": list(Submission.objects.order_by("pk").values_list("personal_node", flat=True)),
    "verdicts": [made.report.parsed.verdict for made in Submission.objects.order_by("pk")],
    "excluded": list(Job.objects.values_list("excluded_hosts", flat=True)),
    "bests_by_checker": [filled, left, BestByChecker.objects.count()],
    "on_personal_nodes": [made.problem.on_personal_nodes for made in Submission.objects.all()],
}))
"""


def test_tables_of_the_release_are_migrated_and_the_release_still_writes_them(new_site) -> None:
    site: Site = new_site()
    found: dict[str, Any] = site.python(PROGRAM)
    assert found == {
        "personal": [False, False],
        "verdicts": ["accepted", "accepted"],
        "excluded": [{}, {}],
        "bests_by_checker": [1, 1, 0],
        "on_personal_nodes": [False, False],
    }
