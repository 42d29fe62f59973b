"""Tests the pages by address: who sees what, and the errors of refused forms."""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from judge.report import CaseReport, Diagnostic, Mismatch, Report, StageTime
from problems.vocabulary import Group, Severity, Stage, Verdict
from tests.conftest import new_problem
from tests.unit.web.figures import FLOOR_US, SECRET_SIZE, record, timed_report, timing
from web.accounts.models import User
from web.catalog.models import Problem
from web.submissions import services
from web.submissions.models import Submission

HTMX = {"HX-Request": "true"}
ATTACK = "<img src=x onerror=alert(1)>"

REPORT = Report(
    Verdict.WRONG_ANSWER,
    "Case odd-secret is wrong.",
    stages=(StageTime(Stage.COMPILE, 800.0), StageTime(Stage.CHECK, 200.0)),
    cases=(
        CaseReport("sample", Group.SAMPLE, public=True, verdict=Verdict.ACCEPTED, sizes={"n": 4}),
        CaseReport(
            "odd-secret",
            Group.ODD,
            public=False,
            verdict=Verdict.WRONG_ANSWER,
            sizes={"n": 31337},
            checked=31337,
            mismatched=1,
            mismatches=(Mismatch("c", (31336,), "1.5", "secret", 0.25, 0.1),),
        ),
    ),
    diagnostics=(
        Diagnostic(Severity.NOTE, "launch", "add<<<(1,1,1), (32,1,1)>>>"),
        Diagnostic(
            *(Severity.WARNING, "race", f"{ATTACK} races", "add", (0, 0, 0), (1, 0, 0)),
            line=1,
        ),
    ),
    log=ATTACK,
    output=ATTACK,
    environment={"nvcc": "13.0"},
)


@pytest.fixture
def visitor() -> Client:
    return Client()


@pytest.fixture
def owners(client: Client, owner: User) -> Client:
    """A client that the owner is signed in on."""
    client.force_login(owner)
    return client


@pytest.fixture
def judged(handed_in: Callable[..., Submission], owner: User) -> Submission:
    """A submission of the owner's with a report."""
    submission = handed_in(owner, f"// {ATTACK}\nvoid solve() {{}}\n")
    claim = services.claim("test")
    assert claim is not None
    assert services.record(claim, REPORT)
    return submission


def text(client: Client, path: str, status: int = 200) -> str:
    """The page at `path`."""
    response = client.get(path)
    assert response.status_code == status, path
    return response.content.decode()


@pytest.mark.parametrize(
    "path", ["/", "/problems", "/problems/vector-add", "/problems/vector-add/leaderboard", "/help"]
)
def test_pages_for_everybody(visitor: Client, problem: Problem, path: str) -> None:
    page = text(visitor, path)
    assert "<title>" in page
    assert 'lang="en"' in page


@pytest.mark.parametrize("path", ["/submissions", "/account"])
def test_pages_that_ask_to_sign_in(visitor: Client, problem: Problem, path: str) -> None:
    response = visitor.get(path)
    assert response.status_code == 302
    assert response["Location"].startswith("/accounts/login/")


def test_an_unpublished_problem_does_not_exist(visitor: Client, staff: User, problem: Problem) -> None:
    Problem.objects.update(published=False)
    assert "Page not found" in text(visitor, "/problems/vector-add", 404)
    text(visitor, "/problems/vector-add/leaderboard", 404)
    visitor.force_login(staff)
    text(visitor, "/problems/vector-add")


def test_anothers_submission_does_not_exist(
    visitor: Client, judged: Submission, teammate: User, staff: User
) -> None:
    text(visitor, f"/s/{judged.public_id}", 404)
    visitor.force_login(teammate)
    text(visitor, f"/s/{judged.public_id}", 404)
    text(visitor, f"/s/{judged.public_id}/report", 404)
    visitor.force_login(staff)
    text(visitor, f"/s/{judged.public_id}")


def test_a_report_shows_what_its_author_may_see(owners: Client, judged: Submission) -> None:
    page = text(owners, f"/s/{judged.public_id}")
    assert "Wrong answer" in page
    assert "1 of 2 cases passed" in page
    assert "31337" not in page.replace("31337 elements", "")
    assert "secret" not in page.replace(REPORT.message, "")
    assert 'aria-label="Launches of add"' in page


