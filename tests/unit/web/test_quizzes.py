"""Tests quizzes: loaded from files, answered on pages and through the API, with private attempts."""

import json
import re
from dataclasses import replace
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone

from problems.loader import problems_root
from problems.quiz_files import check_quiz, load_quizzes
from tests.unit.problems.quizzes.test_format import QUIZ
from web.accounts.models import Scope, User
from web.accounts.services import issue_token
from web.audit.models import AuditEntry, AuditKind
from web.privacy import export
from web.privacy.deletion import delete_account
from web.quizzes import queries, services
from web.quizzes.models import Attempt, Quiz, Sitting

pytestmark = pytest.mark.django_db
PAGE = "/quizzes/sums"
API = "/api/v1/quizzes/sums"


@pytest.fixture
def quiz(db) -> Quiz:
    return services.write(check_quiz("sums", QUIZ), from_files=True)


@pytest.fixture
def browser_of(browser_of):
    """Browsers that send forms without a token."""

    def sign_in(person):
        browser = browser_of(person)
        browser.handler.enforce_csrf_checks = False
        return browser

    return sign_in


def form(person, quiz, *, right: bool = True, **changed: str) -> dict[str, str]:
    """The form as `person` would send it, with right answers or with wrong ones."""
    draw = queries.next_draw(person, quiz)
    sent = {"draw": str(draw), "version": quiz.version}
    for index, question in enumerate(queries.paper_of(person, quiz, draw).questions, start=1):
        if question.options:
            place = int(question.answer) if right else (int(question.answer) + 1) % len(question.options)
            sent[f"q{index}"] = str(place)
        else:
            sent[f"q{index}"] = repr(question.answer) if right else "1,234"
    return sent | changed


def text_of(answer) -> str:
    return answer.content.decode()


