"""Tests discussions and editorials: who may enter, who may write, and moderation by staff."""

from datetime import timedelta
from html.parser import HTMLParser

import pytest
from django.utils import timezone

from judge.report import Report
from problems.vocabulary import Language, Mode, Verdict
from tests.conftest import new_problem
from web.audit.models import AuditEntry, AuditKind
from web.discussion import pages, queries, services
from web.discussion.models import Answer, Ban, Flag, Post, PostState, Revision, Thread
from web.discussion.services import writing
from web.site import cursors
from web.submissions import services as submissions

pytestmark = pytest.mark.django_db

SECRET = "The trick is to read four floats at once."
ATTACKS = (
    "<script>document.title='owned'</script>",
    "<img src=x onerror=owned()>",
    "[click](javascript:owned())",
    "![x](javascript:owned())",
    "<svg/onload=owned()>",
    "`</code><script>owned()</script>`",
    "$</span><script>owned()</script>$",
    '[a](https://example.org "onmouseover=owned() x=")',
    "<a href='data:text/html,<script>owned()</script>'>x</a>",
    '```"><script>owned()</script>\nx\n```',
)


class Harmless(HTMLParser):
    """Fails where a page has what could run."""

    def handle_starttag(self, tag, attrs):
        assert tag not in {"script", "img", "iframe", "object", "style"}
        for name, value in attrs:
            assert not name.startswith("on"), value
            assert not (value or "").strip().lower().startswith(("javascript:", "data:")), value


@pytest.fixture
def thread(owner, problem, solved) -> Thread:
    solved(owner)
    problem.editorial = SECRET
    problem.save()
    return services.open_thread(owner, problem, title="A secret title", text=SECRET)


@pytest.fixture
def post(owner, thread) -> Post:
    return services.reply(owner, thread, text="A secret answer")


def send(browser, address: str, **columns):
    browser.handler.enforce_csrf_checks = False
    return browser.post(address, columns)


def gated(thread: Thread) -> list[str]:
    base = f"/problems/{thread.problem.slug}"
    return [
        f"{base}/editorial",
        f"{base}/discussion",
        f"{base}/discussion/new",
        f"{base}/discussion/{thread.pk}",
        f"{base}/discussion/{thread.pk}/reply",
    ]


def test_it_opens_with_the_first_accepted_submission(thread, teammate, stranger, handed_in, browser_of):
    handed_in(teammate, mode=Mode.RUN)
    submissions.record(submissions.claim("w"), Report(Verdict.ACCEPTED))
    handed_in(teammate)
    submissions.record(submissions.claim("w"), Report(Verdict.WRONG_ANSWER))
    for person in (teammate, stranger):
        for address in gated(thread):
            answer = browser_of(person).get(address)
            assert answer.status_code == 403, address
            assert "Solve the problem to unlock" in answer.content.decode()
            assert "ecret" not in answer.content.decode()
            assert "four floats" not in answer.content.decode()


def test_who_has_not_solved_writes_nothing(thread, teammate, stranger, browser_of):
    for person in (teammate, stranger):
        browser = browser_of(person)
        for address in (*gated(thread)[2:], f"/problems/{thread.problem.slug}/discussion/preview"):
            assert send(browser, address, title="x", text="x").status_code in {403, 405}, address
        for address in ("edit", "delete", "report"):
            post = thread.posts.get()
            assert send(browser, f"/posts/{post.pk}/{address}", text="x", reason="x").status_code == 404
    assert (Thread.objects.count(), Post.objects.count(), Flag.objects.count()) == (1, 1, 0)


def test_those_who_solved_and_those_who_teach_enter(thread, owner, instructor, staff, browser_of):
    for person in (owner, instructor, staff):
        browser = browser_of(person)
        for address in gated(thread):
            assert browser.get(address).status_code == 200, address
        assert SECRET in browser.get(gated(thread)[0]).content.decode()
        assert SECRET in browser.get(gated(thread)[3]).content.decode()
        assert services.reply(person, thread, text="hello").author == person


def test_an_unpublished_problem_has_no_discussion(thread, owner, instructor, staff, browser_of):
    thread.problem.published = False
    thread.problem.save()
    for person, status in ((owner, 404), (instructor, 404), (staff, 200)):
        assert browser_of(person).get(gated(thread)[3]).status_code == status
        assert browser_of(person).get(f"/posts/{thread.posts.get().pk}/report").status_code == status


