"""Staff write tracks, show and hide them, and schedule contests."""

import re

import pytest

from problems.track import TrackFile
from tests.conftest import new_problem
from web.audit.models import AuditEntry, AuditKind
from web.tracks import services
from web.tracks.models import Track

pytestmark = pytest.mark.django_db

FILE = TrackFile("path", "A path", "Somewhere.", ("c", "a", "b"), "", 5)
WRITTEN = {
    "slug": "course",
    "title": "A course",
    "summary": "Week by week.",
    "stops": "b\r\na\r\n",
    "order": "20",
    "published": "on",
}


@pytest.fixture(autouse=True)
def path() -> Track:
    for slug in "abc":
        new_problem(slug, track_day=None)
    services.sync([FILE])
    return Track.objects.get(slug="path")


@pytest.fixture
def superuser(staff, browser_of):
    found = browser_of(staff)
    found.handler.enforce_csrf_checks = False
    return found


def stops(slug: str) -> list[str]:
    entries = Track.objects.get(slug=slug).entries.order_by("position")
    return list(entries.values_list("problem__slug", flat=True))


def test_a_track_is_written_and_shown(superuser, client):
    assert superuser.post("/staff/tracks/new", WRITTEN).status_code == 302
    assert stops("course") == ["b", "a"]
    assert "A course" in client.get("/tracks").content.decode()
    assert AuditEntry.objects.get().kind == AuditKind.TRACK_ADD
    page = superuser.get("/staff/tracks").content.decode()
    assert "A course" in page
    assert "A path" in page


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"slug": "path"}, "already exists"),
        ({"slug": "hundred-days"}, "reserved"),
        ({"stops": "a nope"}, "nope: problem not found."),
        ({"stops": "a b a"}, "a is listed twice."),
        ({"stops": ""}, "required"),
        ({"contest_starts": "2026-11-21T10:00"}, "a start and a later end"),
    ],
)
def test_faults_are_named(superuser, changed, complaint):
    answer = superuser.post("/staff/tracks/new", WRITTEN | changed)
    assert answer.status_code == 422
    assert complaint in answer.content.decode()
    assert Track.objects.count() == 1
    assert not AuditEntry.objects.exists()


def test_a_track_of_staff_survives_loading(superuser):
    superuser.post("/staff/tracks/new", WRITTEN)
    services.sync([FILE, TrackFile("course", "Another", "Elsewhere.", ("c",))])
    assert stops("course") == ["b", "a"]
    assert Track.objects.get(slug="course").title == "A course"


def test_problems_are_put_in_another_order(superuser):
    superuser.post("/staff/tracks/new", WRITTEN)
    answer = superuser.post("/staff/tracks/course", WRITTEN | {"stops": "c b"})
    assert answer.status_code == 302
    assert stops("course") == ["c", "b"]
    entry = AuditEntry.objects.filter(kind=AuditKind.TRACK_CHANGE).get()
    assert entry.details == {"changed": ["stops"]}


def test_texts_of_a_track_from_a_file_stay(superuser, path):
    page = superuser.get("/staff/tracks/path").content.decode()
    assert "come from files" in page
    assert 'name="title"' not in page
    superuser.post("/staff/tracks/path", {"title": "Mine", "stops": "a"})
    path.refresh_from_db()
    assert (path.title, path.published) == ("A path", False)
    assert stops("path") == ["c", "a", "b"]


@pytest.mark.parametrize(
    ("starts", "ends", "complaint"),
    [
        ("2026-11-21T10:00", "2026-11-21T12:00", ""),
        ("", "", ""),
        ("2026-11-21T10:00", "", "a start and a later end"),
        ("2026-11-21T10:00", "2026-11-21T10:00", "a start and a later end"),
    ],
)
def test_staff_set_the_time_of_a_contest(superuser, path, starts, ends, complaint):
    answer = superuser.post(
        "/staff/tracks/path", {"published": "on", "contest_starts": starts, "contest_ends": ends}
    )
    if complaint:
        assert complaint in answer.content.decode()
        assert not AuditEntry.objects.exists()
        return
    path.refresh_from_db()
    assert (path.contest_starts is not None) is bool(starts)
    noted = AuditEntry.objects.filter(kind=AuditKind.TRACK_CHANGE, details__contest_starts__isnull=False)
    assert noted.exists() is bool(starts)
    if starts:
        assert 'value="2026-11-21T10:00"' in superuser.get("/staff/tracks/path").content.decode()


def test_only_tracks_of_staff_are_deleted(superuser):
    superuser.post("/staff/tracks/new", WRITTEN)
    assert superuser.post("/staff/tracks/course/delete").status_code == 302
    assert superuser.post("/staff/tracks/path/delete").status_code == 404
    assert list(Track.objects.values_list("slug", flat=True)) == ["path"]


def test_problems_are_found_and_added_before_anything_is_saved(superuser):
    page = superuser.post("/staff/tracks/new", WRITTEN | {"stops": "b", "words": "a", "find": "1"}).text
    assert 'name="add" value="a"' in page
    assert "in the track" not in superuser.post("/staff/tracks/new", {"words": "c", "find": "1"}).text
    page = superuser.post("/staff/tracks/new", WRITTEN | {"stops": "b", "words": "a", "add": "a"}).text
    assert "b\na</textarea>" in page
    assert 'value="A course"' in page
    assert "checked" in page
    assert 'name="add" value="a"' not in page
    assert "in the track" in page
    assert Track.objects.count() == 1
    superuser.post("/staff/tracks/new", WRITTEN)
    superuser.post("/staff/tracks/course", WRITTEN | {"add": "c"})
    assert stops("course") == ["b", "a"]
    assert 'id="picker"' not in superuser.post("/staff/tracks/path", {"find": "1"}).content.decode()


def test_unpublished_problems_are_found_too_and_a_long_list_says_so(superuser):
    new_problem("hidden", title="Hidden thing", published=False)
    page = superuser.post("/staff/tracks/new", {"find": "1", "words": "hidden\0"}).text
    assert "not published" in page
    for number in range(25):
        new_problem(f"p-{number}", title=f"Many {number}")
    page = superuser.post("/staff/tracks/new", {"find": "1", "words": "many"}).text
    assert page.count('name="add"') == 20
    assert "There are more." in page


def test_more_tracks_than_a_page_are_reached(superuser):
    Track.objects.bulk_create(
        Track(slug=f"t-{number}", title=f"T {number}", order=7, from_files=False) for number in range(60)
    )
    first = superuser.get("/staff/tracks").text
    following = re.search(r'href="(\?after=[^"]+)">Next', first)
    assert following
    second = superuser.get(f"/staff/tracks{following[1]}").text
    seen = set(re.findall(r"/staff/tracks/(t-[0-9]+)", first + second))
    assert len(seen) == 60
    assert "Next" not in second