class TestAnswering:
    def test_right_answers_solve_it(self, quiz, owner, browser_of):
        browser = browser_of(owner)
        assert "Submit answers" in text_of(browser.get(PAGE))
        answer = browser.post(PAGE, form(owner, quiz))
        assert (answer.status_code, answer.url) == (302, f"{PAGE}/attempts/1")
        page = text_of(browser.get(answer.url))
        assert "Attempt 1: 2 of 2 right" in page
        assert "You have solved this quiz." in page
        assert page.count("Right</span>") == 2
        attempt = Attempt.objects.get()
        assert (attempt.right, attempt.questions, attempt.passed, attempt.draw) == (2, 2, True, 1)
        assert "Solved" in text_of(browser.get(PAGE))
        assert queries.live_quizzes(owner)["sums"].state == "solved"

    def test_wrong_answers_are_explained_and_the_next_attempt_has_other_numbers(
        self, quiz, owner, browser_of
    ):
        browser = browser_of(owner)
        first = queries.paper_of(owner, quiz, 1)
        browser.post(PAGE, form(owner, quiz, right=False))
        page = text_of(browser.get(f"{PAGE}/attempts/1"))
        assert "Not passed." in page
        assert "1234 GB" in page
        assert "Try again with new numbers" in page
        assert queries.live_quizzes(owner)["sums"].state == "attempted"
        assert queries.next_draw(owner, quiz) == 2
        papers = [queries.paper_of(owner, quiz, draw) for draw in range(1, 7)]
        assert papers[0] == first
        assert len({paper.intro for paper in papers}) > 1

    def test_a_known_mistake_gets_its_hint(self, quiz, owner, browser_of):
        browser = browser_of(owner)
        [mistake] = queries.paper_of(owner, quiz, 1).questions[0].mistakes
        browser.post(PAGE, form(owner, quiz, q1=repr(mistake.answer)))
        assert "You multiplied" in text_of(browser.get(f"{PAGE}/attempts/1"))

    def test_missing_and_unreadable_answers_are_named_and_nothing_is_recorded(self, quiz, owner, browser_of):
        browser = browser_of(owner)
        answer = browser.post(PAGE, form(owner, quiz, q1="1,5", q2=""))
        assert answer.status_code == 422
        page = text_of(answer)
        assert page.count("Write a decimal point") == 1
        assert page.count("Choose one of the options.") == 1
        assert page.count('<li><a href="#q') == 2
        assert 'value="1,5"' in page
        assert 'aria-invalid="true"' in page
        assert not Attempt.objects.exists()
        for given in ("7", "-1", "x" * 9999, "0 "):
            assert browser.post(PAGE, form(owner, quiz, q2=given)).status_code == 422

    def test_the_same_form_counts_once(self, quiz, owner, browser_of):
        browser = browser_of(owner)
        sent = form(owner, quiz, right=False)
        browser.post(PAGE, sent)
        answer = browser.post(PAGE, sent | form(owner, quiz) | {"draw": "1"})
        assert answer.url == f"{PAGE}/attempts/1"
        assert not Attempt.objects.get().passed

    @pytest.mark.parametrize(
        "changed", [{"version": "other"}, {"draw": "7"}, {"draw": "x"}, {"draw": "9" * 99}]
    )
    def test_answers_to_other_numbers_are_refused(self, quiz, owner, browser_of, changed):
        answer = browser_of(owner).post(PAGE, form(owner, quiz) | changed)
        assert answer.status_code == 409
        assert "These answers were for different numbers." in text_of(answer)
        assert not Attempt.objects.exists()

    def test_there_is_a_limit_for_each_day(self, quiz, owner, browser_of):
        for draw in range(1, services.MAX_ATTEMPTS_A_DAY + 1):
            attempt = {
                "version": quiz.version,
                "answers": ["1", "0"],
                "right": 0,
                "questions": 2,
                "passed": False,
            }
            Attempt.objects.create(user=owner, quiz=quiz, draw=draw, **attempt)
        browser = browser_of(owner)
        answer = browser.post(PAGE, form(owner, quiz))
        assert answer.status_code == 409
        assert "Try again tomorrow." in text_of(answer)
        Attempt.objects.update(created=timezone.now() - timedelta(days=2))
        assert browser.post(PAGE, form(owner, quiz)).status_code == 302

    def test_attempts_come_in_pages(self, quiz, owner, browser_of, django_assert_max_num_queries):
        Attempt.objects.bulk_create(
            Attempt(
                user=owner,
                quiz=quiz,
                draw=draw,
                version=quiz.version,
                answers=["1", "0"],
                right=2,
                questions=2,
                passed=draw == 1,
            )
            for draw in range(1, 61)
        )
        browser = browser_of(owner)
        with django_assert_max_num_queries(9):
            page = text_of(browser.get(PAGE))
        assert page.count(f'href="{PAGE}/attempts/') == 50
        assert "Solved" in page, "also if the attempt that passed is on another page"
        assert '<a class="button" href="?before=11#attempts-heading">Older</a>' in page
        page = text_of(browser.get(f"{PAGE}?before=11"))
        assert page.count(f'href="{PAGE}/attempts/') == 10
        assert "Older" not in page

    def test_attempts_are_ones_own(self, quiz, owner, teammate, browser_of, client):
        browser_of(owner).post(PAGE, form(owner, quiz))
        assert browser_of(teammate).get(f"{PAGE}/attempts/1").status_code == 404
        assert browser_of(owner).get(f"{PAGE}/attempts/{10**30}").status_code == 404
        assert client.get(f"{PAGE}/attempts/1").status_code == 302
        assert queries.live_quizzes(teammate)["sums"].state == "new"

    def test_people_get_other_numbers(self, quiz, owner, teammate):
        drawn = [queries.paper_of(person, quiz, 1).intro for person in (owner, teammate)]
        later = [queries.paper_of(person, quiz, 2).intro for person in (owner, teammate)]
        assert drawn != later or drawn[0] != drawn[1]

    def test_an_attempt_at_an_earlier_version_keeps_its_mark(self, quiz, owner, browser_of):
        browser = browser_of(owner)
        browser.post(PAGE, form(owner, quiz))
        services.write(check_quiz("sums", QUIZ.replace("Add and", "Sum and")), from_files=True)
        page = text_of(browser.get(f"{PAGE}/attempts/1"))
        assert "2 of 2 right" in page
        assert "The quiz has changed since this attempt" in page