def test_a_thread_belongs_to_its_problem(thread, owner, browser_of, handed_in):
    other = new_problem("relu")
    submissions.submit(owner, other, language=Language.CUDA, source="x")
    submissions.record(submissions.claim("w"), Report(Verdict.ACCEPTED))
    assert browser_of(owner).get(f"/problems/relu/discussion/{thread.pk}").status_code == 404


def test_a_thread_is_begun_previewed_and_answered(owner, problem, solved, browser_of):
    solved(owner)
    browser = browser_of(owner)
    new = f"/problems/{problem.slug}/discussion/new"
    text = {"title": "Tiles", "text": "Use **tiles** of $n$"}
    shown = send(browser, new, **text, preview="1").content.decode()
    assert "<strong>tiles</strong>" in shown
    assert not Thread.objects.exists()
    assert send(browser, new, **text).status_code == 302
    thread = Thread.objects.get()
    assert (
        send(browser, f"/problems/{problem.slug}/discussion/{thread.pk}/reply", text="Yes").status_code == 302
    )
    page = browser.get(f"/problems/{problem.slug}/discussion/{thread.pk}").content.decode()
    assert "<math>" in page
    assert Thread.objects.get().replies == 1


def test_nothing_written_runs(owner, problem, solved, browser_of):
    solved(owner)
    thread = services.open_thread(owner, problem, title=ATTACKS[0], text="\n\n".join(ATTACKS))
    browser = browser_of(owner)
    pages_ = [
        browser.get(f"/problems/{problem.slug}/discussion").content.decode(),
        browser.get(f"/problems/{problem.slug}/discussion/{thread.pk}").content.decode(),
        send(
            browser, f"/problems/{problem.slug}/discussion/preview", text="\n\n".join(ATTACKS)
        ).content.decode(),
    ]
    for page in pages_:
        Harmless().feed(page.partition("<main")[2] or page)


def test_an_edit_is_marked_and_the_text_before_is_kept(owner, post, browser_of):
    assert send(browser_of(owner), f"/posts/{post.pk}/edit", text="Another answer").status_code == 302
    page = browser_of(owner).get(f"/problems/vector-add/discussion/{post.thread_id}").content.decode()
    assert "Another answer" in page
    assert "edited" in page
    assert "A secret answer" not in page
    assert Revision.objects.get().text == "A secret answer"
    services.edit(Post.objects.get(pk=post.pk), text="Another answer")
    assert Revision.objects.count() == 1, "nothing changed"


def test_only_the_author_edits_and_deletes(post, instructor, staff, browser_of):
    for person in (instructor, staff):
        for act in ("edit", "delete"):
            assert send(browser_of(person), f"/posts/{post.pk}/{act}", text="mine now").status_code == 404
    assert Post.objects.get(pk=post.pk).text == "A secret answer"


def test_a_deleted_post_is_read_by_staff_alone(owner, staff, instructor, post, browser_of):
    send(browser_of(owner), f"/posts/{post.pk}/delete")
    address = f"/problems/vector-add/discussion/{post.thread_id}"
    for person, reads in ((owner, False), (instructor, False), (staff, True)):
        page = browser_of(person).get(address).content.decode()
        assert "Deleted by its author." in page
        assert ("A secret answer" in page) is reads
    assert Thread.objects.get().replies == 0


def test_a_thread_whose_author_deleted_it_goes_unless_somebody_answered(owner, instructor, thread):
    alone = services.open_thread(owner, thread.problem, title="nobody answers", text="x")
    services.reply(instructor, thread, text="an answer")
    for begun in (alone, thread):
        services.delete(begun.posts.get(opening=True))
    assert queries.find_thread(owner, thread.problem, alone.pk) is None
    [row] = pages.thread_list(instructor, thread.problem, "").rows
    assert (row.title, row.thread.replies) == ("Deleted thread", 1)


