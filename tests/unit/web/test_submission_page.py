"""Tests the page of a submission: its speed next to others, its changes, and its other forms."""

import json
import re
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest
from django.test import Client

from judge.report import Placement, Report, RequirementReport
from problems.vocabulary import BaselineKind, Counter, Language, Relation, RequirementState, Verdict
from tests.conftest import PASSWORD
from tests.unit.web.figures import record, timed_report
from web.accounts.models import User
from web.accounts.services import issue_token
from web.leaderboards.models import Baseline
from web.submissions import services
from web.submissions.models import Submission

pytestmark = pytest.mark.django_db

ATTACK = "</pre><script>alert(1)</script>"
TIMES = "\N{MULTIPLICATION SIGN}"
NONE = "\N{EN DASH}"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def owners(client: Client, owner: User) -> Client:
    """A client that the owner is signed in on."""
    client.force_login(owner)
    return client


@pytest.fixture
def crowd(handed_in) -> list[User]:
    """Five others with scores of 4 to 8 µs, and three that do not count."""
    people = [User.objects.create_user(f"person{number}", password=PASSWORD) for number in range(8)]
    for number, person in enumerate(people[:5]):
        record(handed_in(person), timed_report(4.0 + number))
    record(handed_in(people[5]), timed_report(1.0, gpu="NVIDIA B200"))
    record(handed_in(people[6], language=Language.TRITON), timed_report(1.0))
    record(handed_in(people[7]), timed_report(1.0))
    User.objects.filter(pk=people[7].pk).update(in_rankings=False)
    return people


def text(client: Client, submission: Submission, form: str = "") -> str:
    response = client.get(f"/s/{submission.public_id}{form}")
    assert response.status_code == 200
    return response.content.decode()


