"""Tests that reports on problems with a checker show no expected values, which are fillers there."""

from dataclasses import replace

import pytest
from django.test import Client
from django.urls import reverse

from judge.report import CaseReport, Mismatch, Report
from problems.vocabulary import Group, Verdict
from tests.unit.web.figures import record
from web.accounts.models import User
from web.catalog.models import Problem
from web.submissions.checker_reports import without_expected_values

WRONG = Mismatch("batch", (0, 1), "4711", "17", 4694.0, 0.9)
CASE = CaseReport(
    name="example",
    group=Group.SAMPLE,
    public=True,
    verdict=Verdict.WRONG_ANSWER,
    message="1 element of batch is wrong.",
    sizes={"n": 2},
    wall_ms=1.0,
    checked=2,
    mismatched=1,
    mismatches=(WRONG,),
)
REPORT = Report(verdict=Verdict.WRONG_ANSWER, message="1 element of batch is wrong.", cases=(CASE,))


def test_fillers_and_errors_are_removed() -> None:
    (case,) = without_expected_values(REPORT).cases
    assert case.mismatches == (replace(WRONG, expected="", absolute_error=None, relative_error=None),)


@pytest.mark.django_db
@pytest.mark.parametrize("has_checker", [True, False])
def test_the_page_and_the_api_show_expected_values_without_a_checker_alone(
    client: Client, owner: User, problem: Problem, handed_in, has_checker: bool
) -> None:
    Problem.objects.filter(pk=problem.pk).update(has_checker=has_checker)
    submission = record(handed_in(owner), REPORT)
    client.force_login(owner)
    page = client.get(reverse("submission", args=[submission.public_id])).content.decode()
    assert "batch[0, 1]" in page
    assert ("4711" in page) is not has_checker
    answer = client.get(f"/api/v1/submissions/{submission.public_id}").json()
    (mismatch,) = answer["report"]["cases"][0]["mismatches"]
    assert mismatch["expected"] == ("" if has_checker else "4711")
