"""Problems that ask for tests: their page, their reports, and what learners cannot do with them."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from judge.kills import judged_program, overall
from judge.report import CaseReport, Report
from problems.loader import load_problem, problems_root
from problems.vocabulary import Language, Mode, ProgramKind, Verdict
from tests.unit.web.figures import record
from web.accounts.models import User
from web.catalog.models import Problem
from web.packages import services as packages
from web.packages.personal import public_part
from web.submissions import services
from web.submissions.models import Submission

pytestmark = pytest.mark.django_db
SLUG = "write-the-tests"
PACKAGE = load_problem(problems_root() / SLUG)
SURVIVOR = "tie-once"


@pytest.fixture
def tests_problem(tmp_path: Path) -> Problem:
    """The shipped problem."""
    shutil.copytree(problems_root() / SLUG, tmp_path / SLUG)
    packages.load_site(tmp_path)
    return Problem.objects.get(slug=SLUG)


def hand_in(user: User, problem: Problem, mode: Mode = Mode.SUBMIT, **more: Any) -> Submission:
    return services.submit(user, problem, language=Language.PYTHON, mode=mode, source="tests", **more)


def report_of(*survivors: str) -> Report:
    """The report on tests that judge all programs rightly but for `survivors`."""
    cases = []
    for case in PACKAGE.cases:
        killed = case.program is ProgramKind.FAULTY and case.name not in survivors
        verdict = Verdict.WRONG_ANSWER if killed else Verdict.ACCEPTED
        cases.append(judged_program(PACKAGE, case, CaseReport(case.name, case.group, case.public, verdict)))
    verdict, message = overall(PACKAGE, cases)
    return Report(verdict, message, cases=tuple(cases), environment={"problem_version": PACKAGE.version})


def test_the_page_says_what_counts_and_offers_no_custom_case(client: Client, tests_problem: Problem) -> None:
    page = client.get(f"/problems/{SLUG}").content.decode()
    assert "At least 15 of 16 faulty programs must be killed, and 5 right programs must pass." in page
    assert 'value="own"' not in page
    assert "stale-sum" not in page


def test_the_workbench_mentions_custom_cases_only_where_they_exist(
    owner: User, tests_problem: Problem, problem: Problem, browser_of: Callable[..., Client]
) -> None:
    browser = browser_of(owner)
    pages = [browser.get(f"/problems/{slug}").content.decode() for slug in (SLUG, problem.slug)]
    assert "judges the sample cases and shows" in pages[0]
    assert "judges the sample cases, or a case with your own sizes and values, and shows" in pages[1]


def test_the_row_has_the_numbers_and_no_number_of_a_program(tests_problem: Problem) -> None:
    assert tests_problem.asks_for_tests
    limits = tests_problem.limits
    assert (limits["least_killed"], limits["faulty_programs"], limits["right_programs"]) == (15, 16, 5)
    assert [sample["sizes"] for sample in tests_problem.samples] == [{"tests": 32, "room": 512}] * 2
    assert tests_problem.custom_arguments == ()


def test_other_problems_ask_for_none(problem: Problem) -> None:
    assert not problem.asks_for_tests


@pytest.mark.parametrize(
    "asked",
    [{"sizes": {"tests": 32, "room": 512}}, {"sizes": {"program": 5}}, {"values": {"rows": [1]}}],
)
def test_a_run_cannot_choose_a_program(owner: User, tests_problem: Problem, asked: dict[str, object]) -> None:
    with pytest.raises(services.SizesUnacceptable, match="no custom cases"):
        hand_in(owner, tests_problem, Mode.RUN, **asked)
    assert hand_in(owner, tests_problem, Mode.RUN).sizes is None


def test_a_learner_sees_what_survived_and_no_names(
    owner: User, tests_problem: Problem, browser_of: Callable[..., Client]
) -> None:
    submission = record(hand_in(owner, tests_problem), report_of(SURVIVOR, "half-sum"))
    page = browser_of(owner).get(f"/s/{submission.public_id}").content.decode()
    assert "Killed 14 of 16 faulty programs; at least 15 must be killed." in page
    assert "Survived." in page
    assert "faulty 14" in page
    assert SURVIVOR not in page
    body = browser_of(owner).get(f"/api/v1/submissions/{submission.public_id}").json()
    shown = [(case["name"], case["program"]) for case in body["report"]["cases"]]
    assert shown[:3] == [("two-passes", "right"), ("no-maximum", "faulty"), ("right 1", "right")]


def test_one_survivor_is_allowed(
    owner: User, tests_problem: Problem, browser_of: Callable[..., Client]
) -> None:
    submission = record(hand_in(owner, tests_problem), report_of(SURVIVOR))
    assert submission.report.verdict == "accepted"
    page = browser_of(owner).get(f"/s/{submission.public_id}").content.decode()
    assert "Killed 15 of 16 faulty programs. Passed 5 right programs." in page


def test_personal_nodes_never_get_the_programs(tests_problem: Problem) -> None:
    Problem.objects.update(on_personal_nodes=True)
    tests_problem.refresh_from_db()
    assert public_part(tests_problem, None) is None
