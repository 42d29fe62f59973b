"""Tests a restore: a site in use is backed up, lost, and restored on another host."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.integration.upkeep.site import Site

pytestmark = [
    pytest.mark.integration,
    pytest.mark.xdist_group("rehearsal"),  # the site is filled once, not in every process
]

IMPORTS = """
import itertools, json, sys
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from judge.report import Report
from problems.vocabulary import Language, Mode, Verdict
from web.accounts.adapter import MfaAdapter
from web.accounts.models import User
from web.accounts.services import create_user, issue_token
from web.catalog.models import Problem
from web.discussion import services as discussion
from web.drafts import services as drafts
from web.drafts.models import Draft
from web.submissions import services
from web.submissions.models import Job, Progress, Submission, Tally
from web.submissions.models import Report as StoredReport
"""
# What every table says, but for those that note the backup and the restore themselves.
CONTENT = """
import hashlib
def content():
    found = {}
    with connection.cursor() as cursor:
        for table in sorted(connection.introspection.table_names()):
            if table not in ("upkeep_backup", "audit_auditentry", "sqlite_sequence"):
                cursor.execute(f'SELECT * FROM "{table}"')
                rows = sorted(repr(row) for row in cursor.fetchall())
                found[table] = [len(rows), hashlib.sha256("".join(rows).encode()).hexdigest()]
    return found
"""
FILL = (
    IMPORTS
    + CONTENT
    + """
call_command("loadproblems", verbosity=0)
learner = create_user("learner", "correct horse battery")
problem = Problem.objects.get(slug="vector-add")
TOTP.activate(learner, "JBSWY3DPEHPK3PXP")
for verdict in (Verdict.ACCEPTED, Verdict.WRONG_ANSWER):
    services.submit(learner, problem, language=Language.CUDA, source=f"// {verdict} ✓", mode=Mode.SUBMIT)
    services.record(services.claim("worker"), Report(verdict))
waiting = services.submit(learner, problem, language=Language.CUDA, source="// waits", mode=Mode.SUBMIT)
drafts.save_draft(learner, problem, Language.CUDA, source="// first", expected=0)
drafts.save_draft(learner, problem, Language.CUDA, source="// second", expected=1, keep=True)
discussion.open_thread(learner, problem, title="Why?", text="Because.")
_, token = issue_token(learner, name="laptop")
call_command("backup")
print(json.dumps({"waiting": waiting.public_id, "token": token, "content": content()}))
"""
)
GO_ON = (
    IMPORTS
    + CONTENT
    + """
waiting, token = sys.argv[1:]
restored = content()
claim = services.claim("worker")
services.record(claim, Report(Verdict.ACCEPTED))
learner, problem = User.objects.get(username="learner"), claim.submission.problem
new = services.submit(learner, problem, language=Language.CUDA, source="// new", mode=Mode.SUBMIT)
browser = Client(headers={"authorization": f"Bearer {token}"}, SERVER_NAME="localhost")
secret = Authenticator.objects.get(type="totp").data["secret"]
print(json.dumps({
    "content": restored,
    "claimed": claim.submission.public_id,
    "password": learner.check_password("correct horse battery"),
    "api": browser.get(f"/api/v1/submissions/{waiting}").json()["verdict"],
    "page": browser.get("/problems/vector-add").status_code,
    "drafts": [[draft.source, draft.revisions.get().source] for draft in Draft.objects.all()],
    "secret": MfaAdapter().decrypt(secret),
    "new": new.pk > claim.submission.pk,
}))
"""
)
# Hands in and judges without end, and says so after each.
BUSY = (
    IMPORTS
    + """
learner, problem = User.objects.get(username="learner"), Problem.objects.get(slug="vector-add")
for number in itertools.count():
    services.submit(learner, problem, language=Language.CUDA, source=f"// {number}", mode=Mode.RUN)
    services.record(services.claim("busy"), Report(Verdict.ACCEPTED))
    print(number, flush=True)
"""
)
# Restores what was taken meanwhile. Its counts are those that follow from its reports.
CONSISTENT = (
    IMPORTS
    + """
def counts():
    progress = Progress.objects.values_list("user", "problem", "runs", "judged", "accepted", "solved")
    tallies = Tally.objects.filter(judged__gt=0).values_list("problem", "judged", "accepted", "solvers")
    return sorted(map(repr, progress)), sorted(map(repr, tallies))

call_command("restore", sys.argv[1])
before, done = counts(), Job.objects.filter(state="done").count()
services.recount()
print(json.dumps({
    "counts": before == counts(),
    "jobs": Job.objects.count() == Submission.objects.count(),
    "reports": StoredReport.objects.count() == done,
    "submissions": Submission.objects.count(),
}))
"""
)
# Everything here is refused, and changes nothing.
REFUSED = (
    IMPORTS
    + CONTENT
    + """
def refusal(*arguments):
    try:
        call_command("restore", *arguments)
    except CommandError as error:
        return str(error)

before, (good, bad) = content(), sys.argv[1:]
print(json.dumps({
    "not empty": refusal(good),
    "cut off": refusal("--replace", bad),
    "missing": refusal("--check", good + ".gone"),
    "kept": before == content(),
}))
"""
)
HOLD = (
    IMPORTS
    + """
import time
connection.ensure_connection()
print(flush=True)
time.sleep(60)
"""
)


@dataclass(frozen=True)
class Filled:
    """A site, its backup, and what is known of its content."""

    site: Site
    backup: Path
    known: dict[str, Any]


@pytest.fixture(scope="module")
def lost(new_site) -> Filled:
    """A site with content, and its backup."""
    site = new_site(migrated=True)
    known = site.python(FILL)
    (backup,) = (site.folder / "backups").iterdir()
    return Filled(site, backup, known)


def test_a_lost_site_is_brought_back_on_another_host(new_site, lost):
    found = new_site()
    assert "1 accounts, 3 submissions" in found.managed("restore", lost.backup)
    assert found.python(GO_ON, lost.known["waiting"], lost.known["token"]) == {
        "content": lost.known["content"],
        "claimed": lost.known["waiting"],
        "password": True,
        "api": "accepted",
        "page": 200,
        "drafts": [["// second", "// first"]],
        "secret": "JBSWY3DPEHPK3PXP",
        "new": True,
    }


def test_a_site_that_is_there_is_not_overwritten_by_mistake(lost):
    cut_off = lost.site.folder / "cut-off.zip"
    cut_off.write_bytes(lost.backup.read_bytes()[:-100])
    said = lost.site.python(REFUSED, lost.backup, cut_off)
    assert "1 accounts and 3 submissions" in said["not empty"]
    assert "truncated" in said["cut off"]
    assert "No such file" in said["missing"]
    assert said["kept"]


def test_a_database_in_use_is_not_replaced(lost):
    if not lost.site.database_url:
        return  # connections to SQLite are closed after each request, so the number of users is unknown
    with lost.site.start(HOLD) as holder:
        holder.stdout.readline()
        refused = lost.site.manage("restore", "--replace", lost.backup)
        holder.kill()
    assert "open database connections" in refused.stderr


def test_a_backup_of_a_busy_site_is_of_one_moment(new_site, lost):
    backup = lost.site.folder / "busy.zip"
    with lost.site.start(BUSY) as busy:
        try:
            assert busy.stdout.readline().strip() == "0"
            lost.site.managed("backup", backup)
            assert int(busy.stdout.readline())  # it went on
        finally:
            busy.kill()
    found = new_site().python(CONSISTENT, backup)
    assert found.pop("submissions") >= 4
    assert all(found.values()), found
