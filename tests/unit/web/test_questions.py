"""Questions of learners who have not solved the problem, and private questions to the instructors."""

import pytest

from judge.report import Report
from problems.vocabulary import Verdict
from tests.conftest import new_problem
from tests.unit.web.test_discussion import send
from web.audit.models import AuditEntry, AuditKind
from web.discussion import inquiries, pages, services
from web.discussion.models import Flag, Inquiry, Post, Thread, ThreadKind
from web.notifications.models import Kind, Notification
from web.privacy.deletion import delete_account
from web.submissions import services as submissions
from web.submissions.models import Submission

pytestmark = pytest.mark.django_db

CODE = "Use shared memory:\n\n```cuda\n__shared__ float tile[32];\n```\n"
BASE = "/problems/vector-add/questions"


@pytest.fixture
def thread(owner, problem) -> Thread:
    return services.open_thread(owner, problem, title="Where to begin?", text=CODE, kind=ThreadKind.QUESTIONS)


@pytest.fixture
def submission(owner, handed_in) -> Submission:
    made = handed_in(owner, source="// my idea")
    submissions.record(submissions.claim("w"), Report(Verdict.WRONG_ANSWER))
    return made


def inquiry_page(submission: Submission) -> str:
    return f"/s/{submission.public_id}/questions"


# Questions


def test_all_read_questions_and_users_write_them(thread, owner, teammate, stranger, browser_of):
    for person in (owner, teammate, stranger):
        browser = browser_of(person)
        assert "Where to begin?" in browser.get(BASE).content.decode()
        assert browser.get(f"{BASE}/{thread.pk}").status_code == 200
    made = send(browser_of(teammate), f"{BASE}/new", title="And why?", text="I wonder.")
    assert made["Location"] == f"{BASE}/{Thread.objects.latest('pk').pk}"
    assert "Sign in</a> to reply" in browser_of(stranger).get(f"{BASE}/{thread.pk}").content.decode()
    assert "/accounts/login/" in send(browser_of(stranger), f"{BASE}/{thread.pk}/reply", text="x")["Location"]


def test_questions_and_discussion_are_apart(thread, owner, teammate, problem, solved, browser_of):
    solved(owner)
    secret = services.open_thread(owner, problem, title="A secret", text="Four floats.")
    assert "A secret" not in browser_of(teammate).get(BASE).content.decode()
    for person in (owner, teammate):
        assert browser_of(person).get(f"{BASE}/{secret.pk}").status_code == 404
    assert "Where to begin?" not in browser_of(owner).get("/problems/vector-add/discussion").content.decode()
    post = secret.posts.get()
    assert browser_of(teammate).get(f"/posts/{post.pk}/report").status_code == 404


def test_code_in_answers_is_folded_until_one_has_solved_the_problem(
    thread,
    owner,
    teammate,
    problem,
    solved,
    browser_of,
):
    services.reply(teammate, thread, text=CODE)
    page = browser_of(owner).get(f"{BASE}/{thread.pk}").content.decode()
    assert page.count("<summary>Code</summary>") == 1, "not in the question itself"
    mine = browser_of(teammate).get(f"{BASE}/{thread.pk}").content.decode()
    assert "<summary>Code</summary>" not in mine, "nor in one's own answer"
    solved(owner)
    assert "<summary>Code</summary>" not in browser_of(owner).get(f"{BASE}/{thread.pk}").content.decode()


def test_posts_of_staff_and_instructors_are_marked(thread, staff, instructor, browser_of):
    for person in (staff, instructor):
        services.reply(person, thread, text="Look at the tour.")
    page = browser_of(thread.author).get(f"{BASE}/{thread.pk}").content.decode()
    assert '<span class="tag">staff</span>' in page
    assert '<span class="tag">instructor</span>' in page


def test_questions_have_the_moderation_of_discussions(thread, owner, teammate, staff, browser_of):
    post = services.reply(teammate, thread, text="rude words")
    send(browser_of(owner), f"/posts/{post.pk}/report", reason="It is rude")
    page = browser_of(staff).get("/staff/reports").content.decode()
    assert f'href="{BASE}/{thread.pk}"' in page
    send(browser_of(staff), f"/staff/posts/{post.pk}/hide", reason="Be kind")
    assert "rude words" not in browser_of(owner).get(f"{BASE}/{thread.pk}").content.decode()
    services.ban(teammate, staff, reason="Too loud")
    with pytest.raises(services.Banned):
        services.reply(teammate, thread, text="x")


