"""Hints, opened one by one, and giving up, which opens the editorial and nothing else."""

import json

import pytest
from django.urls import reverse

from judge.report import Report
from problems.vocabulary import Language, Mode, Verdict
from tests.conftest import new_problem
from web.accounts.models import Scope
from web.accounts.services import issue_token
from web.catalog.models import Problem
from web.hints import queries, services
from web.hints.models import GivenUp, OpenedHint
from web.hints.pages import hints_part
from web.privacy import export
from web.privacy.deletion import delete_account
from web.submissions import services as submissions
from web.submissions.models import Progress, Submission

pytestmark = pytest.mark.django_db
TEXTS = ["Look at the *last* block.", "Guard the index.", "Round the grid up."]
PAGE = "/problems/vector-add"
OPEN = f"{PAGE}/hints"
GIVE_UP = f"{PAGE}/give-up"
EDITORIAL = f"{PAGE}/editorial"
SECRET = "The trick is simple."


@pytest.fixture
def problem(db) -> Problem:
    return new_problem("vector-add", hints=TEXTS, editorial=SECRET)


@pytest.fixture
def browser_of(browser_of):
    """Browsers that send forms without a token."""

    def sign_in(person):
        browser = browser_of(person)
        browser.handler.enforce_csrf_checks = False
        return browser

    return sign_in


def text_of(answer) -> str:
    return answer.content.decode()


def bearer(person, scope: Scope = Scope.SUBMIT) -> dict[str, str]:
    return {"Authorization": f"Bearer {issue_token(person, name='test', scope=scope)[1]}"}


def solve(person, problem) -> None:
    submissions.submit(person, problem, language=Language.CUDA, source="x", mode=Mode.SUBMIT)
    submissions.record(submissions.claim("w"), Report(Verdict.ACCEPTED))


class TestOpening:
    def test_they_open_in_order_and_stay_open(self, problem, owner, browser_of):
        browser = browser_of(owner)
        page = text_of(browser.get(PAGE))
        assert "Open hint 1 of 3" in page
        assert "last" not in page.partition('id="hints"')[2].partition("</section>")[0]
        for number in (1, 2, 3):
            answer = browser.post(OPEN, {"number": number})
            assert (answer.status_code, answer.url) == (302, f"{PAGE}#hints")
        page = text_of(browser.get(PAGE))
        assert page.count('<details class="fold" open><summary>Hint') == 3
        assert "<em>last</em>" in page
        assert "Open hint" not in page
        assert [*OpenedHint.objects.values_list("number", flat=True).order_by("number")] == [1, 2, 3]

    def test_none_is_skipped_or_opened_twice(self, problem, owner, browser_of):
        browser = browser_of(owner)
        browser.post(OPEN, {"number": "3"})
        browser.post(OPEN, {"number": "1"})  # a double click
        assert OpenedHint.objects.get().number == 1
        assert "Guard the index" not in text_of(browser.get(PAGE))

    @pytest.mark.parametrize("number", ["", "x", "-1", "99999999999999999999", "\u0663"])
    def test_any_number_opens_at_most_the_next(self, problem, owner, browser_of, number):
        assert browser_of(owner).post(OPEN, {"number": number}).status_code == 302
        assert OpenedHint.objects.count() <= 1

    def test_after_the_last_there_is_none(self, problem, owner, browser_of):
        browser = browser_of(owner)
        for _ in range(4):
            browser.post(OPEN)
        assert OpenedHint.objects.count() == 3
        assert "All hints are open." in text_of(browser.get(PAGE))

    def test_the_language_stays(self, problem, owner, browser_of):
        browser = browser_of(owner)
        assert browser.post(OPEN, {"language": "triton"}).url == f"{PAGE}?language=triton#hints"
        assert browser.post(OPEN, {"language": "//evil"}).url == f"{PAGE}#hints"

    def test_a_script_gets_the_part_of_the_page(self, problem, owner, browser_of):
        answer = browser_of(owner).post(OPEN, {"number": 1}, headers={"HX-Request": "true"})
        assert answer.status_code == 200
        assert text_of(answer).lstrip().startswith("<section")
        assert "Open hint 2 of 3" in text_of(answer)

    def test_visitors_are_asked_to_sign_in(self, problem, client):
        section = text_of(client.get(PAGE)).partition('id="hints"')[2].partition("</section>")[0]
        assert "There are 3 hints." in section
        assert f'href="/accounts/login/?next={PAGE}"' in section
        assert "block" not in section
        assert client.post(OPEN).url.startswith("/accounts/login/")
        answer = client.post(OPEN, headers={"HX-Request": "true"})
        assert answer.headers["HX-Redirect"].startswith("/accounts/login/")
        assert not OpenedHint.objects.exists()

    def test_a_hidden_problem_has_none(self, problem, owner, browser_of):
        Problem.objects.update(published=False)
        assert browser_of(owner).post(OPEN).status_code == 404

    def test_a_problem_without_hints_shows_no_section(self, owner, browser_of):
        new_problem("vector-add")
        assert 'id="hints"' not in text_of(browser_of(owner).get(PAGE))
        assert browser_of(owner).post(OPEN).status_code == 302

    def test_it_changes_no_progress(self, problem, owner, browser_of):
        browser_of(owner).post(OPEN)
        assert not Progress.objects.exists()

    def test_a_shorter_list_of_hints_shows_what_there_is(self, problem, owner, browser_of):
        for _ in TEXTS:
            services.open_next(owner, problem)
        Problem.objects.update(hints=TEXTS[:1])
        assert "Hint 1 of 1" in text_of(browser_of(owner).get(PAGE))

    def test_the_hints_of_others_stay_closed(self, problem, owner, teammate, browser_of):
        services.open_next(owner, problem)
        assert "Open hint 1 of 3" in text_of(browser_of(teammate).get(PAGE))

    def test_they_take_three_queries_and_one_for_visitors(
        self, problem, owner, stranger, django_assert_num_queries
    ):
        for _ in TEXTS:
            services.open_next(owner, problem)
        with django_assert_num_queries(3):
            assert len(hints_part(owner, problem).opened) == 3
        with django_assert_num_queries(1):
            assert hints_part(stranger, problem).opened == ()


