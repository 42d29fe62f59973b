"""Tests the outputs on the page of a run, and the positions of wrong elements."""

import pytest
from django.test import Client

from judge.report import CaseReport, Mismatch, Report, ShownInput, ShownOutput
from judge.report_json import from_json, to_json
from problems.vocabulary import Group, Mode, Verdict
from tests.unit.web.figures import record
from web.charts.error_map import error_map, where

FIRST = Mismatch("c", (1,), "2", "0", 2.0, 1.0)
WORST = Mismatch("c", (3,), "9", "<b>", 9.0, 1.0)
OUTPUT = ShownOutput(
    "c", (4,), (1, 4), ("1", "0", "3", "<b>"), ("1", "2", "3", "9"), (1, 3), WORST, (1, 4), (0, 1, 0, 1)
)
RIGHT = ShownOutput("m", (2, 2), (2, 2), ("1", "2", "3", "4"), ("1", "2", "3", "4"), (), None, (2, 2), ())


def case(name: str, *outputs: ShownOutput, verdict: Verdict = Verdict.ACCEPTED, **more) -> CaseReport:
    return CaseReport(name, Group.SAMPLE, public=True, verdict=verdict, outputs=outputs, **more)


WRONG = Report(
    Verdict.WRONG_ANSWER,
    "50 % of the elements of c are wrong.",
    cases=(
        case("one", OUTPUT, verdict=Verdict.WRONG_ANSWER, mismatches=(FIRST,), checked=4, mismatched=2),
        case("two", RIGHT),
    ),
)


@pytest.mark.django_db
def test_a_run_shows_outputs_by_case(client: Client, owner, handed_in):
    client.force_login(owner)
    submission = record(handed_in(owner, mode=Mode.RUN), WRONG)
    page = client.get(f"/s/{submission.public_id}").content.decode()
    banner = page.partition('<div class="banner ')[2].partition("data-announce")[0]
    assert "<code>c[1]</code> is <code>0</code>, expected <code>2</code>." in banner
    outputs = page.partition('class="outputs"')[2].partition("<h3>Cases</h3>")[0]
    assert outputs.count('class="number wrong"') == 2
    assert "2 of 4 are wrong, from element 1 to 3." in outputs
    assert "Farthest off: <code>c[3]</code>" in outputs
    assert "<b>" not in outputs
    assert "&lt;b&gt;" in outputs
    assert 'data-tab="two"' in outputs
    assert "All elements are right." in outputs


@pytest.mark.django_db
def test_a_run_shows_inputs_and_what_is_expected(client: Client, owner, handed_in):
    client.force_login(owner)
    given = (ShownInput("n", (), (1, 1), ("4",)), ShownInput("a", (80,), (1, 2), ("inf", "<i>")))
    report = Report(Verdict.ACCEPTED, cases=(case("custom", RIGHT, inputs=given), case("two", RIGHT)))
    assert from_json(to_json(report)) == report
    submission = handed_in(owner, mode=Mode.RUN, values={"a": [1, "nan"]})
    page = client.get(f"/s/{record(submission, report).public_id}").content.decode()
    outputs = page.partition('class="outputs"')[2].partition("<h3>Cases</h3>")[0]
    assert "n = 4" in outputs
    assert "&lt;i&gt;" in outputs
    assert "78 more elements not shown." in outputs
    assert outputs.count("<summary>Expected</summary>") == 2
    assert outputs.count('<details class="more-elements" open>') == 1
    assert "1, nan" in page.partition("Values of <code>a</code>")[2][:200]


@pytest.mark.parametrize(
    ("counts", "grid", "shape", "said"),
    [
        ([0, 0], (1, 2), (1, 2), "No element is wrong."),
        ([1, 1], (1, 2), (1, 2), "All elements are wrong, from element 0 to 1."),
        ([0, 5], (1, 2), (1, 1001), "5 of 1,001 are wrong, from element 501 to 1,000."),
        ([0, 0, 0, 3], (2, 2), (4, 6), "3 of 24 are wrong, in rows 2 to 3, columns 3 to 5."),
    ],
)
def test_places_in_words(counts, grid, shape, said):
    assert where(counts, grid=grid, shape=shape) == said
    assert said in error_map(counts, grid=grid, shape=shape, name="c")


def test_the_map_has_a_shade_for_each_share():
    drawn = error_map([0, 1, 5, 10], grid=(1, 4), shape=(1, 40), name="<c>")
    assert [f"error-{level}" in drawn for level in range(5)] == [True, True, True, False, True]
    assert "<c>" not in drawn
