"""Tests versions: frozen once, numbered, one live version at a time, from any source."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from problems.archive import unpack
from problems.contents import ContentsInvalid
from problems.faults import PackageInvalid
from tests.unit.problems.packages import STATEMENT, write_package
from tests.unit.web.packages.conftest import MORE_CASES, contents, on_disk, packed
from web.accounts.models import User
from web.audit.models import AuditEntry, AuditKind
from web.catalog.models import Problem
from web.packages import queries, services
from web.packages.models import Origin, PackageVersion
from web.packages.services import freeze, go_live, load_site, publish, set_archived

pytestmark = pytest.mark.django_db
OTHER_WORDS = STATEMENT.replace("into `y`", "into the array `y`")


def load(*arguments: str) -> str:
    out = StringIO()
    call_command("loadproblems", *arguments, stdout=out)
    return out.getvalue()


def scale() -> Problem:
    return Problem.objects.select_related("package").get(slug="scale")


@pytest.fixture
def author(owner: User) -> User:
    owner.is_instructor = True
    owner.save()
    return owner


def test_a_folder_of_the_site_becomes_a_version_that_is_live(site):
    assert "1 problems: 1 new, 0 updated, 0 unpublished" in load()
    problem = scale()
    live = problem.package
    assert (problem.published, live.number, live.origin, live.by) == (True, 1, Origin.SITE, None)
    assert live.version == problem.version
    assert bytes(live.archive) == on_disk(site)
    assert live.content_hash == unpack(live.archive).content_hash
    assert "0 new, 0 updated" in load()
    assert PackageVersion.objects.count() == 1


def test_a_changed_folder_becomes_the_next_version_and_its_return_the_first(site):
    load()
    write_package(site, statement_md=OTHER_WORDS)
    assert "0 new, 1 updated" in load()
    problem = scale()
    assert problem.package.number == 2
    assert "into the array" in problem.statement
    write_package(site)
    assert "0 new, 1 updated" in load()
    assert scale().package.number == 1
    assert PackageVersion.objects.count() == 2


def test_what_changes_no_verdict_keeps_scores_together(site):
    load()
    before = scale().version
    write_package(site, statement_md=OTHER_WORDS)
    load()
    assert scale().version == before
    write_package(site, problem_toml=MORE_CASES)
    load()
    assert scale().version != before


def test_a_problem_of_the_site_without_a_sound_folder_is_hidden(site):
    load()
    (site / "scale" / "reference.py").unlink()
    with pytest.raises(CommandError, match=r"problems/scale/reference.py: missing"):
        load()
    assert not scale().published
    (site / "broken").mkdir()
    (site / "broken" / "problem.toml").symlink_to("/etc/passwd")
    assert any("broken" in fault for fault in load_site(site).faults)


def test_a_problem_that_a_broken_folder_hid_returns_with_the_repaired_folder(site):
    load()
    reference = site / "scale" / "reference.py"
    source = reference.read_text()
    for _ in range(2):
        reference.unlink()
        for _ in range(2):  # the second load finds the problem hidden
            with pytest.raises(CommandError, match="missing"):
                load()
        reference.write_text(source)
        assert "0 new, 1 updated" in load()
        assert scale().published
        assert "0 new, 0 updated" in load()
    kinds = [entry.kind for entry in AuditEntry.objects.order_by("pk")]
    assert kinds == [AuditKind.UNLOAD, AuditKind.SHOW] * 2


def test_a_repaired_folder_does_not_show_what_staff_withdrew(site, staff):
    load()
    folder, aside = site / "scale", site.parent / "aside"
    folder.rename(aside)
    load_site(site)
    assert services.show_again(scale(), staff)
    assert services.withdraw(scale(), staff)
    aside.rename(folder)
    assert load_site(site).updated == ()
    assert not scale().published


def test_drafts_stay_hidden_and_the_choice_of_staff_is_kept(site):
    load("--draft")
    assert not scale().published
    Problem.objects.update(published=True)
    load()
    Problem.objects.update(published=False)
    write_package(site, statement_md=OTHER_WORDS)
    load()
    assert not scale().published


def test_an_author_publishes_a_problem(author):
    version = publish("scale", packed(), author, "The first one.")
    problem = scale()
    assert problem.package == version
    assert (problem.published, problem.title, problem.tags) == (True, "Scale", ["elementwise"])
    assert (version.number, version.origin, version.by) == (1, Origin.AUTHOR, author)
    assert version.note == "The first one."
    entry = AuditEntry.objects.get(kind=AuditKind.PUBLISH)
    assert (entry.actor, entry.target_text) == (author, "Scale")
    assert entry.details == {"version": 1, "note": "The first one."}
    assert publish("scale", packed(), author) == version
    assert AuditEntry.objects.count() == 1


def test_what_is_frozen_changes_nothing_until_it_goes_live(author):
    first = publish("scale", packed(), author)
    second = freeze("scale", packed(statement_md=OTHER_WORDS), author)
    assert second.number == 2
    assert scale().package == first
    assert "into the array" not in scale().statement
    assert go_live(second, author)
    assert "into the array" in scale().statement
    assert not go_live(second, author)
    assert go_live(first, author)
    assert "into the array" not in scale().statement


def test_a_problem_is_hidden_until_its_first_version_goes_live(author):
    version = freeze("scale", packed(), author)
    assert not scale().published
    go_live(version, author)
    assert scale().published


def test_a_problem_that_staff_withdrew_stays_withdrawn(author):
    publish("scale", packed(), author)
    Problem.objects.update(published=False)
    publish("scale", packed(statement_md=OTHER_WORDS), author)
    assert not scale().published


def test_a_deployment_leaves_the_version_of_an_author_live(site, staff):
    load()
    authored = publish("scale", packed(statement_md=OTHER_WORDS), staff)
    assert "These problems keep the version that an author published: scale." in load()
    assert scale().package == authored
    (site / "scale" / "problem.toml").unlink()
    load()
    assert scale().published
    write_package(site)
    load("--replace", "scale")
    assert scale().package.origin == Origin.SITE


def test_a_problem_that_an_author_only_froze_is_new(site, author):
    freeze("scale", packed(statement_md=OTHER_WORDS), author)
    assert "1 problems: 1 new" in load()
    assert (scale().published, scale().package.number) == (True, 2)


def test_files_that_an_author_froze_before_the_site_shipped_them_are_the_sites(site, author):
    early = freeze("scale", on_disk(site), author)
    load()
    assert scale().package == early
    assert (scale().package.origin, scale().published) == (Origin.SITE, True)


@pytest.mark.parametrize(
    ("archive", "refusal"),
    [(b"no archive", ContentsInvalid), (packed(reference_py=" "), PackageInvalid)],
)
def test_what_is_no_sound_package_leaves_no_trace(author, archive, refusal):
    with pytest.raises(refusal):
        publish("scale", archive, author)
    assert not Problem.objects.exists()


def test_a_live_version_cannot_be_archived(author):
    first = publish("scale", packed(), author)
    assert not set_archived(first, None, archived=True)
    second = publish("scale", packed(statement_md=OTHER_WORDS), author)
    assert set_archived(first, None, archived=True)
    assert list(scale().versions.filter(archived=False)) == [second]
    go_live(PackageVersion.objects.get(pk=first.pk), author)
    assert list(scale().versions.filter(archived=False)) == [second, first]


def test_versions_are_found_without_their_archives(author):
    version = publish("scale", packed(), author)
    for found in (queries.find_version("scale", 1), queries.live_version("scale")):
        assert found == version
        assert "archive" in found.get_deferred_fields()
    assert queries.read_archive(version) == packed()
    assert queries.find_version("scale", 2) is None
    assert queries.live_version("other") is None


def test_a_version_knows_when_more_is_hashed_than_was(site, monkeypatch):
    load()
    PackageVersion.objects.update(version="as it was hashed before")
    Problem.objects.update(version="as it was hashed before")
    load()
    assert scale().version == scale().package.version != "as it was hashed before"


def test_the_version_of_a_problem_is_that_of_its_package(author, tmp_path: Path):
    publish("scale", packed(), author)
    assert scale().version == services.load(contents()).version
