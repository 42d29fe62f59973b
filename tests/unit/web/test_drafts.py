"""Tests drafts on the server: access, conflicting saves, and the history."""

import json
from datetime import timedelta

import pytest
from django.utils import timezone

from judge.report import Report
from problems.vocabulary import Language, Verdict
from tests.conftest import new_problem
from tests.unit.web.figures import record
from web.drafts import services
from web.drafts.forms import Save, SaveMalformed
from web.drafts.models import Draft, DraftRevision

pytestmark = pytest.mark.django_db

URL = "/problems/vector-add/drafts/cuda"


@pytest.fixture
def save(owner, problem):
    """Saves the owner's draft: `save("text", expected=0)`."""

    def save(source: str, *, expected: int, keep: bool = False) -> Draft:
        return services.save_draft(owner, problem, Language.CUDA, source=source, expected=expected, keep=keep)

    return save


def save_for(user, problem, revisions: int) -> None:
    """Save a draft that keeps so many earlier texts: 0, 1, 2, ..."""
    for number in range(revisions + 1):
        services.save_draft(
            user, problem, Language.CUDA, source=str(number), expected=number, keep=number > 0
        )


def put(client, body, url: str = URL):
    return client.put(url, data=json.dumps(body), content_type="application/json")


def sources(draft: Draft) -> list[str]:
    return [revision.source for revision in draft.revisions.all()]


class TestSaving:
    def test_each_save_is_a_revision(self, save):
        assert [save("a", expected=0).revision, save("b", expected=1).revision] == [1, 2]

    def test_a_save_from_an_old_revision_is_refused_with_the_current_one(self, save):
        save("a", expected=0)
        save("b", expected=1)
        with pytest.raises(services.DraftConflict) as refused:
            save("mine", expected=1)
        assert (refused.value.current.source, refused.value.current.revision) == ("b", 2)

    def test_a_first_save_does_not_overwrite_what_another_browser_began(self, save):
        save("theirs", expected=0)
        with pytest.raises(services.DraftConflict):
            save("mine", expected=0)

    def test_saving_what_is_there_already_is_no_conflict(self, save):
        save("a", expected=0)
        assert save("a", expected=0).revision == 1

    def test_line_ends_are_those_of_unix(self, save):
        assert save("a\r\nb", expected=0).source == "a\nb"

    @pytest.mark.parametrize("text", ["a\0b", "\ud800", "x" * (64 * 1024 + 1)])
    def test_what_cannot_be_handed_in_cannot_be_saved(self, save, text):
        with pytest.raises(services.DraftUnacceptable):
            save(text, expected=0)

    def test_an_empty_program_can_be_saved(self, save):
        assert save("", expected=0).revision == 1


class TestHistory:
    def test_saves_in_quick_succession_keep_the_first(self, save):
        for expected in range(5):
            draft = save(f"text {expected}", expected=expected)
        assert sources(draft) == ["text 0"]

    def test_a_save_may_ask_to_keep_what_it_replaces(self, save):
        save("a", expected=0)
        save("b", expected=1, keep=True)
        assert sources(save("starter", expected=2, keep=True)) == ["b", "a"]

    def test_after_a_while_the_past_is_kept_anyhow(self, save):
        save("a", expected=0)
        save("b", expected=1)
        later = timezone.now() + services.KEPT_EVERY
        Draft.objects.update(saved=later)
        assert sources(save("c", expected=2)) == ["b", "a"]

    def test_it_is_bounded_in_number(self, save, monkeypatch):
        monkeypatch.setattr(services, "KEPT_REVISIONS", 3)
        for expected in range(6):
            draft = save(f"text {expected}", expected=expected, keep=True)
        assert sources(draft) == ["text 4", "text 3", "text 2"]

    def test_that_of_all_drafts_of_a_user_is_bounded_in_number(self, owner, teammate, save, monkeypatch):
        monkeypatch.setattr(services, "KEPT_OF_USER", 3)
        save_for(teammate, new_problem("relu"), 2)
        save_for(owner, new_problem("scan"), 3)
        save("a", expected=0)
        draft = save("b", expected=1, keep=True)
        assert sources(draft) == ["a"]
        assert [r.source for r in DraftRevision.objects.filter(draft__user=owner).order_by("pk")] == [
            "1",
            "2",
            "a",
        ]
        assert DraftRevision.objects.filter(draft__user=teammate).count() == 2

    def test_it_is_bounded_in_age(self, save):
        save("a", expected=0)
        save("b", expected=1)
        DraftRevision.objects.update(saved=timezone.now() - services.KEPT_FOR - timedelta(days=1))
        assert sources(save("c", expected=2, keep=True)) == ["b"]


