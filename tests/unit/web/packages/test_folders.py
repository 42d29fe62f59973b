"""Tests versions as folders on a host: complete or absent, repaired after damage, limited in number."""

import os
import time
from pathlib import Path
from threading import Barrier, Thread

import pytest
from django.db import connections

from problems.archive import pack
from problems.contents import Contents, read_folder
from tests.conftest import new_problem
from tests.unit.problems.packages import STATEMENT
from tests.unit.problems.test_figures import PNG
from tests.unit.web.packages.conftest import contents, packed
from web.packages import folders
from web.packages.folders import PackageDamaged, folder_of, unpacked
from web.packages.models import PackageVersion
from web.packages.services import publish

pytestmark = pytest.mark.django_db


@pytest.fixture
def version(site, staff) -> PackageVersion:
    return publish("scale", packed(), staff)


def test_a_version_is_unpacked_once(version, django_assert_num_queries):
    folder = unpacked(version, "scale")
    assert folder == folders.root() / version.content_hash / "scale"
    assert read_folder(folder).content_hash == version.content_hash
    with django_assert_num_queries(0):
        assert unpacked(version, "scale") == folder
    assert [path.name for path in folder.parent.iterdir()] == ["scale"]


@pytest.mark.parametrize("spoil", [Path.unlink, lambda path: path.write_text("x")])
def test_what_is_spoiled_is_made_anew(version, spoil):
    folder = unpacked(version, "scale")
    spoil(folder / "reference.py")
    assert read_folder(unpacked(version, "scale")).content_hash == version.content_hash
    (folder / "solutions" / "more.cu").write_text("// planted")
    unpacked(version, "scale")
    assert not (folder / "solutions" / "more.cu").exists()


def test_an_archive_that_is_not_what_was_frozen_is_not_used(version):
    for damaged in (b"no archive", packed(statement_md=STATEMENT + "More.\n")):
        PackageVersion.objects.update(archive=damaged)
        with pytest.raises(PackageDamaged):
            unpacked(version, "scale")
    assert not (folders.root() / version.content_hash / "scale").exists()


def test_folders_that_nobody_uses_go(version, staff, monkeypatch):
    monkeypatch.setattr(folders, "KEPT", 2)
    shelves = []
    for number in range(4):
        made = publish("scale", packed(statement_md=f"{STATEMENT}{number}\n"), staff)
        shelves.append(unpacked(made, "scale").parent)
        long_ago = time.time() - 10_000 + number
        os.utime(shelves[-1], (long_ago, long_ago))
    unpacked(version, "scale")
    assert [shelf.exists() for shelf in shelves] == [False, False, False, True]


def test_folders_that_take_too_much_room_go(version, staff, monkeypatch):
    monkeypatch.setattr(folders, "KEPT_MIB", 0)
    first = unpacked(version, "scale")
    os.utime(first.parent, (1, 1))
    second = unpacked(publish("scale", packed(statement_md=f"{STATEMENT}more\n"), staff), "scale")
    assert (first.exists(), second.exists()) == (False, True)


def test_folders_that_were_used_a_moment_ago_stay(version, staff, monkeypatch):
    monkeypatch.setattr(folders, "KEPT", 0)
    first = unpacked(version, "scale")
    unpacked(publish("scale", packed(statement_md=f"{STATEMENT}more\n"), staff), "scale")
    assert first.exists()


@pytest.mark.django_db(transaction=True)
def test_two_processes_may_unpack_at_a_time(version):
    start, found = Barrier(4), []

    def unpack() -> None:
        start.wait(10)
        found.append(read_folder(unpacked(version, "scale")).content_hash)
        connections.close_all()

    threads = [Thread(target=unpack) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert found == [version.content_hash] * 4
    assert [path.name for path in (folders.root() / version.content_hash).iterdir()] == ["scale"]


def test_the_folder_of_a_problem_is_that_of_the_version_asked_for(version, staff):
    later = publish("scale", packed(statement_md=f"{STATEMENT}more\n"), staff)
    problem = later.problem
    problem.refresh_from_db()
    assert folder_of(problem, None).parent.name == later.content_hash
    assert folder_of(problem, version.pk).parent.name == version.content_hash


def test_without_versions_the_folder_is_the_sites(site):
    assert folder_of(new_problem("scale"), None) == site / "scale"


def test_figures_are_those_of_the_version_that_is_live(site, staff, client):
    shown = contents(statement_md=f"{STATEMENT}\n![Dots](figures/dots.png)\n")
    publish("scale", pack(Contents("scale", {**shown.files, "figures/dots.png": PNG})), staff)
    assert client.get("/problems/scale/figures/dots.png").content == PNG
    assert "/problems/scale/figures/dots.png" in client.get("/problems/scale").content.decode()
    publish("scale", packed(), staff)
    assert client.get("/problems/scale/figures/dots.png").status_code == 404
