"""Notes and bookmarks: private, never lost, and in the filters of the list; the palette's destinations."""

import pytest
from django.test import Client

from tests.conftest import new_problem
from web.catalog.queries import Mark, list_problems, neighbours
from web.drafts import notes
from web.drafts.models import Note
from web.practice.lists import DESTINATIONS

pytestmark = pytest.mark.django_db

URL = "/problems/vector-add"
HTMX = {"HX-Request": "true"}


def test_a_note_is_saved_and_shown_to_its_author_alone(problem, owner, staff, client: Client):
    client.force_login(owner)
    answer = client.post(f"{URL}/note", {"text": "\nMind <b>n</b>.\r\n", "expected": "0"}, headers=HTMX)
    assert answer.json() == {"revision": 1, "text": "Mind <b>n</b>."}
    page = client.get(URL).content.decode()
    assert "Mind &lt;b&gt;n&lt;/b&gt;.</textarea>" in page
    assert 'name="expected" value="1"' in page
    client.force_login(staff)
    assert "Mind" not in client.get(URL).content.decode()


def test_two_windows_lose_nothing(problem, owner):
    notes.save_note(owner, problem, text="one", expected=0)
    notes.save_note(owner, problem, text="two", expected=1)
    note = notes.save_note(owner, problem, text="from another window", expected=1)
    assert (note.text, note.revision) == ("two\n\nfrom another window", 3)
    assert notes.save_note(owner, problem, text=note.text, expected=0).revision == 3


@pytest.mark.parametrize(
    "text", ["x" * (notes.MAX_CHARACTERS + 1), "a\0b", "\ud800"], ids=["long", "nul", "surrogate"]
)
def test_what_cannot_be_stored_is_refused(problem, owner, client: Client, text):
    with pytest.raises(notes.NoteRefused):
        notes.save_note(owner, problem, text=text, expected=0)
    assert not Note.objects.filter(revision__gt=0).exists()


def test_without_scripts_the_forms_lead_back(problem, owner, client: Client):
    client.force_login(owner)
    for form, fields in (("note", {"text": "t", "expected": "x"}), ("bookmark", {"bookmarked": "yes"})):
        answer = client.post(f"{URL}/{form}", fields)
        assert (answer.status_code, answer["Location"]) == (302, URL)
    too_long = client.post(f"{URL}/note", {"text": "x" * 30_000, "expected": "1"}, follow=True)
    assert "The limit is 20,000" in too_long.content.decode()


def test_bookmarks_are_a_filter_of_the_list(problem, owner, teammate, client: Client):
    new_problem("reduction")
    client.force_login(owner)
    client.post(f"{URL}/bookmark", {"bookmarked": "yes"}, headers=HTMX)
    assert 'aria-pressed="true"' in client.get(URL).content.decode()
    assert [found.slug for found in list_problems(owner, mark=Mark.BOOKMARKED)] == ["vector-add"]
    assert not list_problems(teammate, mark=Mark.BOOKMARKED)
    client.post(f"{URL}/bookmark", {"bookmarked": "no"}, headers=HTMX)
    assert not list_problems(owner, mark=Mark.BOOKMARKED)


def test_a_hidden_problem_has_neither(owner, client: Client):
    new_problem("hidden", published=False)
    client.force_login(owner)
    for form in ("note", "bookmark"):
        assert client.post(f"/problems/hidden/{form}", {}).status_code == 404


def test_neighbours_follow_the_list(owner, staff):
    days = {"c": 1, "a": 2, "b": 2, "d": None, "e": None}
    shown = {slug: new_problem(slug, track_day=day) for slug, day in days.items()}
    new_problem("aa", track_day=2, published=False)
    listed = [problem.slug for problem in list_problems(owner)]
    assert listed == ["c", "a", "b", "d", "e"]
    for at, slug in enumerate(listed):
        before, after = neighbours(owner, shown[slug])
        assert (before and before.slug) == (listed[at - 1] if at else None)
        assert (after and after.slug) == (listed[at + 1] if at + 1 < len(listed) else None)
    assert neighbours(staff, shown["a"])[1].slug == "aa"


def test_the_palette_finds_visible_problems(problem, owner, client: Client, django_assert_max_num_queries):
    for number in range(2 * DESTINATIONS):
        new_problem(f"extra-{number}", title=f"Extra {number}")
    new_problem("hidden", title="Hidden vector", published=False)
    client.force_login(owner)
    with django_assert_max_num_queries(4):
        found = client.get("/go?q=extra+13").json()["problems"]
    assert [entry["url"] for entry in found] == ["/problems/extra-13"]
    assert client.get("/go?q=hidden").json()["problems"] == []
    assert len(client.get("/go?q=extra").json()["problems"]) == DESTINATIONS
    assert client.get("/go?q=%00").json()["problems"]
    conflicts = {lesson["title"]: lesson for lesson in client.get("/go?q=bank+conflict").json()["lessons"]}
    found = conflicts["Bank conflicts in shared memory"]
    assert (found["kind"], found["url"]) == ("finding", "/learn/findings/bank_conflict")
    assert client.get("/go?q=").json()["lessons"] == []