class TestContests:
    def test_a_running_contest_keeps_them_closed(self, problem, owner, contest, browser_of):
        OpenedHint.objects.create(user=owner, problem=problem, number=1)
        browser = browser_of(owner)
        page = text_of(browser.get(PAGE))
        assert "Hints open when it ends." in page
        assert "<em>last</em>" not in page
        browser.post(OPEN, {"number": 2})
        assert OpenedHint.objects.count() == 1
        assert browser.post(GIVE_UP).url == PAGE
        assert not GivenUp.objects.exists()

    def test_it_closes_the_editorial_for_those_who_only_gave_up(
        self, problem, owner, teammate, contest, browser_of, client
    ):
        for person in (owner, teammate):
            GivenUp.objects.create(user=person, problem=problem)
        solve(teammate, problem)
        closed = browser_of(owner).get(EDITORIAL)
        assert closed.status_code == 403
        assert SECRET not in text_of(closed)
        assert "A contest with this problem is running." in text_of(closed)
        address = "/api/v1/problems/vector-add"
        assert client.get(address, headers=bearer(owner)).json()["editorial"] is None
        assert SECRET in text_of(browser_of(teammate).get(EDITORIAL))
        contest.delete()
        assert SECRET in text_of(browser_of(owner).get(EDITORIAL))

    def test_staff_and_instructors_read_them(self, problem, staff, contest, browser_of):
        browser_of(staff).post(OPEN)
        assert "<em>last</em>" in text_of(browser_of(staff).get(PAGE))

    def test_the_api_says_so(self, problem, owner, contest, client):
        OpenedHint.objects.create(user=owner, problem=problem, number=1)
        address = "/api/v1/problems/vector-add/hints"
        assert client.get(address, headers=bearer(owner)).json() == {"total": 3, "closed": True, "opened": []}
        answer = client.post(address, headers=bearer(owner))
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "conflict")
        assert "contest" in answer.json()["error"]["message"]


class TestApi:
    def test_it_lists_and_opens(self, problem, owner, client):
        address = "/api/v1/problems/vector-add/hints"
        assert client.get(address, headers=bearer(owner)).json()["opened"] == []
        for number in (1, 2, 3):
            answer = client.post(address, headers=bearer(owner)).json()
            assert answer == {"total": 3, "closed": False, "opened": TEXTS[:number]}
        assert client.post(address, headers=bearer(owner)).status_code == 409

    def test_it_needs_a_token_that_may_submit(self, problem, owner, client):
        address = "/api/v1/problems/vector-add/hints"
        assert client.get(address).status_code == client.post(address).status_code == 401
        assert client.post(address, headers=bearer(owner, Scope.READ)).status_code == 403
        assert client.get(address, headers=bearer(owner, Scope.READ)).status_code == 200