def test_stages_that_came_twice_are_one_part_of_the_bar(
    owners: Client, handed_in: Callable[..., Submission], owner: User
) -> None:
    names = ("compile", "start", "load", "check", "wait", "load", "check", "rank", "novel")
    stages = tuple(StageTime(name, 100.0) for name in names)
    submission = record(handed_in(owner), replace(timed_report(), stages=stages))
    page = text(owners, f"/s/{submission.public_id}")
    looks = re.findall(r'<rect class="stage-(\d)" x="(\d+)"', page)
    assert [look for look, _ in looks] == ["0", "1", "2", "3", "6", "4", "8"]
    assert looks[3] == ("3", "444")
    assert "0.90 s" in page or "900 ms" in page


def test_hostile_texts_are_escaped(owners: Client, judged: Submission) -> None:
    for path in (f"/s/{judged.public_id}", f"/s/{judged.public_id}/report"):
        assert ATTACK not in text(owners, path)


def test_diagnostics_stand_on_their_lines(owners: Client, judged: Submission) -> None:
    page = text(owners, f"/s/{judged.public_id}")
    assert 'class="line marked tone-limit" id="L1"' in page
    assert f'href="/s/{judged.public_id}#L1"' in page


def test_only_staff_has_it_judged_again(owners: Client, judged: Submission, staff: User) -> None:
    assert owners.post(f"/s/{judged.public_id}/rejudge").status_code == 403
    owners.force_login(staff)
    assert owners.post(f"/s/{judged.public_id}/rejudge").status_code == 302
    judged.job.refresh_from_db()
    assert judged.job.state == "queued"


def test_the_live_panel_begins_at_the_latest_judgement(owners: Client, judged: Submission) -> None:
    services.rejudge(judged)
    page = text(owners, f"/s/{judged.public_id}/report")
    assert "?after=3" in page


def test_only_the_author_cancels(
    visitor: Client, handed_in: Callable[..., Submission], owner: User, teammate: User
) -> None:
    submission = handed_in(owner)
    visitor.force_login(teammate)
    assert visitor.post(f"/s/{submission.public_id}/cancel").status_code == 404
    visitor.force_login(owner)
    visitor.post(f"/s/{submission.public_id}/cancel")
    assert "Cancelled" in text(visitor, f"/s/{submission.public_id}")


PROGRAM = {"language": "cuda", "mode": "run", "source": "void solve() {}"}


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"source": ""}, "empty"),
        ({"source": "x" * 70_000}, "bytes"),
        ({"language": "fortran"}, "fortran"),
        ({"mode": "win"}, "win"),
        ({"cases": "own", "size_n": "0"}, "n"),
        ({"cases": "own"}, "required"),
    ],
)
def test_a_refused_program_says_why(
    owners: Client, problem: Problem, change: dict[str, str], complaint: str
) -> None:
    response = owners.post("/problems/vector-add/submissions", {**PROGRAM, **change}, headers=HTMX)
    assert response.status_code == 422
    assert complaint in response.content.decode()
    assert not Submission.objects.exists()


def test_a_program_gets_the_live_panel_or_its_page(owners: Client, problem: Problem) -> None:
    panel = owners.post("/problems/vector-add/submissions", PROGRAM, headers=HTMX)
    assert 'data-widget="verdict"' in panel.content.decode()
    without_scripts = owners.post("/problems/vector-add/submissions", PROGRAM)
    assert without_scripts["Location"].startswith("/s/")


def test_own_sizes_reach_the_submission(owners: Client, problem: Problem) -> None:
    owners.post("/problems/vector-add/submissions", {**PROGRAM, "cases": "own", "size_n": "9"}, headers=HTMX)
    assert Submission.objects.get().sizes == {"n": 9}


def test_a_stranger_who_submits_is_sent_to_sign_in(visitor: Client, problem: Problem) -> None:
    response = visitor.post("/problems/vector-add/submissions", PROGRAM)
    assert response["Location"] == "/accounts/login/?next=/problems/vector-add"


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("", 1),
        ("?q=vector", 1),
        ("?q=zzz", 0),
        ("?tag=elementwise", 1),
        ("?tag=x", 0),
        ("?difficulty=hard", 0),
        ("?difficulty=x", 1),
    ],
)
def test_the_list_is_narrowed_by_its_address(
    visitor: Client, problem: Problem, query: str, count: int
) -> None:
    assert text(visitor, f"/problems{query}").count('class="problem-row"') == count


def test_htmx_gets_the_list_alone(visitor: Client, problem: Problem) -> None:
    page = visitor.get("/problems", headers=HTMX).content.decode()
    assert "<html" not in page
    assert 'id="listing"' in page


def test_the_list_knows_what_one_has_tried(owners: Client, judged: Submission) -> None:
    assert text(owners, "/problems?status=attempted").count('class="problem-row"') == 1
    assert text(owners, "/problems?status=solved").count('class="problem-row"') == 0
    assert "Continue with" in text(owners, "/")


