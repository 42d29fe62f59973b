"""Tests standings: which scores rank, on which board, and ties."""

import pytest
from django.contrib.auth.models import AnonymousUser
from hypothesis import given
from hypothesis import strategies as st

from judge.report import Report
from problems.vocabulary import Language, Mode, Verdict
from tests.unit.web.figures import record, timed_report
from web.accounts.models import User
from web.fleet.models import Gpu, Node
from web.leaderboards import cursors, queries
from web.leaderboards.models import Baseline
from web.submissions import services
from web.submissions.models import Submission

pytestmark = pytest.mark.django_db


@pytest.fixture
def scores(handed_in):
    """Makes judged submissions: `scores(owner, 5.0)`."""

    def make(user: User, score_us: float, half_us: float = 0.05, *, language="cuda", mode="submit", **stamp):
        submission = handed_in(user, language=Language(language), mode=Mode(mode))
        return record(submission, timed_report(score_us, half_us, **stamp))

    return make


def standings(problem, viewer=None, **more):
    return queries.standings(problem, viewer or AnonymousUser(), **more)


def names(rows) -> list[str]:
    return [row.username for row in rows]


def test_the_best_score_of_each_user_ranks(problem, owner, teammate, scores):
    scores(owner, 6.0)
    scores(teammate, 5.0)
    scores(owner, 4.0)
    scores(owner, 7.0)
    shown = standings(problem)
    assert shown.ranked
    assert [(row.username, row.rank, row.score.median_us) for row in shown.rows] == [
        ("owner", 1, 4.0),
        ("teammate", 2, 5.0),
    ]
    assert not any(row.tied for row in shown.rows)
    assert shown.rows[0].roofline_percent == pytest.approx(100 * 4.0625 / 4.0)
    assert (shown.rows[0].driver, shown.rows[0].toolkit) == ("580.159.03", "nvcc 13.0.88")


def test_overlapping_intervals_tie(problem, owner, teammate, staff, scores):
    scores(owner, 5.00, 0.03)
    scores(teammate, 5.05, 0.03)
    scores(staff, 6.0, 0.03)
    shown = standings(problem)
    assert [(row.rank, row.tied) for row in shown.rows] == [(1, True), (1, True), (3, False)]


def test_of_the_same_score_the_earlier_is_first(problem, owner, teammate, scores):
    scores(teammate, 5.0)
    scores(owner, 5.0)
    assert names(standings(problem).rows) == ["teammate", "owner"]


def test_gpus_and_languages_have_boards_of_their_own(problem, owner, teammate, scores):
    scores(owner, 9.0, gpu="NVIDIA A100")
    scores(owner, 5.0)
    scores(teammate, 4.0)
    scores(owner, 6.0, language="triton")
    shown = standings(problem)
    assert [(b.gpu, b.language, b.users) for b in shown.boards] == [
        ("NVIDIA A100", "cuda", 1),
        ("NVIDIA H200", "cuda", 2),
        ("NVIDIA H200", "triton", 1),
    ]
    assert (shown.board.gpu, shown.board.language) == ("NVIDIA H200", "cuda")
    assert names(shown.rows) == ["teammate", "owner"]
    assert names(standings(problem, language=Language.TRITON).rows) == ["owner"]
    a100 = standings(problem, gpu="NVIDIA A100")
    assert [row.score.median_us for row in a100.rows] == [9.0]


def test_a_board_that_nobody_is_on_is_empty_and_not_another_one(problem, owner, scores):
    scores(owner, 5.0)
    for shown in (standings(problem, gpu="NVIDIA B200"), standings(problem, language=Language.TRITON)):
        assert shown.ranked
        assert shown.rows == ()
        assert shown.board.users == 0


def test_versions_of_the_problem_are_not_mixed(problem, owner, teammate, scores):
    scores(owner, 3.0)
    scores(teammate, 5.0)
    problem.version = "2"
    problem.save()
    scores(teammate, 8.0, problem_version="2")
    shown = standings(problem)
    assert [(row.username, row.rank, row.score.median_us) for row in shown.rows] == [("teammate", 1, 8.0)]
    assert [row.score.median_us for row in shown.records] == [8.0]
    assert {(board.version, board.users) for board in shown.boards} == {("2", 1), ("1", 2)}
    older = standings(problem, version="1")
    assert [(row.username, row.rank, row.version) for row in older.rows] == [
        ("owner", 1, "1"),
        ("teammate", 2, "1"),
    ]
    assert [row.score.median_us for row in older.records] == [3.0]