class TestGivingUp:
    def test_it_asks_first_and_opens_the_editorial_only(self, problem, owner, browser_of):
        browser = browser_of(owner)
        closed = text_of(browser.get(EDITORIAL))
        assert SECRET not in closed
        assert GIVE_UP in closed
        assert "Give up and read the editorial?" in text_of(browser.get(GIVE_UP))
        assert not GivenUp.objects.exists()
        assert browser.post(GIVE_UP).url == EDITORIAL
        assert GivenUp.objects.get().user == owner
        page = text_of(browser.get(EDITORIAL))
        assert SECRET in page
        assert "/discussion" not in page
        assert browser.get(f"{PAGE}/discussion").status_code == 403
        assert f'href="{EDITORIAL}" data-once-solved>' in text_of(browser.get(PAGE))
        assert f'href="{PAGE}/discussion" data-once-solved hidden>' in text_of(browser.get(PAGE))

    def test_it_is_recorded_once(self, problem, owner, browser_of):
        for _ in range(2):
            services.give_up(owner, problem)
            assert browser_of(owner).post(GIVE_UP).url == EDITORIAL
        assert GivenUp.objects.count() == 1

    def test_the_problem_can_still_be_solved(self, problem, owner, browser_of):
        services.give_up(owner, problem)
        solve(owner, problem)
        assert Progress.objects.get().solved is not None
        assert browser_of(owner).get(f"{PAGE}/discussion").status_code == 200

    def test_who_solved_it_has_nothing_to_give_up(self, problem, owner, browser_of):
        solve(owner, problem)
        assert "give-up" not in text_of(browser_of(owner).get(PAGE))
        assert browser_of(owner).post(GIVE_UP).url == EDITORIAL
        assert not GivenUp.objects.exists()

    def test_visitors_and_hidden_problems(self, problem, owner, client, browser_of):
        assert client.get(GIVE_UP).url.startswith("/accounts/login/")
        assert GIVE_UP not in text_of(client.get(EDITORIAL))
        Problem.objects.update(published=False)
        assert browser_of(owner).post(GIVE_UP).status_code == 404

    def test_without_an_editorial_there_is_nothing_to_open(self, problem, owner, browser_of):
        Problem.objects.update(editorial="")
        assert "give-up" not in text_of(browser_of(owner).get(PAGE))
        assert browser_of(owner).get(GIVE_UP).status_code == 404

    def test_the_api_has_the_editorial_too(self, problem, owner, teammate, client):
        services.give_up(owner, problem)
        shown = {
            person: client.get("/api/v1/problems/vector-add", headers=bearer(person)).json()["editorial"]
            for person in (owner, teammate)
        }
        assert shown == {owner: SECRET, teammate: None}

    def test_the_boards_show_the_tab(self, problem, owner, browser_of):
        services.give_up(owner, problem)
        page = text_of(browser_of(owner).get(f"{PAGE}/leaderboard"))
        assert EDITORIAL in page
        assert f"{PAGE}/discussion" not in page


def test_the_account_exports_and_deletes_them(problem, owner):
    services.open_next(owner, problem)
    services.give_up(owner, problem)
    told = json.loads("".join(export.document(owner)))
    assert [(row["problem"], row["number"]) for row in told["opened_hints"]] == [("vector-add", 1)]
    assert [row["problem"] for row in told["given_up"]] == ["vector-add"]
    delete_account(owner)
    assert not OpenedHint.objects.exists()
    assert not GivenUp.objects.exists()


def test_staff_see_who_gave_up_and_change_nothing(problem, owner, staff, browser_of):
    services.give_up(owner, problem)
    staff.is_superuser = True
    staff.save()
    browser = browser_of(staff)
    assert "owner" in text_of(browser.get(reverse("admin:hints_givenup_changelist")))
    assert browser.get(reverse("admin:hints_givenup_add")).status_code == 403


def test_instructors_see_on_a_submission_that_its_author_gave_up(problem, owner, teammate, browser_of):
    solve(owner, problem)
    address = f"/s/{Submission.objects.get().public_id}"
    teammate.is_instructor = True
    teammate.save()
    assert "<dt>Gave up</dt>" not in text_of(browser_of(teammate).get(address))
    GivenUp.objects.create(user=owner, problem=problem)
    assert "<dt>Gave up</dt>" in text_of(browser_of(teammate).get(address))
    assert "<dt>Gave up</dt>" not in text_of(browser_of(owner).get(address))


def test_the_rule_in_one_place(problem, owner, stranger):
    problem.solved = False
    assert not queries.may_read_editorial(owner, problem)
    assert not queries.may_read_editorial(stranger, problem)
    services.give_up(owner, problem)
    assert queries.may_read_editorial(owner, problem)
    problem.editorial = ""
    assert not queries.may_read_editorial(owner, problem)