def test_the_scheme_comes_with_the_first_byte(visitor: Client, problem: Problem) -> None:
    visitor.cookies["theme"] = "dark"
    assert 'data-theme="dark"' in text(visitor, "/")
    visitor.cookies["theme"] = '"><script>'
    assert "data-theme" not in text(visitor, "/")


def test_a_form_without_its_token_is_explained(
    browser_of: Callable[[User | AnonymousUser], Client], owner: User
) -> None:
    response = browser_of(owner).post("/account/tokens", {"name": "x", "scope": "read"})
    assert response.status_code == 403
    assert "The form has expired" in response.content.decode()


@pytest.mark.parametrize("path", ["login", "signup", "password/reset", "password/reset/done", "logout"])
def test_pages_of_signing_up_and_in_are_ours(visitor: Client, db: None, path: str) -> None:
    response = visitor.get(f"/accounts/{path}/", follow=True)
    assert 'class="masthead"' in response.content.decode()


def test_help_explains_every_verdict(visitor: Client, db: None) -> None:
    page = text(visitor, "/help")
    assert all(f'id="verdict-{verdict}"' in page for verdict in Verdict)


def test_help_searches_reports_once_a_minute(visitor: Client, judged: Submission) -> None:
    text(visitor, "/help")
    with CaptureQueriesContext(connection) as asked:  # without reports in a language, each reads all of them
        text(visitor, "/help")
    assert len(asked) == 0


def test_help_promises_no_figures_of_hidden_cases(visitor: Client, db: None) -> None:
    page = text(visitor, "/help")
    assert "You see no sizes, counts, values or program output." in page
    assert "a few, many, most or all elements are wrong" in page


def test_a_message_is_a_list_inside_a_status(owners: Client, judged: Submission) -> None:
    owners.post(f"/s/{judged.public_id}/share", {"shared": "yes"})
    page = text(owners, f"/s/{judged.public_id}")
    assert re.search(r'<div class="messages" role="status">\s*<ul class="message-list"><li ', page)


def test_help_defines_a_time(visitor: Client, db: None) -> None:
    page = text(visitor, "/help")
    section = page[page.index('id="time"') : page.index('id="ties"')]
    for words in ("the best of three single calls", "cold L2 cache", "default stream", "do_bench"):
        assert words in section


def test_problems_stand_in_the_order_of_the_track(visitor: Client, problem: Problem) -> None:
    new_problem("aaa-last", track_day=None)
    new_problem("bbb-third", track_day=3)
    found = re.findall(r'<h3><a href="/problems/([a-z-]+)"', text(visitor, "/"))
    assert found == ["vector-add", "bbb-third", "aaa-last"]


def test_the_language_used_last_comes_up(owners: Client, judged: Submission, problem: Problem) -> None:
    owners.post("/problems/vector-add/submissions", {**PROGRAM, "language": "triton"})
    assert 'name="language" value="triton"' in text(owners, "/problems/vector-add")
    assert 'name="language" value="cuda"' in text(owners, "/problems/vector-add?language=cuda")


@pytest.fixture
def timed(handed_in: Callable[..., Submission], owner: User) -> Submission:
    """A submission of the owner's that was timed on a GPU, at the second attempt."""
    return record(handed_in(owner), timed_report(5.0, attempts=2))


def test_a_report_shows_score_times_and_resources(owners: Client, timed: Submission) -> None:
    for path in (f"/s/{timed.public_id}", f"/s/{timed.public_id}/report"):
        page = text(owners, path)
        assert "5.000 µs" in page
        assert "4.950 to 5.050 µs" in page
        assert "81 %" in page
        assert "NVIDIA H200" in page
        assert "2.475 to 2.525 µs" in page
        assert "includes host code" not in page
        assert "add(float*)" in page
        assert "8 B out, 12 B in" in page
        assert "first run was disturbed" in page
    assert "580.159.03" in text(owners, f"/s/{timed.public_id}")


def test_a_report_says_where_a_time_includes_launching(
    owners: Client, handed_in: Callable[..., Submission], owner: User
) -> None:
    report = timed_report(5.0)
    called = replace(report.cases[1], timing=replace(timing(2.5), queued=False))
    report = replace(report, cases=(report.cases[0], called, report.cases[2]))
    page = text(owners, f"/s/{record(handed_in(owner), report).public_id}")
    assert "The time of timed 1 includes host code: the program waits for the GPU in solve" in page