def test_a_contest_closes_them_until_one_has_solved_the_problem(
    thread, owner, teammate, stranger, instructor, solved, contest, browser_of
):
    solved(teammate)
    answer = services.reply(teammate, thread, text=CODE)
    for person in (owner, stranger):
        browser = browser_of(person)
        for address in (BASE, f"{BASE}/{thread.pk}", f"{BASE}/new", f"{BASE}/{thread.pk}/reply"):
            found = browser.get(address)
            assert found.status_code == 403, address
            assert "A contest with this problem is running." in found.content.decode()
        assert browser.get(f"/posts/{answer.pk}/report").status_code == 404
    assert send(browser_of(owner), f"{BASE}/{thread.pk}/reply", text="x").status_code == 403
    for person in (teammate, instructor):
        assert browser_of(person).get(f"{BASE}/{thread.pk}").status_code == 200
    contest.delete()
    assert browser_of(owner).get(f"{BASE}/{thread.pk}").status_code == 200


def test_the_title_of_a_deleted_user_is_not_shown(thread, owner, teammate, stranger, browser_of):
    services.reply(teammate, thread, text="At the statement.")
    delete_account(owner)
    for address in (BASE, f"{BASE}/{thread.pk}"):
        for person in (teammate, stranger):
            page = browser_of(person).get(address).content.decode()
            assert "Deleted thread" in page
            assert "Where to begin?" not in page


def test_a_hidden_problem_has_no_questions(thread, owner, staff, browser_of):
    thread.problem.published = False
    thread.problem.save()
    assert browser_of(owner).get(f"{BASE}/{thread.pk}").status_code == 404
    assert browser_of(owner).get(f"/posts/{thread.posts.get().pk}/edit").status_code == 404
    assert browser_of(staff).get(f"{BASE}/{thread.pk}").status_code == 200


def test_one_edits_and_deletes_ones_question(thread, owner, browser_of):
    post = thread.posts.get()
    edited = send(browser_of(owner), f"/posts/{post.pk}/edit", text="Another text")
    assert edited["Location"].startswith(f"{BASE}/{thread.pk}")
    assert send(browser_of(owner), f"/posts/{post.pk}/delete")["Location"] == BASE


# Private questions


def test_its_author_asks_and_instructors_answer(submission, owner, instructor, browser_of):
    page = inquiry_page(submission)
    assert "Ask the instructors" in browser_of(owner).get(f"/s/{submission.public_id}").content.decode()
    assert send(browser_of(owner), page, text="Why is it wrong?").status_code == 302
    assert inquiries.count_open(instructor) == 1
    teacher = browser_of(instructor)
    inbox = teacher.get("/inbox").content.decode()
    assert page in inbox
    assert "Inbox <span" in inbox
    assert "Why is it wrong?" in teacher.get(page).content.decode()
    assert send(teacher, page, text="The last block.").status_code == 302
    told = Notification.objects.get()
    assert (told.user, told.kind) == (owner, Kind.ANSWER)
    assert told.url.startswith(page)
    entry = AuditEntry.objects.get()
    assert (entry.kind, entry.actor) == (AuditKind.INQUIRY_ANSWER, instructor)
    assert "last block" not in str(entry.details)
    assert page not in teacher.get("/inbox").content.decode()
    assert page in teacher.get("/inbox?status=answered").content.decode()
    send(browser_of(owner), page, text="Which one?")
    assert inquiries.count_open(instructor) == 1, "asked further"
    assert Inquiry.objects.count() == 1


def test_a_question_is_closed_without_an_answer(submission, owner, staff, browser_of):
    services.ask(owner, submission, text="Never mind")
    send(browser_of(staff), f"{inquiry_page(submission)}/close")
    assert inquiries.count_open(staff) == 0
    assert AuditEntry.objects.get().kind == AuditKind.INQUIRY_CLOSE