class TestVisitors:
    def test_they_read_example_numbers_and_are_asked_to_sign_in(self, quiz, client):
        page = text_of(client.get(PAGE))
        assert "These are example numbers." in page
        assert f'href="/accounts/login/?next={PAGE}"' in page
        assert "Submit answers" not in page
        assert page == text_of(client.get(PAGE)) or "csp" in page
        client.handler.enforce_csrf_checks = False
        assert client.post(PAGE, {"q1": "1"}).url.startswith("/accounts/login/")

    def test_the_list_and_its_queries(self, quiz, owner, client, django_assert_num_queries):
        assert "Sums" in text_of(client.get("/quizzes"))
        with django_assert_num_queries(1):
            [live] = queries.list_quizzes(owner)
        assert (live.slug, live.title, live.day, live.questions) == ("sums", "Sums", 3, 2)

    def test_the_list_does_not_read_the_attempts_of_others(self, quiz, owner, django_assert_num_queries):
        with django_assert_num_queries(1) as asked:
            queries.list_quizzes(owner)
        join = asked[0]["sql"].partition(" JOIN ")[2].partition(" WHERE ")[0]
        assert f'"user_id" = {owner.pk}' in join

    def test_unpublished_ones_are_for_teachers_and_missing_ones_for_no_user(
        self, quiz, staff, owner, teammate, browser_of, client
    ):
        User.objects.filter(pk=teammate.pk).update(is_instructor=True)
        Quiz.objects.update(published=False)
        for learner in (client, browser_of(owner)):
            assert learner.get(PAGE).status_code == 404
            assert "No quizzes yet." in text_of(learner.get("/quizzes"))
            assert learner.get("/api/v1/quizzes").json() == []
        for browser in (browser_of(staff), browser_of(teammate)):
            assert "Hidden from learners" in text_of(browser.get("/quizzes"))
            assert "Hidden from learners" in text_of(browser.get(PAGE))
            assert browser.get("/api/v1/quizzes/sums").status_code == 200
        Quiz.objects.update(live=False)
        for browser in (browser_of(staff), browser_of(teammate)):
            assert browser.get(PAGE).status_code == 404
        assert "No quizzes yet." in text_of(client.get("/quizzes"))

    def test_an_instructor_answers_a_hidden_one_and_uploads_and_publishes_none(
        self, quiz, teammate, browser_of
    ):
        User.objects.filter(pk=teammate.pk).update(is_instructor=True)
        browser = browser_of(teammate)
        Quiz.objects.update(published=False)
        assert browser.post(PAGE, form(teammate, quiz)).url == f"{PAGE}/attempts/1"
        assert "Attempt 1: 2 of 2 right" in text_of(browser.get(f"{PAGE}/attempts/1"))
        assert browser.get("/staff/quizzes").status_code == 404
        assert browser.post("/staff/quizzes/sums/publish").status_code == 404
        assert not Quiz.objects.get().published