def test_a_version_without_scores_is_empty_and_not_another_one(problem, owner, scores):
    scores(owner, 3.0)
    problem.version = "2"
    problem.save()
    for shown in (standings(problem), standings(problem, version="2"), standings(problem, version="unknown")):
        assert (shown.ranked, shown.rows, shown.board.version) == (True, (), "2")
        assert (shown.board.gpu, shown.board.language) == ("NVIDIA H200", "cuda")


def test_what_does_not_rank_is_not_there(problem, owner, teammate, staff, handed_in, scores):
    scores(owner, 5.0)
    scores(teammate, 1.0, mode="run")
    User.objects.create_user("gone", is_active=False)
    scores(User.objects.get(username="gone"), 2.0)
    record(handed_in(staff), Report(Verdict.ACCEPTED, environment={"target": "cpu"}))
    assert names(standings(problem).rows) == ["owner"]


def test_a_record_is_surely_better_than_all_before(problem, owner, teammate, scores):
    scores(owner, 9.0)
    scores(teammate, 8.99)
    scores(owner, 7.0)
    scores(teammate, 8.0)
    scores(teammate, 6.0)
    shown = standings(problem)
    assert [(row.username, row.score.median_us) for row in shown.records] == [
        ("teammate", 6.0),
        ("owner", 7.0),
        ("owner", 9.0),
    ]


def people(count: int) -> list[User]:
    return [User.objects.create_user(f"person-{number}") for number in range(count)]


def test_ones_own_row_is_there_whichever_page_it_is_on(problem, owner, scores):
    for number, user in enumerate(people(4)):
        scores(user, 1.0 + number)
    scores(owner, 4.5)
    shown = standings(problem, owner, limit=2)
    assert names(shown.rows) == ["person-0", "person-1"]
    assert (shown.mine.username, shown.mine.rank, shown.total) == ("owner", 5, 5)
    around = standings(problem, owner, limit=2, after=shown.around_me)
    assert names(around.rows) == ["owner"]
    assert standings(problem, limit=2).mine is None


