"""Times of the shipped solutions on a GPU: the file, and the table below an editorial."""

import pytest

from web.catalog import measured
from web.catalog.measured import Line, Table

TABLE = Table(
    "v1", ("large", "odd"), (Line("Tiles", "cuda", (20.0, 80.0)), Line("Plain", "triton", (45.0, 180.0)))
)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """The tables are in a folder of the test's own."""
    monkeypatch.setattr(measured, "_FOLDER", tmp_path / "measured")
    measured._all.cache_clear()
    yield tmp_path / "measured"
    measured._all.cache_clear()


def test_a_table_is_read_as_it_was_written():
    measured.record("NVIDIA H200", {"softmax": TABLE})
    (found,) = measured.tables_of("softmax", "v1")
    assert found == measured.OnGpu("NVIDIA H200", TABLE)


def test_the_slowest_solution_comes_first():
    assert [(line.name, round(line.score_us, 6)) for line in TABLE.ranked] == [
        ("Plain", 90.0),
        ("Tiles", 40.0),
    ]


def test_times_of_another_version_are_not_shown():
    measured.record("NVIDIA H200", {"softmax": TABLE})
    assert measured.tables_of("softmax", "v2") == ()
    assert measured.tables_of("relu", "v1") == ()


def test_tables_of_other_problems_stay(folder):
    measured.record("NVIDIA H200", {"softmax": TABLE})
    measured.record("NVIDIA H200", {"relu": Table("v7", ("large",), ())})
    assert measured.tables_of("softmax", "v1")
    assert [path.name for path in folder.iterdir()] == ["nvidia-h200.json"]


def test_the_editorial_shows_them_below_its_text(client, owner, problem):
    problem.editorial = "First a plain kernel."
    problem.save()
    measured.record("NVIDIA H200", {problem.slug: Table(problem.version, TABLE.cases, TABLE.lines)})
    owner.is_staff = True
    owner.save()
    client.force_login(owner)
    page = client.get(f"/problems/{problem.slug}/editorial").text
    assert "Measured on an NVIDIA H200" in page
    assert page.index("First a plain kernel") < page.index("Plain</th>") < page.index("Tiles</th>")
    assert "180.0" in page