class TestLoading:
    def test_files_come_go_and_come_back(self, quiz, owner):
        Quiz.objects.update(published=False)
        file = check_quiz("sums", QUIZ.replace('title = "Sums"', 'title = "Totals"'))
        assert services.sync([file]) == 1
        quiz.refresh_from_db()
        assert (quiz.title, quiz.published, quiz.live) == ("Totals", False, True)
        services.sync([])
        quiz.refresh_from_db()
        assert not quiz.live
        services.sync([file])
        quiz.refresh_from_db()
        assert quiz.live

    def test_uploaded_ones_stay(self, quiz):
        Quiz.objects.update(from_files=False, title="Mine")
        assert services.sync([check_quiz("sums", QUIZ)]) == 0
        quiz.refresh_from_db()
        assert (quiz.title, quiz.live) == ("Mine", True)

    def test_the_command_loads_them_and_reports_faults(self, db, settings, tmp_path, capsys):
        folder = tmp_path / "quizzes"
        folder.mkdir()
        (folder / "sums.toml").write_text(QUIZ)
        (folder / "broken.toml").write_text(QUIZ.replace("pass_mark = 1", "pass_mark = 9"))
        settings.WARPCOURT = replace(settings.WARPCOURT, problems_dir=tmp_path)
        with pytest.raises(CommandError, match=r"quizzes/broken.toml: pass_mark: must be from 1 to 2, is 9"):
            call_command("loadproblems")
        assert "1 quizzes" in capsys.readouterr().out
        assert Quiz.objects.get().slug == "sums"

    def test_answers_of_the_shipped_ones_that_are_rounded_to_whole_numbers_are_exact(self):
        files, _ = load_quizzes(problems_root())
        for file in files:
            for question in file.quiz.questions:
                rounded = question.answer.text.startswith(("ceil(", "floor("))
                assert not rounded or question.tolerance == 0, (file.slug, question.answer.text)

    def test_the_shipped_ones_load_and_their_pages_render_every_formula(self, owner, browser_of):
        files, faults = load_quizzes(problems_root())
        assert faults == ()
        services.sync(files)
        browser = browser_of(owner)
        for quiz in Quiz.objects.all():
            if quiz.minutes:
                browser.post(f"/quizzes/{quiz.slug}/start")
            page = text_of(browser.get(f"/quizzes/{quiz.slug}"))
            assert 'class="math"' not in page, quiz.slug  # TeX that is not known
            assert "{{" not in page
            browser.post(f"/quizzes/{quiz.slug}", form(owner, quiz))
            page = text_of(browser.get(f"/quizzes/{quiz.slug}/attempts/1"))
            assert f"{quiz.questions} of {quiz.questions} right" in page
            assert 'class="math"' not in page, quiz.slug
            assert "{{" not in page


class TestApi:
    def bearer(self, person, scope: Scope = Scope.SUBMIT) -> dict[str, str]:
        return {"Authorization": f"Bearer {issue_token(person, name='test', scope=scope)[1]}"}

    def test_a_quiz_is_read_and_answered(self, quiz, owner, client):
        headers = self.bearer(owner)
        body = client.get(API, headers=headers).json()
        assert (body["draw"], body["version"], len(body["questions"])) == (1, quiz.version, 2)
        assert "answer" not in json.dumps(body["questions"])
        answers = [form(owner, quiz)[name] for name in ("q1", "q2")]
        sent = {"draw": 1, "version": quiz.version, "answers": answers}
        attempt = client.post(
            f"{API}/attempts", sent, content_type="application/json", headers=headers
        ).json()
        assert (attempt["right"], attempt["passed"]) == (2, True)
        assert [mark["right"] for mark in attempt["marks"]] == [True, True]
        again = client.post(f"{API}/attempts", sent, content_type="application/json", headers=headers)
        assert again.status_code == 409
        [live] = client.get("/api/v1/quizzes", headers=headers).json()
        assert (live["slug"], live["solved"]) == ("sums", True)

    def test_faults_name_the_answer(self, quiz, owner, client):
        headers = self.bearer(owner)
        sent = {"draw": 1, "version": quiz.version, "answers": ["many", "0", "3"]}
        answer = client.post(f"{API}/attempts", sent, content_type="application/json", headers=headers)
        assert answer.status_code == 422
        assert set(answer.json()["error"]["fields"]) == {"answers.0", "answers.2"}

    def test_visitors_read_examples_and_readers_cannot_answer(self, quiz, owner, client):
        assert client.get(API).json()["draw"] == 0
        sent = {"draw": 1, "version": quiz.version, "answers": []}
        headers = self.bearer(owner, Scope.READ)
        for given, status in (({}, 401), (headers, 403)):
            answer = client.post(f"{API}/attempts", sent, content_type="application/json", headers=given)
            assert answer.status_code == status