def test_a_timed_case_without_a_time_says_why(
    owners: Client, handed_in: Callable[..., Submission], owner: User
) -> None:
    why = "Times under 10 ms are not ranked."
    report = timed_report(5.0)
    untimed = replace(report.cases[2], timing=None, message=why)
    report = replace(report, message=why, cases=(*report.cases[:2], untimed), score=None)
    page = text(owners, f"/s/{record(handed_in(owner), report).public_id}")
    cases = page[page.index('aria-label="Cases"') :]
    assert f'<span class="muted">{why}</span>' in cases


def test_times_of_hidden_cases_tell_their_author_no_sizes(
    owners: Client, staff: User, timed: Submission
) -> None:
    page = text(owners, f"/s/{timed.public_id}")
    assert str(SECRET_SIZE) not in page
    assert str(FLOOR_US) not in page
    owners.force_login(staff)
    assert str(SECRET_SIZE) in text(owners, f"/s/{timed.public_id}")


def test_listings_are_shown_escaped_with_line_numbers(owners: Client, timed: Submission) -> None:
    page = text(owners, f"/s/{timed.public_id}")
    address = f"/s/{timed.public_id}/listings/ptx"
    assert f'href="{address}"' in page
    listing = text(owners, address)
    assert 'id="L2"' in listing
    assert "&lt;b&gt;ptx&lt;/b&gt;" in listing
    assert "<b>ptx" not in listing
    plain = owners.get(f"{address}.txt")
    assert plain["Content-Type"] == "text/plain; charset=utf-8"
    assert plain["X-Content-Type-Options"] == "nosniff"
    assert plain.content.decode() == ".version 9.0\n// <b>ptx</b>\n"


def test_a_long_listing_is_cut_and_says_so(
    owners: Client, handed_in: Callable[..., Submission], owner: User
) -> None:
    report = replace(timed_report(), listings={"sass": "NOP;\n" * 6000})
    submission = record(handed_in(owner), report)
    page = text(owners, f"/s/{submission.public_id}/listings/sass")
    assert page.count('class="line"') == 5000
    assert "6000 lines" in page
    assert "first 5000 lines" in page


def test_listings_are_for_those_who_may_see_the_submission(
    visitor: Client, timed: Submission, teammate: User, owner: User
) -> None:
    for path in ("listings/ptx", "listings/ptx.txt"):
        text(visitor, f"/s/{timed.public_id}/{path}", 404)
        visitor.force_login(teammate)
        text(visitor, f"/s/{timed.public_id}/{path}", 404)
        visitor.logout()
    visitor.force_login(owner)
    text(visitor, f"/s/{timed.public_id}/listings/elf", 404)
    text(visitor, f"/s/{timed.public_id}/listings/elf.txt", 404)


def test_the_board_shows_places_intervals_and_ties(
    owners: Client, timed: Submission, handed_in: Callable[..., Submission], teammate: User, staff: User
) -> None:
    record(handed_in(teammate), timed_report(5.06, 0.05))
    record(handed_in(staff), timed_report(9.0, 0.05))
    page = text(owners, "/problems/vector-add/leaderboard")
    assert re.findall(r"rank\">(\d+)", page) == ["1", "1", "3"]
    assert page.count("the intervals overlap") == 2
    assert "4.950 to 5.050 µs" in page
    assert re.search(r'class="mine".*\n.*\n\s*<th scope="row"><a href="/u/owner">', page)
    assert "nvcc 13.0.88" in page
    assert "nothing is ranked" not in page


def test_the_board_is_chosen_by_the_address(owners: Client, timed: Submission) -> None:
    board = "/problems/vector-add/leaderboard"
    address = "?gpu=NVIDIA+H200&amp;language=triton"
    assert address in text(owners, board)
    for query in ("?language=triton", "?gpu=NVIDIA+B200", "?gpu=%00&language=triton"):
        assert "No scores on the current version" in text(owners, f"{board}{query}")
    assert "5.000 µs" in text(owners, f"{board}?language=fortran")
    hostile = owners.get(board, {"gpu": ATTACK}).content.decode()
    assert ATTACK not in hostile


def test_scores_on_an_earlier_version_are_shown_and_do_not_rank(
    owners: Client, timed: Submission, problem: Problem
) -> None:
    Problem.objects.update(version="2")
    page = text(owners, "/problems/vector-add/leaderboard")
    assert "No scores on the current version" in page
    assert "For scores on earlier versions" in page
    assert "5.000 µs" not in page
    earlier = text(owners, "/problems/vector-add/leaderboard?version=1")
    assert "count for the current version" in earlier
    assert "5.000 µs" in earlier