class TestOverHttp:
    def test_there_is_none_at_first(self, owner, problem, browser_of):
        told = browser_of(owner).get(URL).json()
        assert told == {"revision": 0, "source": None, "saved": None}

    def test_put_then_get(self, owner, problem, client):
        client.force_login(owner)
        assert put(client, {"source": "mine", "expected": 0}).json()["revision"] == 1
        assert client.get(URL).json()["source"] == "mine"

    def test_a_conflict_tells_what_is_there(self, owner, problem, client):
        client.force_login(owner)
        put(client, {"source": "theirs", "expected": 0})
        answer = put(client, {"source": "mine", "expected": 0})
        assert answer.status_code == 409
        assert (answer.json()["source"], answer.json()["revision"]) == ("theirs", 1)

    @pytest.mark.parametrize(
        "body",
        [
            [],
            "text",
            {"source": 1, "expected": 0},
            {"source": "a"},
            {"source": "a", "expected": -1},
            {"source": "a", "expected": True},
            {"source": "a", "expected": 2**40},
            {"source": "a", "expected": 0, "keep": "yes"},
        ],
    )
    def test_a_malformed_body_is_refused_in_words(self, owner, problem, client, body):
        client.force_login(owner)
        answer = put(client, body)
        assert answer.status_code == 422
        assert answer.json()["error"]

    def test_a_body_that_is_no_json_is_malformed(self):
        with pytest.raises(SaveMalformed):
            Save.parse(b"\xff")

    def test_a_program_that_is_too_long_is_refused_in_words(self, owner, problem, client):
        client.force_login(owner)
        answer = put(client, {"source": "x" * 70_000, "expected": 0})
        assert (answer.status_code, "65536" in answer.json()["error"]) == (422, True)

    def test_saving_needs_the_token_of_the_form(self, owner, problem, browser_of):
        assert put(browser_of(owner), {"source": "mine", "expected": 0}).status_code == 403

    def test_the_history_lists_and_shows_what_was(self, owner, save, client):
        save("<script>first</script>", expected=0)
        save("second", expected=1)
        client.force_login(owner)
        assert b'data-version="1"' in client.get(f"{URL}/history").content
        told = client.get(f"{URL}/history/1").json()
        assert told["source"] == "<script>first</script>"
        assert "<script>" not in told["html"]

    def test_the_history_has_submissions_with_their_verdicts_in_order(
        self, owner, teammate, save, handed_in, client
    ):
        save("first", expected=0)
        save("second", expected=1)
        ours = record(handed_in(owner, source="// ours"), Report(Verdict.WRONG_ANSWER))
        other = handed_in(owner, language=Language.TRITON)
        client.force_login(owner)
        page = client.get(f"{URL}/history").content.decode()
        assert page.index(f'data-version="s/{ours.public_id}"') < page.index('data-version="1"')
        assert "Wrong answer" in page
        assert other.public_id not in page
        told = client.get(f"{URL}/history/s/{ours.public_id}").json()
        assert told["source"] == "// ours"
        assert client.get(f"{URL}/history/s/{other.public_id}").status_code == 404
        assert client.get(f"{URL}/history/s/%00").status_code == 404
        client.force_login(teammate)
        assert client.get(f"{URL}/history/s/{ours.public_id}").status_code == 404

    def test_the_history_takes_few_queries(
        self, owner, save, handed_in, client, django_assert_max_num_queries
    ):
        for _ in range(3):
            handed_in(owner)
        client.force_login(owner)
        with django_assert_max_num_queries(10):
            client.get(f"{URL}/history")

    def test_the_page_begins_with_the_draft(self, owner, save, client):
        save("\nvoid solve() {}", expected=0)
        client.force_login(owner)
        page = client.get("/problems/vector-add?language=cuda").content.decode()
        assert 'data-revision="1"' in page
        # HTML drops the first line break of a text area, so there is one more.
        assert "\n\nvoid solve() {}</textarea>" in page


class TestAccess:
    """Only an author sees a draft; staff and instructors do not either."""

    def test_nobody_else_sees_it(self, owner, teammate, staff, save, client):
        save("the owner's secret idea", expected=0)
        save("more of it", expected=1)
        for person in (teammate, staff):
            client.force_login(person)
            assert client.get(URL).json()["source"] is None
            assert b"data-version=" not in client.get(f"{URL}/history").content
            assert client.get(f"{URL}/history/1").status_code == 404
            assert "secret idea" not in client.get("/problems/vector-add?language=cuda").content.decode()

    def test_nobody_else_changes_it(self, owner, teammate, save, client):
        save("the owner's", expected=0)
        client.force_login(teammate)
        assert put(client, {"source": "mine", "expected": 0}).status_code == 200
        assert Draft.objects.get(user=owner).source == "the owner's"

    def test_a_stranger_has_none(self, problem, client):
        assert client.get(URL).status_code == 401
        assert put(client, {"source": "mine", "expected": 0}).status_code == 401
        assert b"Until you sign in" in client.get(f"{URL}/history").content
        assert client.get(f"{URL}/history/1").status_code == 404

    def test_of_a_problem_that_one_may_not_see_there_is_none(self, owner, client):
        new_problem("hidden", published=False)
        client.force_login(owner)
        assert client.get("/problems/hidden/drafts/cuda").status_code == 404
        assert put(client, {"source": "a", "expected": 0}, "/problems/hidden/drafts/cuda").status_code == 404

    def test_of_a_language_that_the_problem_lacks_there_is_none(self, owner, problem, client):
        client.force_login(owner)
        assert client.get("/problems/vector-add/drafts/cobol").status_code == 404

    def test_other_methods_are_refused(self, owner, problem, client):
        client.force_login(owner)
        assert client.post(URL).status_code == 405