def test_no_other_user_reads_a_private_question(submission, owner, teammate, stranger, solved, browser_of):
    services.ask(owner, submission, text="a private text")
    submissions.share(submission)
    solved(teammate)
    browser = browser_of(teammate)
    assert browser.get(f"/s/{submission.public_id}").status_code == 200
    post = Post.objects.get()
    for address in (inquiry_page(submission), "/inbox", f"/posts/{post.pk}/report"):
        assert browser.get(address).status_code == 404, address
    assert send(browser, inquiry_page(submission), text="me too").status_code == 404
    assert send(browser, f"{inquiry_page(submission)}/close").status_code == 404
    assert "a private text" not in browser.get(f"/s/{submission.public_id}").content.decode()
    for base in ("discussion", "questions"):
        assert browser.get(f"/problems/vector-add/{base}/{post.thread_id}").status_code == 404
    assert inquiries.count_open(teammate) == 0
    assert browser_of(stranger).get("/inbox").status_code == 404


def test_an_instructor_opens_only_what_was_asked(submission, instructor, browser_of):
    assert browser_of(instructor).get(inquiry_page(submission)).status_code == 404
    assert send(browser_of(instructor), inquiry_page(submission), text="hello").status_code == 404
    assert not Thread.objects.exists()


def test_a_private_question_works_without_the_problem(submission, owner, instructor, browser_of):
    submission.problem.published = False
    submission.problem.save()
    assert send(browser_of(owner), inquiry_page(submission), text="Why?").status_code == 302
    assert browser_of(instructor).get(inquiry_page(submission)).status_code == 200
    post = Post.objects.get()
    assert send(browser_of(owner), f"/posts/{post.pk}/edit", text="Why not?").status_code == 302


def test_the_text_is_previewed_and_checked(submission, owner, browser_of):
    shown = send(browser_of(owner), inquiry_page(submission), text="**bold**", preview="1").content.decode()
    assert "<strong>bold</strong>" in shown
    assert not Inquiry.objects.exists()
    assert send(browser_of(owner), inquiry_page(submission), text=" ").status_code == 422


def test_a_deleted_question_can_be_asked_again(submission, owner, staff, browser_of):
    services.ask(owner, submission, text="one")
    deleted = send(browser_of(owner), f"/posts/{Post.objects.get().pk}/delete")
    assert deleted["Location"] == f"/s/{submission.public_id}"
    assert inquiries.count_open(staff) == 0
    services.ask(owner, submission, text="two")
    assert inquiries.inquiry_of(submission).thread.posts.get().text == "two"


def test_an_answer_can_be_reported(submission, owner, instructor, staff, browser_of):
    found = services.ask(owner, submission, text="Why?")
    post = services.answer(instructor, found, text="Because.")
    assert send(browser_of(owner), f"/posts/{post.pk}/report", reason="No help")["Location"] == inquiry_page(
        submission
    )
    assert Flag.objects.count() == 1
    assert inquiry_page(submission) in browser_of(staff).get("/staff/reports").content.decode()


def test_an_account_takes_its_private_questions_along(submission, owner, instructor):
    services.answer(instructor, services.ask(owner, submission, text="Why?"), text="Because.")
    delete_account(owner)
    assert not Thread.objects.exists()
    assert not Inquiry.objects.exists()


def test_an_inbox_comes_in_pages_with_few_queries(
    owner, staff, handed_in, browser_of, monkeypatch, django_assert_max_num_queries
):
    monkeypatch.setattr("web.site.paging.ROWS", 2)
    monkeypatch.setattr("web.discussion.services.writing.THREADS_PER_HOUR", 50)
    for _ in range(3):
        services.ask(owner, handed_in(owner), text="Why?")
        submissions.record(submissions.claim("w"), Report(Verdict.WRONG_ANSWER))
    browser = browser_of(staff)
    with django_assert_max_num_queries(6):
        page = browser.get("/inbox").content.decode()
    assert page.count('class="thread-row"') == 2
    assert "Older" in page


def test_threads_of_questions_take_few_queries(
    thread, owner, teammate, browser_of, django_assert_max_num_queries
):
    for _ in range(8):
        services.reply(teammate, thread, text=CODE)
    browser = browser_of(owner)
    with django_assert_max_num_queries(9):
        browser.get(f"{BASE}/{thread.pk}")
    assert pages.thread_list(owner, new_problem("relu"), "").rows == []