class TestTimeLimit:
    @pytest.fixture
    def timed(self, db) -> Quiz:
        text = QUIZ.replace("pass_mark = 1", "pass_mark = 1\nminutes = 20")
        return services.write(check_quiz("sums", text), from_files=True)

    def move_start(self, minutes: float) -> None:
        Sitting.objects.update(started=timezone.now() - timedelta(minutes=minutes))

    def test_the_questions_appear_at_the_start(self, timed, owner, client, browser_of):
        page = text_of(client.get(PAGE))
        assert "Sign in to start" in page
        assert "Question 1" not in page
        browser = browser_of(owner)
        page = text_of(browser.get(PAGE))
        assert "You have 20 minutes for 2 questions" in page
        assert "Question 1" not in page
        refused = browser.post(PAGE, form(owner, timed))
        assert (refused.status_code, "Start it first." in text_of(refused)) == (409, True)
        assert browser.post(f"{PAGE}/start").url == PAGE
        page = text_of(browser.get(PAGE))
        assert "Question 1" in page
        assert "Submit your answers by" in page
        browser.post(PAGE, form(owner, timed))
        assert queries.live_quizzes(owner)["sums"].solved
        assert "Question 1" not in text_of(browser.get(PAGE))

    def test_a_second_start_does_not_extend_the_time(self, timed, owner):
        first = services.start(owner, timed)
        self.move_start(minutes=19)
        again = services.start(owner, timed)
        assert (again.pk, again.draw) == (first.pk, first.draw)
        assert again.due < timezone.now() + timedelta(minutes=1.1)

    @pytest.mark.parametrize(("minutes", "passed"), [(19.9, True), (20.1, True), (20.5, False)])
    def test_late_answers_are_marked_and_do_not_pass(self, timed, owner, browser_of, minutes, passed):
        services.start(owner, timed)
        self.move_start(minutes)
        answer = browser_of(owner).post(PAGE, form(owner, timed))
        attempt = Attempt.objects.get()
        assert (attempt.right, attempt.passed, attempt.late) == (2, passed, not passed)
        assert ("because the time was over" in text_of(browser_of(owner).get(answer.url))) is not passed

    def test_late_answers_with_a_fault_are_not_lost(self, timed, owner, browser_of):
        services.start(owner, timed)
        self.move_start(minutes=30)
        answer = browser_of(owner).post(PAGE, form(owner, timed, q1="4,5,6"))
        assert (answer.status_code, 'value="4,5,6"' in text_of(answer)) == (422, True)
        assert "Your answers no longer solve the quiz." in text_of(answer)

    def test_answers_may_be_missing(self, timed, owner, browser_of):
        browser = browser_of(owner)
        services.start(owner, timed)
        sent = form(owner, timed, q2="")
        page = text_of(browser.post(PAGE, sent))
        assert "Submit without these answers" in page
        assert not Attempt.objects.exists()
        answer = browser.post(PAGE, {**sent, "partial": "yes"})
        attempt = Attempt.objects.get()
        assert (attempt.right, attempt.passed, attempt.answers) == (1, True, [sent["q1"], ""])
        page = text_of(browser.get(answer.url))
        assert ">none</dd>" in page
        assert page.count("Wrong</span>") == 1

    def test_unreadable_answers_count_as_missing(self, timed, owner, browser_of):
        services.start(owner, timed)
        browser_of(owner).post(PAGE, form(owner, timed, q1="4,5,6\0", partial="yes"))
        attempt = Attempt.objects.get()
        assert (attempt.right, attempt.answers[0]) == (1, "")

    def test_a_quiz_without_a_limit_wants_all_answers(self, quiz, owner, browser_of):
        page = text_of(browser_of(owner).post(PAGE, form(owner, quiz, q2="", partial="yes")))
        assert "Nothing was recorded." in page
        assert "Submit without these answers" not in page
        assert not Attempt.objects.exists()

    def test_the_page_tells_the_time_that_is_left(self, timed, owner, browser_of):
        services.start(owner, timed)
        self.move_start(minutes=18)
        [left] = re.findall(r'data-left-s="(\d+)"', text_of(browser_of(owner).get(PAGE)))
        assert 100 < int(left) <= 120

    def test_a_start_without_answers_costs_an_attempt_and_its_numbers(self, timed, owner, browser_of):
        services.start(owner, timed)
        self.move_start(minutes=30)
        browser = browser_of(owner)
        page = text_of(browser.get(PAGE))
        assert "The time of attempt 1 was over" in page
        assert "Question 1" not in page
        browser.post(f"{PAGE}/start")
        assert Sitting.objects.get().draw == 2
        attempt = Attempt.objects.get()
        assert (attempt.draw, attempt.answers, attempt.passed, attempt.late) == (1, [], False, True)
        assert "You submitted no answers." in text_of(browser.get(f"{PAGE}/attempts/1"))

    def test_starts_of_a_day_are_bounded(self, timed, owner, browser_of, monkeypatch):
        monkeypatch.setattr(services, "MAX_ATTEMPTS_A_DAY", 1)
        services.start(owner, timed)
        self.move_start(minutes=30)
        assert browser_of(owner).post(f"{PAGE}/start").status_code == 409

    def test_a_changed_quiz_is_started_again(self, timed, owner, browser_of):
        services.start(owner, timed)
        Quiz.objects.update(version="0" * 64)
        assert "Question 1" not in text_of(browser_of(owner).get(PAGE))

    def test_a_quiz_without_a_limit_is_not_started(self, quiz, owner, browser_of):
        assert browser_of(owner).post(f"{PAGE}/start").status_code == 404

    def test_the_api_starts_it(self, timed, owner, client):
        headers = {"Authorization": f"Bearer {issue_token(owner, name='test')[1]}"}
        body = client.get(API, headers=headers).json()
        assert (body["minutes"], body["due"], body["intro"], body["questions"]) == (20, None, "", [])
        body = client.post(f"{API}/start", headers=headers).json()
        assert (len(body["questions"]), body["due"] is None) == (2, False)
        sent = {"draw": 1, "version": timed.version, "answers": ["x"]}
        refused = client.post(f"{API}/attempts", sent, content_type="application/json", headers=headers)
        assert refused.status_code == 422
        sent["partial"] = True
        body = client.post(f"{API}/attempts", sent, content_type="application/json", headers=headers).json()
        assert [(mark["given"], mark["right"]) for mark in body["marks"]] == [(None, False), (None, False)]

    def test_the_account_exports_the_start(self, timed, owner):
        services.start(owner, timed)
        [row] = json.loads("".join(export.document(owner)))["started_quizzes"]
        assert (row["quiz"], row["draw"]) == ("sums", 1)


