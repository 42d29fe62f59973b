"""`manage.py smoketest`: a shipped solution is submitted, and its verdict decides the exit status."""

from io import StringIO

import pytest
from django.conf import settings as django_settings
from django.core.management import CommandError, call_command

from judge.report import Report
from problems.archive import pack
from problems.contents import read_folder
from problems.vocabulary import Verdict
from web.packages import services as packages
from web.submissions import services
from web.submissions.models import Submission

pytestmark = pytest.mark.django_db


@pytest.fixture
def shipped(db):
    folder = django_settings.WARPCOURT.problems_dir / "vector-add"
    return packages.publish("vector-add", pack(read_folder(folder)), None).problem


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch):
    """Lets a worker give the verdict while the command sleeps."""
    verdicts: list[Verdict] = []

    def judge(_: float) -> None:
        if verdicts and (claim := services.claim("w")):
            verdict = verdicts.pop()
            services.record(claim, Report(verdict, "The GPU is missing."))

    monkeypatch.setattr("web.management.commands.smoketest.time.sleep", judge)
    return verdicts


def test_an_accepted_solution_is_a_success(shipped, judged):
    judged.append(Verdict.ACCEPTED)
    out = StringIO()
    call_command("smoketest", stdout=out)
    assert "vector-add: accepted after" in out.getvalue()
    submission = Submission.objects.get()
    assert (submission.mode, submission.user.is_active) == ("run", False)


def test_another_verdict_is_a_failure_with_its_message(shipped, judged):
    judged.append(Verdict.INTERNAL_ERROR)
    with pytest.raises(CommandError, match="The GPU is missing"):
        call_command("smoketest", stdout=StringIO())


def test_without_a_worker_it_says_what_to_check(shipped, judged):
    with pytest.raises(CommandError, match="warpcourt-admin doctor"):
        call_command("smoketest", "--patience-s", "0", stdout=StringIO())


def test_an_unknown_problem_is_named(db):
    with pytest.raises(CommandError, match="loadproblems"):
        call_command("smoketest", "absent")
