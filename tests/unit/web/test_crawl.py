"""Tests that every link on a page works, by crawling as a visitor, a learner, an instructor and staff."""

from collections import deque
from html.parser import HTMLParser
from urllib.parse import parse_qs, unquote, urldefrag, urljoin, urlsplit

import pytest
from django.test import Client
from django.urls import Resolver404, resolve

from judge.report import CaseReport, Report
from problems.track import TrackFile
from problems.vocabulary import Group, Language, Mode, Verdict
from tests.conftest import new_problem
from tests.unit.web.figures import record, timed_report
from web.accounts.models import Audience, User
from web.catalog.models import Problem
from web.discussion import services as discussion
from web.submissions import services as submissions
from web.submissions.models import Submission
from web.tracks import services as tracks

pytestmark = pytest.mark.django_db
MOST = 2000  # pages, so that a link that grows with each page ends the crawl
WRONG = CaseReport("sample", Group.SAMPLE, public=True, verdict=Verdict.WRONG_ANSWER, sizes={"n": 4})
ENTRANCES = ("/accounts/login/", "/accounts/signup/")
_VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr", "rect"}


class Links(HTMLParser):
    """The addresses of the links that a page shows: those inside hidden elements are left out."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self._open: list[tuple[str, bool]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        hidden = "hidden" in given or bool(self._open and self._open[-1][1])
        if tag == "a" and given.get("href") and not hidden:
            self.found.append(given["href"] or "")
        if tag not in _VOID:
            self._open.append((tag, hidden))

    def handle_endtag(self, tag: str) -> None:
        if any(opened == tag for opened, _ in self._open):
            while self._open.pop()[0] != tag:
                pass


@pytest.fixture
def site(owner: User, teammate: User) -> None:
    """A track, submissions of each kind by two users, a discussion, and what is not open to learners."""
    made = [new_problem(slug, track_day=day, editorial="Sum.") for day, slug in enumerate("abcd", start=1)]
    tracks.sync([TrackFile("path", "A path", "Here.", ("a", "b", "c", "d"))])
    for user in (owner, teammate):
        _submit(user, made[0], timed_report())
        _submit(user, made[1], Report(Verdict.WRONG_ANSWER, cases=(WRONG,)))
    _submit(owner, made[2], Report(Verdict.ACCEPTED), mode=Mode.RUN)
    shared = _submit(teammate, made[0], timed_report(4.0))
    submissions.share(shared)
    discussion.open_thread(teammate, made[0], title="Why so fast?", text="See `float4`.")
    User.objects.filter(pk=teammate.pk).update(profile_audience=Audience.NOBODY)
    withdrawn = new_problem("withdrawn", track_day=None)
    _submit(owner, withdrawn, timed_report())
    _submit(owner, withdrawn, Report(Verdict.WRONG_ANSWER, cases=(WRONG,)))
    Problem.objects.filter(pk=withdrawn.pk).update(published=False)


def _submit(user: User, problem: Problem, report: Report, mode: Mode = Mode.SUBMIT) -> Submission:
    return record(submissions.submit(user, problem, language=Language.CUDA, source="x", mode=mode), report)


def crawl(client: Client) -> tuple[dict[str, str], list[str]]:
    """Follow every link from the home page. Return each page with the page that led to it, and the faults.

    Every page links to the pages of signing in and up with itself as the destination. These differ in their
    destination alone, so they are opened for one destination of each view, with and without a query.
    """
    led: dict[str, str] = {"/": ""}
    waiting = deque(led)
    opened: set[object] = set()
    faults: list[str] = []
    while waiting and len(led) < MOST:
        at = waiting.popleft()
        answer = client.get(at, follow=True)
        final = answer.redirect_chain[-1][0] if answer.redirect_chain else at
        if answer.status_code != 200:
            faults.append(f"{answer.status_code} {at}, linked from {led[at]}")
        if answer.get("Content-Type", "").startswith("text/html") and not at.startswith("/admin"):
            for link in Links(answer.content.decode()).found:
                address = urldefrag(urljoin(final, link)).url
                if urlsplit(address).netloc or address in led or not address.startswith("/"):
                    continue
                led[address] = at
                if (kind := kind_of(address)) not in opened:
                    opened.add(kind)
                    waiting.append(address)
    return led, faults


def kind_of(address: str) -> object:
    """Return a key that is equal for addresses of the same page.

    For signing in and up, the view is the key.
    """
    parts = urlsplit(address)
    query = parse_qs(parts.query)
    if parts.path not in ENTRANCES or query.keys() != {"next"} or len(query["next"]) != 1:
        return address
    destination = urlsplit(query["next"][0])
    try:
        return parts.path, resolve(destination.path).view_name, bool(destination.query)
    except Resolver404:
        return address


def nested(address: str) -> bool:
    """Whether the destination after sign-in is itself a page of signing in or up."""
    targets = parse_qs(urlsplit(address).query).get("next", [])
    return any("next=" in unquote(target) or target.startswith(ENTRANCES) for target in targets)


@pytest.mark.parametrize("role", ["visitor", "learner", "instructor", "staff"])
def test_no_link_is_dead(site, client: Client, owner: User, role: str) -> None:
    if role != "visitor":
        owner.is_instructor = role == "instructor"
        owner.is_staff = owner.is_superuser = role == "staff"
        owner.save()
        client.force_login(owner)
    led, faults = crawl(client)
    assert len(led) < MOST
    assert len(led) > 20
    assert faults == []
    assert [address for address in led if nested(address)] == []


def test_signing_in_and_up_lead_to_each_other_with_the_same_destination(client: Client, db: None) -> None:
    address = "/accounts/login/?next=/problems"
    for _ in range(4):
        page = client.get(address).content.decode()
        wanted = "/accounts/signup/" if "login" in address else "/accounts/login/"
        address = next(link for link in Links(page).found if link.startswith(wanted) and "next" in link)
        assert parse_qs(urlsplit(address).query) == {"next": ["/problems"]}