def test_staff_hide_a_post_and_its_author_reads_why(owner, staff, instructor, post, browser_of):
    browser = browser_of(staff)
    services.flag(instructor, post, reason="It is rude")
    assert "It is rude" in browser.get("/staff/reports").content.decode()
    send(browser, f"/staff/posts/{post.pk}/hide", reason="Be kind")
    address = f"/problems/vector-add/discussion/{post.thread_id}"
    own, others = (browser_of(person).get(address).content.decode() for person in (owner, instructor))
    assert "Hidden by staff: Be kind" in own
    assert "A secret answer" in own
    assert "Hidden by staff." in others
    assert "Be kind" not in others
    assert "A secret answer" not in others
    assert Flag.objects.get().answer == Answer.HIDDEN
    assert "It is rude" not in browser.get("/staff/reports").content.decode()
    assert "It is rude" in browser.get("/staff/reports?answer=hidden").content.decode()
    send(browser, f"/staff/posts/{post.pk}/restore")
    assert "A secret answer" in browser_of(instructor).get(address).content.decode()
    assert set(AuditEntry.objects.values_list("kind", flat=True)) == {
        AuditKind.POST_HIDE,
        AuditKind.POST_RESTORE,
    }


def test_hiding_the_first_post_hides_the_thread(owner, staff, instructor, thread, browser_of):
    services.hide(thread.posts.get(opening=True), staff, reason="spam")
    for person, listed in ((owner, True), (instructor, False), (staff, True)):
        page = browser_of(person).get("/problems/vector-add/discussion").content.decode()
        assert ("A secret title" in page) is listed
        status = browser_of(person).get(f"/problems/vector-add/discussion/{thread.pk}").status_code
        assert status == (200 if listed else 404)
    with pytest.raises(services.PostGone):
        services.reply(owner, thread, text="but why")


def test_a_report_is_dismissed(staff, instructor, post, browser_of):
    services.flag(instructor, post, reason="I disagree")
    send(browser_of(staff), f"/staff/posts/{post.pk}/dismiss")
    assert Flag.objects.get().answer == Answer.DISMISSED
    assert Post.objects.get(pk=post.pk).state == PostState.SHOWN
    assert AuditEntry.objects.get().kind == AuditKind.POST_DISMISS


def test_one_reports_a_post_once_and_not_ones_own(owner, instructor, post, browser_of):
    address = f"/posts/{post.pk}/report"
    assert send(browser_of(instructor), address, reason="rude").status_code == 302
    again = send(browser_of(instructor), address, reason="rude")
    assert "already reported this post" in again.content.decode()
    assert send(browser_of(owner), address, reason="look at me").status_code == 404
    assert Flag.objects.count() == 1


def test_who_is_banned_reads_and_does_not_write(owner, staff, thread, browser_of):
    browser = browser_of(staff)
    send(browser, "/staff/bans", person="owner", days="7", reason="Too loud")
    page = browser_of(owner).get(f"/problems/vector-add/discussion/{thread.pk}").content.decode()
    assert "Too loud" in page
    assert "<textarea" not in page
    for write in (
        lambda: services.open_thread(owner, thread.problem, title="x", text="x"),
        lambda: services.reply(owner, thread, text="x"),
        lambda: services.edit(thread.posts.get(), text="x"),
    ):
        with pytest.raises(services.Banned, match="Too loud"):
            write()
    Ban.objects.update(created=timezone.now() - timedelta(days=9), until=timezone.now() - timedelta(days=1))
    assert services.reply(owner, thread, text="back")


def test_a_ban_is_lifted_and_staff_are_not_banned(owner, staff, browser_of):
    browser = browser_of(staff)
    assert send(browser, "/staff/bans", person="staff", days="", reason="x").status_code == 422
    assert send(browser, "/staff/bans", person="nobody", days="", reason="x").status_code == 422
    send(browser, "/staff/bans", person="owner", days="", reason="x")
    send(browser, f"/staff/bans/{owner.pk}/lift")
    assert not Ban.objects.exists()
    assert set(AuditEntry.objects.values_list("kind", flat=True)) == {AuditKind.BAN, AuditKind.UNBAN}


def test_the_pages_of_moderation_are_for_staff(owner, instructor, stranger, post, browser_of):
    reads = ["/staff/reports", f"/staff/posts/{post.pk}", "/staff/bans"]
    writes = [f"/staff/posts/{post.pk}/{act}" for act in ("hide", "restore", "dismiss")]
    for person in (owner, instructor, stranger):
        browser = browser_of(person)
        for address in reads:
            assert browser.get(address).status_code == 404, address
        for address in (*writes, "/staff/bans", f"/staff/bans/{owner.pk}/lift"):
            assert send(browser, address, reason="x", person="owner").status_code == 404, address
    assert Post.objects.get(pk=post.pk).state == PostState.SHOWN