class TestStaff:
    @pytest.fixture
    def staff_browser(self, staff, browser_of):
        staff.is_superuser = True
        staff.save()
        return browser_of(staff)

    def upload(self, staff_browser, text: str, name: str = "mine.toml"):
        return staff_browser.post("/staff/quizzes", {"file": SimpleUploadedFile(name, text.encode())})

    def test_an_upload_becomes_a_quiz_and_a_later_one_changes_it(self, staff_browser):
        assert self.upload(staff_browser, QUIZ).status_code == 302
        assert self.upload(staff_browser, QUIZ.replace('"Sums"', '"Totals"')).status_code == 302
        found = Quiz.objects.get()
        assert (found.slug, found.title, found.from_files) == ("mine", "Totals", False)
        assert AuditEntry.objects.filter(kind=AuditKind.QUIZ_WRITE).count() == 2

    def test_a_hidden_one_is_answered_by_staff_before_learners_see_it(self, staff_browser, client):
        sent = {"file": SimpleUploadedFile("mine.toml", QUIZ.encode()), "hidden": "on"}
        answer = staff_browser.post("/staff/quizzes", sent, follow=True)
        assert answer.redirect_chain[-1][0] == "/quizzes/mine"
        assert "hidden from learners" in text_of(answer)
        assert "Hidden from learners" in text_of(answer)
        assert 'name="q1"' in text_of(answer)
        assert client.get("/quizzes/mine").status_code == 404
        staff_browser.post("/staff/quizzes/mine/publish")
        assert client.get("/quizzes/mine").status_code == 200

    def test_the_list_follows_the_days_and_ends_with_quizzes_without_one(self, quiz, staff_browser):
        self.upload(staff_browser, QUIZ.replace("track_day = 3\n", ""))
        listed = staff_browser.get("/staff/quizzes").context["quizzes"]
        assert [(quiz.slug, quiz.track_day) for quiz in listed] == [("sums", 3), ("mine", None)]

    def test_every_fault_is_shown(self, staff_browser):
        answer = self.upload(
            staff_browser, QUIZ.replace("pass_mark = 1", "pass_mark = 9").replace('"easy"', '"no"')
        )
        assert answer.status_code == 422
        assert "pass_mark: must be from 1 to 2, is 9" in text_of(answer)
        assert "difficulty: " in text_of(answer)

    @pytest.mark.parametrize(
        ("name", "text", "message"),
        [
            ("mine.txt", QUIZ, "must end with .toml"),
            ("sums.toml", QUIZ, "A quiz from the site&#x27;s files has this name."),
            ("mine.toml", "#" * 200_000, "at most 128 KiB"),
        ],
    )
    def test_other_files_are_refused(self, quiz, staff_browser, name, text, message):
        answer = self.upload(staff_browser, text, name)
        assert (answer.status_code, message in text_of(answer)) == (422, True)
        latin = staff_browser.post("/staff/quizzes", {"file": SimpleUploadedFile("mine.toml", b"\xff")})
        assert "not UTF-8" in text_of(latin)

    def test_a_quiz_is_hidden_and_published(self, quiz, staff_browser, client):
        staff_browser.post("/staff/quizzes/sums/publish")
        assert client.get(PAGE).status_code == 404
        assert "Hidden" in text_of(staff_browser.get("/staff/quizzes"))
        staff_browser.post("/staff/quizzes/sums/publish")
        assert client.get(PAGE).status_code == 200
        kinds = AuditEntry.objects.order_by("pk").values_list("kind", flat=True)
        assert [*kinds] == [AuditKind.QUIZ_HIDE, AuditKind.QUIZ_SHOW]

    def test_the_administration_shows_attempts_and_changes_none(self, quiz, owner, staff_browser):
        services.answer(owner, quiz, draw=1, version=quiz.version, answers=["1", "0"])
        assert "owner" in text_of(staff_browser.get(reverse("admin:quizzes_attempt_changelist")))
        assert staff_browser.get(reverse("admin:quizzes_attempt_add")).status_code == 403


def test_the_account_exports_and_deletes_attempts(quiz, owner):
    services.answer(owner, quiz, draw=1, version=quiz.version, answers=["1,000", "0"])
    [row] = json.loads("".join(export.document(owner)))["quiz_attempts"]
    assert (row["quiz"], row["draw"], row["answers"]) == ("sums", 1, ["1,000", "0"])
    delete_account(owner)
    assert not Attempt.objects.exists()


@pytest.mark.parametrize("signed_in", [False, True])
def test_quizzes_are_listed_by_day(owner, client, signed_in):
    for slug, day in (("b", None), ("c", 7), ("d", 1)):
        services.write(check_quiz(slug, QUIZ), from_files=True)
        Quiz.objects.filter(slug=slug).update(track_day=day)
    if signed_in:
        client.force_login(owner)
    assert re.findall(r'href="/quizzes/(.)"', text_of(client.get("/quizzes"))) == ["d", "c", "b"]


def test_questions_have_names_for_screen_readers(quiz, owner, browser_of):
    page = text_of(browser_of(owner).get(PAGE))
    assert len(re.findall(r"<legend", page)) == 1
    assert "Answer<span" in page
