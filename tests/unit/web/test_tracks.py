"""Tests tracks: built from files and track days, and shown with the user's progress."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.utils import timezone

from judge.report import Report
from problems.loader import problems_root
from problems.track import TrackFile
from problems.vocabulary import Language, Verdict
from tests.conftest import new_problem
from tests.unit.web.figures import record
from web.catalog.models import Problem
from web.packages.models import Origin, PackageVersion
from web.submissions import services as submissions
from web.tracks import queries, services
from web.tracks.models import Entry, PlannedEntry, Track

pytestmark = pytest.mark.django_db
FILE = TrackFile("path", "A path", "Somewhere.", ("c", "a", "gone", "b"), "Learn $n$.", 5)


@pytest.fixture
def trio(db: None) -> list[Problem]:
    """Problems a, b and c, two of them with a day."""
    return [new_problem("a", track_day=2), new_problem("b", track_day=None), new_problem("c", track_day=1)]


@pytest.fixture
def path(trio: list[Problem]) -> Track:
    services.sync([FILE])
    return Track.objects.get(slug="path")


def solve(user, problem, verdict=Verdict.ACCEPTED):
    record(submissions.submit(user, problem, language=Language.CUDA, source="x"), Report(verdict))


def stops(slug: str) -> list[tuple[str, int | None]]:
    entries = Entry.objects.filter(track__slug=slug).order_by("position")
    return list(entries.values_list("problem__slug", "day"))


def add_version(problem: Problem, number: int, by) -> PackageVersion:
    """Add a version by this author, or of the site."""
    return PackageVersion.objects.create(
        problem=problem,
        number=number,
        content_hash=str(number),
        version=problem.version,
        archive=b"",
        size_bytes=0,
        origin=Origin.AUTHOR if by else Origin.SITE,
        by=by,
    )


def test_files_and_days_become_tracks(trio):
    assert services.sync([FILE]) == 2
    assert stops("path") == [("c", None), ("a", None), ("b", None)]
    assert stops("hundred-days") == [("c", 1), ("a", 2)]
    track = Track.objects.get(slug="path")
    assert (track.title, track.order, track.description) == ("A path", 5, "Learn $n$.")


@pytest.mark.parametrize(
    ("versions", "within"),
    [
        (("owner",), False),
        (("owner", "staff"), False),
        (("owner", ""), False),
        (("staff",), True),
        (("staff", "owner"), True),
        (("", "owner"), True),
    ],
)
def test_problems_of_other_authors_stay_out(trio, versions, within, request):
    for number, name in enumerate(versions, start=1):
        by = request.getfixturevalue(name) if name else None
        add_version(trio[0], number, by)
    services.sync([FILE])
    assert (("a", None) in stops("path")) is within
    assert (("a", 2) in stops("hundred-days")) is within


def test_the_package_of_the_site_replaces_that_of_an_author(trio, owner):
    add_version(trio[0], 1, owner)
    Problem.objects.filter(slug="a").update(package=add_version(trio[0], 2, None))
    services.sync([FILE])
    assert ("a", None) in stops("path")


def test_a_sync_changes_what_the_file_changes_and_keeps_what_staff_chose(path):
    Track.objects.filter(pk=path.pk).update(published=False)
    services.sync([TrackFile("path", "Another", "Elsewhere.", ("b",))])
    path.refresh_from_db()
    assert (path.title, path.published) == ("Another", False)
    assert stops("path") == [("b", None)]


def test_a_track_whose_file_is_gone_is_not_shown(path, client):
    services.sync([])
    assert client.get("/tracks/path").status_code == 404
    assert "A path" not in client.get("/tracks").content.decode()
    assert Track.objects.filter(slug="path").exists()


def test_progress_is_ones_own(path, owner, teammate, stranger, trio):
    a, _, c = trio
    solve(owner, c)
    solve(owner, a, Verdict.WRONG_ANSWER)
    mine = queries.find_path(owner, "path")
    assert [stop.state for stop in mine.stops] == ["solved", "attempted", "new"]
    assert (mine.solved, mine.started, mine.following.slug) == (1, True, "a")
    for other in (teammate, stranger):
        assert (queries.find_path(other, "path").solved, queries.find_path(other, "path").started) == (
            0,
            False,
        )


def test_two_queries_find_all_tracks(path, owner, django_assert_num_queries):
    with django_assert_num_queries(2):
        paths = queries.list_paths(owner)
    assert [(found.slug, len(found.stops)) for found in paths] == [("hundred-days", 2), ("path", 3)]


def test_unpublished_problems_and_tracks_are_for_staff(path, owner, staff, client):
    Problem.objects.filter(slug="a").update(published=False)
    assert [stop.slug for stop in queries.find_path(owner, "path").stops] == ["c", "b"]
    Track.objects.update(published=False)
    client.force_login(owner)
    assert client.get("/tracks/path").status_code == 404
    assert queries.list_paths(owner) == ()
    assert queries.track_titles(owner) == {}
    client.force_login(staff)
    assert client.get("/tracks/path").status_code == 200
    assert "visible to staff only" in client.get("/tracks").content.decode()


def test_a_track_without_a_visible_problem_leads_nowhere(path, owner, client):
    Problem.objects.update(published=False)
    assert queries.list_paths(owner) == ()
    assert "No tracks yet." in client.get("/tracks").content.decode()


def test_the_page_leads_on(path, owner, client, trio, django_assert_max_num_queries):
    client.force_login(owner)
    assert "Start with C" in client.get("/tracks/path").content.decode()
    solve(owner, trio[2])
    with django_assert_max_num_queries(8):
        page = client.get("/tracks/path").content.decode()
    assert "Continue with A" in page
    assert "1 of 3 solved" in page
    assert "<math" in page
    for problem in trio[:2]:
        solve(owner, problem)
    assert "You have solved every problem of this track." in client.get("/tracks/path").content.decode()


@pytest.mark.parametrize(
    ("starts_h", "ends_h", "text"),
    [
        (-1, 1, "A contest is running until"),
        (1, 2, "A contest starts on"),
        (-2, -1, "The contest ended on"),
        (None, None, ""),
    ],
)
def test_a_track_says_when_its_contest_is(path, client, starts_h, ends_h, text):
    now = timezone.now()
    if starts_h is not None:
        Track.objects.filter(pk=path.pk).update(
            contest_starts=now + timedelta(hours=starts_h), contest_ends=now + timedelta(hours=ends_h)
        )
    page = client.get("/tracks/path").content.decode()
    assert text in page
    assert ("contest" in page) is bool(text)


def test_a_sync_keeps_the_contest(path):
    now = timezone.now()
    Track.objects.filter(pk=path.pk).update(contest_starts=now, contest_ends=now + timedelta(hours=1))
    services.sync([FILE])
    path.refresh_from_db()
    assert path.contest_starts == now


@pytest.mark.parametrize(
    "window", [{"contest_starts": 0}, {"contest_ends": 0}, {"contest_starts": 1, "contest_ends": 1}]
)
def test_half_a_contest_is_none(path, window):
    now = timezone.now()
    with pytest.raises(IntegrityError), transaction.atomic():
        Track.objects.update(**{name: now + timedelta(hours=hours) for name, hours in window.items()})


def test_loading_reads_packages_and_tracks(settings, tmp_path: Path, capsys):
    root = settings.WARPCOURT.problems_dir
    assert root == problems_root()
    call_command("loadproblems")
    packages = len([*root.glob("*/problem.toml")])
    assert f"{packages} problems: {packages} new" in capsys.readouterr().out
    assert ("vector-add", 3) in stops("hundred-days")
    assert PlannedEntry.objects.filter(track__slug="hundred-days").count() == 100
    assert Problem.objects.get(slug="sort").taggings.filter(name="radix sort").exists()
    call_command("loadproblems")
    assert "0 new, 0 updated, 0 unpublished" in capsys.readouterr().out


def test_loading_reports_a_broken_track_and_keeps_the_rest(settings, tmp_path: Path, monkeypatch):
    (tmp_path / "tracks").mkdir()
    (tmp_path / "tracks" / "broken.toml").write_text('title = "Broken"\nsummary = "x"\nproblems = ["nope"]\n')
    monkeypatch.setattr(
        "web.packages.management.commands.loadproblems.settings.WARPCOURT",
        type("Config", (), {"problems_dir": tmp_path})(),
    )
    with pytest.raises(CommandError, match=r"tracks/broken.toml: problems\[0\]: 'nope' is not a problem"):
        call_command("loadproblems")