@pytest.mark.parametrize(
    ("limit", "what", "write"),
    [
        ("POSTS_PER_TEN_MINUTES", "posts", lambda owner, thread: services.reply(owner, thread, text="x")),
        (
            "THREADS_PER_HOUR",
            "threads",
            lambda owner, thread: services.open_thread(owner, thread.problem, title="x", text="x"),
        ),
    ],
)
def test_nobody_floods_a_discussion(owner, thread, monkeypatch, limit, what, write):
    monkeypatch.setattr(writing, limit, 3)
    for _ in range(2):
        write(owner, thread)
    with pytest.raises(services.TooMany, match=f"3 {what}"):
        write(owner, thread)


def test_edits_and_reports_have_limits_too(owner, staff, thread, monkeypatch):
    monkeypatch.setattr(writing, "EDITS_PER_HOUR", 1)
    monkeypatch.setattr(writing, "FLAGS_PER_HOUR", 1)
    first = thread.posts.get()
    services.edit(first, text="one")
    with pytest.raises(services.TooMany):
        services.edit(first, text="two")
    other = services.reply(owner, thread, text="x")
    services.flag(staff, first, reason="x")
    with pytest.raises(services.TooMany):
        services.flag(staff, other, reason="x")


def test_long_and_empty_texts_are_refused(owner, problem, solved, browser_of):
    solved(owner)
    new = f"/problems/{problem.slug}/discussion/new"
    for columns in (
        {"title": "x", "text": " "},
        {"title": "x", "text": "x" * 10_001},
        {"title": "", "text": "x"},
    ):
        assert send(browser_of(owner), new, **columns).status_code == 422
    assert not Thread.objects.exists()


def test_threads_come_in_pages_by_cursor(owner, problem, solved, monkeypatch):
    solved(owner)
    monkeypatch.setattr(pages, "THREADS_PER_PAGE", 2)
    monkeypatch.setattr(writing, "THREADS_PER_HOUR", 100)
    made = [services.open_thread(owner, problem, title=str(n), text="x").pk for n in range(5)]
    Thread.objects.update(latest=timezone.now())  # all at once, so that the key decides
    found, before = [], ""
    while True:
        page = pages.thread_list(owner, problem, before)
        found += [row.thread.pk for row in page.rows]
        before = page.older
        if not before:
            break
    assert found == made[::-1]


def test_posts_come_in_pages_and_a_link_leads_to_the_right_one(owner, thread, monkeypatch):
    monkeypatch.setattr(writing, "POSTS_PER_TEN_MINUTES", 100)
    posts = [thread.posts.get(), *(services.reply(owner, thread, text=str(n)) for n in range(6))]
    monkeypatch.setattr(pages, "POSTS_PER_PAGE", 3)
    for index, post in enumerate(posts):
        after = queries.page_start(post, 3)
        page = pages.thread_page(owner, thread, str(after or ""))
        assert [view.post for view in page.posts] == posts[index // 3 * 3 :][:3]


def test_lists_take_few_queries_whatever_their_size(
    owner, staff, instructor, thread, browser_of, monkeypatch, django_assert_max_num_queries
):
    monkeypatch.setattr(writing, "POSTS_PER_TEN_MINUTES", 1000)
    monkeypatch.setattr(writing, "THREADS_PER_HOUR", 1000)
    monkeypatch.setattr(writing, "FLAGS_PER_HOUR", 1000)
    for _ in range(20):
        post = services.reply(owner, thread, text="x")
        services.flag(instructor, post, reason="x")
        services.open_thread(owner, thread.problem, title="x", text="x")
    for person, address in (
        (owner, "/problems/vector-add/discussion"),
        (owner, f"/problems/vector-add/discussion/{thread.pk}"),
        (staff, "/staff/reports"),
        (staff, "/staff/bans"),
        (staff, f"/staff/posts/{post.pk}"),
    ):
        browser = browser_of(person)
        with django_assert_max_num_queries(8):
            assert browser.get(address).status_code == 200


@pytest.mark.parametrize(
    "text", ["", "x", "1", "-", "1-", "-1", "99999999999999999999999-1", "1-" + "9" * 30, "²-1"]
)
def test_a_cursor_that_is_nonsense_is_the_first_page(text):
    assert cursors.decode(text) is None


def test_a_cursor_is_exact():
    now = timezone.now()
    assert cursors.decode(cursors.encode(now, 7)) == (now, 7)