def test_pages_follow_each_other_whoever_comes_in_between(problem, owner, scores):
    for number, user in enumerate(people(5)):
        scores(user, 2.0 + number // 2)  # some of them the same
    pages = [standings(problem, limit=2)]
    while pages[-1].next is not None:
        pages.append(standings(problem, limit=2, after=pages[-1].next))
    assert [names(page.rows) for page in pages] == [
        ["person-0", "person-1"],
        ["person-2", "person-3"],
        ["person-4"],
    ]
    assert [row.rank for page in pages for row in page.rows] == [1, 1, 3, 3, 5]
    assert [page.previous for page in pages] == [None, "", pages[0].next]
    scores(owner, 1.0)
    again = standings(problem, limit=2, after=pages[0].next)
    assert names(again.rows) == ["person-2", "person-3"]
    assert [row.rank for row in again.rows] == [4, 4]


@pytest.mark.parametrize(
    "nonsense", ["x", "nan", "inf", "-1", "2.0~0", "2.0~x", "~", "1" * 400 + "x", "\0", "1e999"]
)
def test_a_cursor_that_makes_no_sense_gives_a_page(problem, owner, handed_in, nonsense):
    record(handed_in(owner), Report(Verdict.ACCEPTED))
    assert names(standings(problem, after=nonsense).rows) == ["owner"]
    record(handed_in(owner), timed_report(1e-3, 1e-4))
    assert names(standings(problem, after=nonsense).rows) == ["owner"]


def test_who_hides_is_on_no_board(problem, owner, teammate, scores):
    scores(owner, 4.0)
    scores(teammate, 5.0)
    User.objects.filter(pk=owner.pk).update(in_rankings=False)
    for viewer in (owner, teammate):
        shown = standings(problem, viewer)
        assert names(shown.rows) == ["teammate"]
        assert (shown.rows[0].rank, shown.board.users) == (1, 1)
    assert standings(problem, owner).mine is None


def test_sources_are_linked_for_those_who_may_read_them(problem, owner, teammate, staff, scores):
    theirs = scores(owner, 4.0)
    link = lambda viewer: standings(problem, viewer).rows[0].public_id  # noqa: E731 - short
    assert link(owner) == link(staff) == theirs.public_id
    assert link(teammate) == link(None) == ""
    Submission.objects.filter(pk=theirs.pk).update(shared=True)
    assert link(teammate) == ""
    scores(teammate, 5.0)
    assert link(teammate) == theirs.public_id
    assert link(None) == ""


def test_baselines_stand_beside_the_board_that_they_were_timed_for(problem, owner, staff, scores, handed_in):
    scores(owner, 4.0)
    made = scores(staff, 6.0)
    Baseline.objects.create(problem=problem, submission=made, kind="reference", label="Plain kernel")
    other = scores(staff, 2.0, gpu="NVIDIA B200")
    Baseline.objects.create(problem=problem, submission=other, kind="vendor", label="cuBLAS")
    wrong = record(handed_in(staff), Report(Verdict.WRONG_ANSWER))
    Baseline.objects.create(problem=problem, submission=wrong, kind="vendor", label="broken")
    shown = standings(problem, gpu="NVIDIA H200").baselines
    assert [(row.label, row.kind, row.score.median_us, row.public_id) for row in shown] == [
        ("Plain kernel", "reference", 6.0, "")
    ]
    assert queries.baselines(problem, "NVIDIA B200")[0].label == "cuBLAS"
    assert queries.baselines(problem, "NVIDIA H200", "2") == ()
    assert standings(problem, gpu="NVIDIA H200", language=Language.TRITON).baselines == ()
    assert queries.baselines(problem, "NVIDIA H200", viewer=staff)[0].public_id == made.public_id
    services.rejudge(made)
    assert queries.baselines(problem, "NVIDIA H200") == ()


def test_without_a_gpu_nothing_ranks(problem, owner, teammate, handed_in):
    record(handed_in(owner, language=Language.TRITON), Report(Verdict.ACCEPTED))
    record(handed_in(owner), Report(Verdict.ACCEPTED))
    record(handed_in(teammate), Report(Verdict.WRONG_ANSWER))
    shown = standings(problem)
    assert (shown.ranked, shown.board) == (False, None)
    assert [(row.username, row.language, row.score) for row in shown.rows] == [("owner", "triton", None)]
    assert "Without a GPU, nothing is ranked" in shown.note


def test_with_a_gpu_the_note_does_not_say_that_there_is_none(problem):
    node = Node.objects.create(name="node")
    Gpu.objects.create(
        node=node,
        uuid="GPU-1",
        minor=0,
        model="NVIDIA H200",
        memory_mib=1,
        driver="1",
        cuda="1",
        capability="9.0",
    )
    assert "No submission has been timed" in standings(problem).note


def test_who_solved_it_comes_in_pages(problem, owner, handed_in):
    for user in (*people(3), owner):
        record(handed_in(user), Report(Verdict.ACCEPTED))
    first = standings(problem, owner, limit=2)
    assert (names(first.rows), first.mine.username, first.previous) == (
        ["person-0", "person-1"],
        "owner",
        None,
    )
    second = standings(problem, owner, limit=2, after=first.next)
    assert (names(second.rows), second.previous, second.next) == (["person-2", "owner"], "", None)


@pytest.mark.parametrize("size", [1, 12])
def test_standings_take_few_queries(problem, owner, scores, size, django_assert_max_num_queries):
    for number, user in enumerate(people(size)):
        scores(user, 5.0 + number)
    scores(owner, 30.0)
    with django_assert_max_num_queries(4):
        standings(problem, owner, limit=5)


def test_past_the_end_there_is_an_empty_page_with_a_way_back(problem, owner, scores):
    scores(owner, 5.0)
    shown = standings(problem, after="9.0")
    assert (shown.rows, shown.total, shown.previous, shown.next) == ((), 1, "", None)


@given(st.lists(st.floats(0.5, 1e6), max_size=30).map(sorted), st.integers(1, 7))
def test_pages_by_cursor_are_the_list(values, limit):
    start, seen = 0, []
    while start < len(values):
        assert cursors.find(values, cursors.before(values, start)) == start
        seen += values[start : start + limit]
        start += limit
    assert seen == values