def words(html: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", html).split())


def test_a_score_is_shown_among_those_of_others(owner, owners, handed_in, crowd):
    submission = record(handed_in(owner), timed_report(5.5))
    page = text(owners, submission)
    assert "Faster than 60 % of the 5 other users" in words(page)
    assert page.count(">you</text>") > 0
    assert 'id="spread-title"' in page


def test_to_others_it_is_not_where_you_are(owner, handed_in, crowd, staff, client):
    submission = record(handed_in(owner), timed_report(5.5))
    client.force_login(staff)
    page = text(client, submission)
    assert ">this submission</text>" in page
    assert ">you</text>" not in page


def test_so_few_others_that_they_could_be_told_are_not_shown(owner, owners, handed_in, crowd):
    User.objects.filter(pk=crowd[0].pk).update(in_rankings=False)
    page = text(owners, record(handed_in(owner), timed_report(5.5)))
    assert "Only 4 other users have a score" in words(page)
    assert "only for 5 or more" in words(page)
    assert 'id="spread-title"' not in page
    assert 'id="roofline-title"' in page


def test_a_score_alone_says_so(owner, owners, handed_in):
    assert "No other user has a score" in words(text(owners, record(handed_in(owner), timed_report(5.5))))


def test_without_a_score_there_are_no_charts(owner, owners, handed_in):
    page = text(owners, record(handed_in(owner), Report(Verdict.ACCEPTED, environment={"target": "cpu"})))
    assert "no (no GPU)" in page
    assert 'aria-labelledby="performance-heading"' not in page
    assert 'class="chart' not in page
    wrong = text(owners, record(handed_in(owner), Report(Verdict.WRONG_ANSWER)))
    assert "Not timed" not in wrong


def test_it_is_compared_with_ones_own_best_and_the_baselines(owner, owners, handed_in, problem, teammate):
    first = record(handed_in(owner), timed_report(10.0))
    reference = record(handed_in(teammate), timed_report(20.0))
    Baseline.objects.create(
        problem=problem, submission=reference, kind=BaselineKind.REFERENCE, label="One thread each"
    )
    better = record(handed_in(owner), timed_report(5.0))
    worse = record(handed_in(owner), timed_report(8.0))
    same = record(handed_in(owner), timed_report(5.02))
    page = words(text(owners, better)).replace(TIMES, "x")
    assert "One thread each 20.00 µs 19.95 to 20.05 µs 4.00x" in page
    assert "Your previous best 10.00 µs 9.95 to 10.05 µs 2.00x" in page
    page = words(text(owners, worse)).replace(TIMES, "x")
    assert "Your best 5.000 µs 4.950 to 5.050 µs 0.63x" in page
    assert "1.00x tie" in words(text(owners, same)).replace(TIMES, "x")
    assert f'href="/s/{first.public_id}"' in text(owners, better)
    assert f'href="/s/{reference.public_id}"' not in text(owners, better)


class TestTiers:
    """Points for percentages of the vendor baseline's speed."""

    @pytest.fixture
    def tiered(self, problem):
        problem.tiers = [25, 50, 100, 125]
        problem.save()
        return problem

    def test_a_time_reaches_some(self, owner, owners, handed_in, tiered, teammate):
        for us, kind, label in ((4.0, BaselineKind.VENDOR, "CUB"), (2.0, BaselineKind.REFERENCE, "Plain")):
            stored = record(handed_in(teammate), timed_report(us))
            Baseline.objects.create(problem=tiered, submission=stored, kind=kind, label=label)
        submission = record(handed_in(owner), timed_report(8.0))
        page = words(text(owners, submission))
        assert "2 of 4 points" in page
        assert "reaches 50 % of the speed of CUB" in page
        assert "The next point takes a score of 4.000 µs or less." in page
        assert "125 % of CUB 3.200 µs not reached" in page
        told = owners.get(f"/api/v1/submissions/{submission.public_id}").json()["tiers"]
        assert (told["baseline"], told["percent"], told["points"]) == ("CUB", 50.0, 2)
        assert told["tiers"][1] == {"percent": 50, "time_us": 8.0, "reached": True}

    def test_all_points_leave_no_next_one(self, owner, owners, handed_in, tiered, teammate):
        stored = record(handed_in(teammate), timed_report(8.0))
        Baseline.objects.create(problem=tiered, submission=stored, kind=BaselineKind.VENDOR, label="CUB")
        page = words(text(owners, record(handed_in(owner), timed_report(5.0))))
        assert "4 of 4 points" in page
        assert "The next point" not in page

    def test_the_baseline_was_not_timed_yet(self, owner, owners, handed_in, tiered):
        submission = record(handed_in(owner), timed_report(5.0))
        assert "They appear after the vendor's baseline is timed on" in words(text(owners, submission))

    def test_a_problem_without_tiers_or_a_report_without_a_score(self, owner, owners, handed_in, problem):
        submission = record(handed_in(owner), timed_report(5.0))
        assert "points" not in words(text(owners, submission))
        problem.tiers = [50]
        problem.save()
        unranked = record(handed_in(owner), Report(Verdict.ACCEPTED))
        assert owners.get(f"/api/v1/submissions/{unranked.public_id}").json()["tiers"] is None


class TestRequirements:
    """Requirements that a correct program must also meet."""

    ROWS = (
        RequirementReport(
            Counter.SHARED_WAVEFRONTS_RATIO,
            Relation.AT_MOST,
            1,
            "Pad the tile.",
            RequirementState.MISSED,
            16.5,
            "tiles",
            2,
        ),
        RequirementReport(Counter.LAUNCHES, Relation.EQUALS, 1, "One.", RequirementState.MET, 1, "tiles"),
        RequirementReport(Counter.BARRIERS_PER_BLOCK, Relation.AT_MOST, 2, "Few."),
    )

    def test_each_has_a_row(self, owner, owners, handed_in):
        missed = Report(Verdict.REQUIREMENT_MISSED, "A requirement is missed.", requirements=self.ROWS)
        submission = record(handed_in(owner), missed)
        page = words(text(owners, submission))
        assert "Requirement missed" in page
        assert "Pad the tile. Missed 16.5 at most 1 2" in page
        assert f"One. Met 1 exactly 1 {NONE}" in page
        assert f"Few. Not checked here {NONE} at most 2 {NONE}" in page
        told = owners.get(f"/api/v1/submissions/{submission.public_id}").json()
        assert told["verdict"] == "requirement_missed"
        assert told["report"]["requirements"][0] == {
            "counter": "shared_wavefronts_ratio",
            "relation": "at_most",
            "bound": 1,
            "explanation": "Pad the tile.",
            "state": "missed",
            "measured": 16.5,
            "case": "tiles",
            "line": 2,
            "message": "",
            "call": "",
        }

    def test_the_problem_is_not_solved(self, owner, owners, handed_in, problem):
        record(handed_in(owner), Report(Verdict.REQUIREMENT_MISSED, requirements=self.ROWS))
        assert not owners.get(f"/api/v1/problems/{problem.slug}").json()["solved"]

    def test_a_problem_without_them_has_no_table(self, owner, owners, handed_in):
        assert "Not checked here" not in text(owners, record(handed_in(owner), Report(Verdict.ACCEPTED)))


def test_those_it_is_shared_with_do_not_learn_of_the_authors_others(owner, teammate, handed_in, client):
    record(handed_in(teammate), Report(Verdict.ACCEPTED))
    first = record(handed_in(owner), timed_report(10.0))
    better = record(handed_in(owner), timed_report(5.0))
    services.share(better)
    client.force_login(teammate)
    page = text(client, better)
    assert first.public_id not in page
    assert "Your best" not in page


def test_a_case_without_arithmetic_has_no_place_under_the_roofline(owner, owners, handed_in):
    report = timed_report(5.0)
    moved = Placement(intensity=0, bytes_per_s=3e12, peak_bytes_per_s=4e12, peak_operations_per_s=5e13)
    cases = [
        replace(case, timing=replace(case.timing, placement=moved)) if case.timing else case
        for case in report.cases
    ]
    page = text(owners, record(handed_in(owner), replace(report, cases=tuple(cases))))
    assert "timed 1: 3 TB/s of 4 TB/s, 75 %" in words(page)
    assert 'id="roofline-title"' not in page


def test_a_report_of_before_there_were_places_is_shown(owner, owners, handed_in):
    submission = record(handed_in(owner), timed_report(5.0))
    body = submission.report.body
    for case in body["cases"]:
        if case["timing"]:
            del case["timing"]["placement"]
    submission.report.save()
    page = text(owners, submission)
    assert 'aria-labelledby="performance-heading"' in page
    assert 'id="roofline-title"' not in page


def test_a_page_takes_few_queries_however_many_others_there_are(
    owner, owners, handed_in, crowd, django_assert_max_num_queries
):
    submission = record(handed_in(owner), timed_report(5.5))
    with django_assert_max_num_queries(14):
        text(owners, submission)


def test_a_diff_may_be_against_the_last_accepted(owner, owners, handed_in):
    record(handed_in(owner, source="int a;\nint b;\n"), Report(Verdict.ACCEPTED))
    record(handed_in(owner, source="broken"), Report(Verdict.WRONG_ANSWER))
    record(handed_in(owner, source="# other", language=Language.TRITON), Report(Verdict.ACCEPTED))
    submission = record(handed_in(owner, source="int a;\nint c;\n"), Report(Verdict.ACCEPTED))
    record(handed_in(owner, source="later"), Report(Verdict.ACCEPTED))
    page = text(owners, submission, "/diff?against=accepted")
    assert "1 line removed, 1 added" in page
    assert "<del>" in page


def test_a_diff_is_against_the_previous_program_by_default_and_others_can_be_chosen(owner, owners, handed_in):
    first = record(handed_in(owner, source="first"), Report(Verdict.ACCEPTED))
    previous = record(handed_in(owner, source="broken"), Report(Verdict.WRONG_ANSWER))
    other = record(handed_in(owner, source="# other", language=Language.TRITON), Report(Verdict.ACCEPTED))
    same = record(handed_in(owner, source="mended"), Report(Verdict.WRONG_ANSWER))
    submission = record(handed_in(owner, source="mended"), Report(Verdict.ACCEPTED))
    page = text(owners, submission, "/diff")
    assert words(page) == words(text(owners, submission, "/diff?against=previous"))
    assert f'<option value="{previous.public_id}" selected>Wrong answer, submit' in page
    for offered in (first, other, same):
        assert f'<option value="{offered.public_id}">' in page


def test_a_diff_may_be_against_ones_best(owner, owners, handed_in):
    best = record(handed_in(owner, source="fast"), timed_report(4.0))
    record(handed_in(owner, source="slow"), timed_report(9.0))
    submission = record(handed_in(owner, source="new"), timed_report(6.0))
    assert f'href="/s/{best.public_id}"' in text(owners, submission, "/diff?against=best")


@pytest.mark.parametrize("earlier", ["0", "9"])
def test_ones_best_is_one_of_the_current_version(owner, owners, handed_in, earlier):
    record(handed_in(owner, source="for an easier version"), timed_report(2.0, problem_version=earlier))
    best = record(handed_in(owner, source="fast"), timed_report(4.0))
    submission = record(handed_in(owner, source="wrong"), Report(Verdict.WRONG_ANSWER))
    assert f'href="/s/{best.public_id}"' in text(owners, submission, "/diff?against=best")
    own = owners.get("/api/v1/submissions/own?problem=vector-add&language=cuda&which=best")
    assert own.json()["id"] == best.public_id


def test_of_a_shared_submission_the_diff_is_against_ones_own(owner, teammate, handed_in, client):
    mine = record(handed_in(teammate, source="mine"), timed_report(7.0))
    private = record(handed_in(owner, source="private"), timed_report(6.0))
    submission = record(handed_in(owner, source="shared"), timed_report(5.0))
    services.share(submission)
    client.force_login(teammate)
    for against in ("accepted", "best"):
        page = text(client, submission, f"/diff?against={against}")
        assert f'href="/s/{mine.public_id}"' in page
        assert private.public_id not in page


def test_who_teaches_sees_what_the_author_changed(owner, staff, handed_in, client):
    first = record(handed_in(owner, source="first"), timed_report(6.0))
    submission = record(handed_in(owner, source="second"), timed_report(5.0))
    client.force_login(staff)
    for against in ("accepted", "best"):
        assert first.public_id in text(client, submission, f"/diff?against={against}")


def test_a_diff_may_be_against_any_that_one_may_see_side_by_side(owner, owners, teammate, handed_in):
    earlier = handed_in(owner, source=f"a\n{ATTACK}\n")
    submission = handed_in(owner, source=f"b\n{ATTACK}\n")
    page = text(owners, submission, f"/diff?against={earlier.public_id}&view=split")
    assert "diff-split" in page
    assert "<script>alert" not in page
    foreign = handed_in(teammate)
    for unknown in (foreign.public_id, submission.public_id, "zzzz", "%00", "'"):
        answer = owners.get(f"/s/{submission.public_id}/diff?against={unknown}")
        assert answer.status_code == 404
        assert b"Submission not found" in answer.content


def test_a_diff_without_anything_to_compare_with_says_so(owner, owners, handed_in):
    assert "no earlier submission" in text(owners, handed_in(owner), "/diff")


def test_sources_that_are_too_different_are_not_compared(owner, owners, handed_in):
    first = handed_in(owner, source="\n".join(f"a{n}" for n in range(1500)))
    submission = handed_in(owner, source="\n".join(f"b{n}" for n in range(1500)))
    page = text(owners, submission, f"/diff?against={first.public_id}")
    assert "too many to compare" in page


def test_as_json_it_is_what_the_api_says(owner, owners, handed_in):
    submission = record(handed_in(owner), timed_report(5.0))
    _, secret = issue_token(owner, name="t")
    api = Client().get(
        f"/api/v1/submissions/{submission.public_id}", headers={"Authorization": f"Bearer {secret}"}
    )
    response = owners.get(f"/s/{submission.public_id}.json")
    assert response["Content-Type"] == "application/json"
    assert "no-store" in response["Cache-Control"]
    assert response.json() == api.json()
    assert json.loads(text(owners, handed_in(owner), ".json"))["state"] == "queued"


def test_as_a_picture_it_needs_nothing_else(owner, owners, handed_in, problem):
    problem.title = 'A <title> & "more" that is rather long for so small a card'
    problem.save()
    submission = record(handed_in(owner), timed_report(5.0))
    response = owners.get(f"/s/{submission.public_id}.svg")
    assert response["Content-Type"] == "image/svg+xml; charset=utf-8"
    root = ET.fromstring(response.content)
    shown = "".join(root.itertext())
    for word in ("Accepted", "5.000 µs", "4.950 to 5.050 µs", "NVIDIA H200", "CUDA C++", "A <title> &"):
        assert word in shown
    assert root.find(f"{SVG}title").text.startswith(problem.title)
    outside = response.content.replace(b"http://www.w3.org/2000/svg", b"")
    assert not re.search(rb"style|href|url\(|http|<script|class=", outside)


def test_a_picture_is_kept_but_asked_for(owner, owners, handed_in):
    submission = handed_in(owner)
    first = owners.get(f"/s/{submission.public_id}.svg")
    assert "Judging" in first.content.decode()
    assert first["Cache-Control"] == "private, no-cache"
    assert "Cookie" in first["Vary"]
    again = owners.get(f"/s/{submission.public_id}.svg", headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    record(submission, Report(Verdict.WRONG_ANSWER))
    judged = owners.get(f"/s/{submission.public_id}.svg", headers={"If-None-Match": first["ETag"]})
    assert judged.status_code == 200
    assert "Wrong answer" in judged.content.decode()


@pytest.mark.parametrize("verdict", list(Verdict))
def test_every_verdict_has_a_picture(owner, owners, handed_in, verdict):
    ET.fromstring(text(owners, record(handed_in(owner), Report(verdict)), ".svg"))
