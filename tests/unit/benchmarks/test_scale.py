"""Tests the computed resources for a load, and the document that shows them."""

from pathlib import Path

import pytest

from benchmarks.scale import SITE_STATEMENTS, WORKER_STATEMENTS, Load, distances, rows_of

ROOT = Path(__file__).resolve().parents[3]


def rows(name: str) -> list[list[str]]:
    """The cells of all tables of a document."""
    lines = (ROOT / "docs" / name).read_text().splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]


def test_figures_grow_with_the_load() -> None:
    one, ten = Load(86_400, peak=1.0), Load(864_000, peak=1.0)
    assert one.peak_per_s == 1.0
    assert one.figures()["statements per second"] == str(SITE_STATEMENTS + WORKER_STATEMENTS)
    assert ten.classes == pytest.approx(10 * one.classes)


def test_the_document_shows_what_the_command_prints() -> None:
    shown = rows("scale.md")
    printed = rows_of([Load(submissions, 3.0).figures() for submissions in (1_000_000, 333_333)])
    tabled = [row for row in shown if row[0] in {name for name, *_ in printed}]
    assert len(tabled) >= len(printed) - 3  # submissions alone are said for the broker only
    for row in tabled:
        assert tuple(row) in printed
    for distance in distances():
        assert list(distance) in shown


def test_the_constants_are_those_of_the_measurements() -> None:
    measured = {row[0]: row for row in rows("measurements.md")}
    assert int(measured["submit"][1]) == SITE_STATEMENTS
    of_worker = sum(int(measured[name][1]) for name in ("claim", "heartbeat, each", "14 steps", "verdict"))
    assert of_worker == WORKER_STATEMENTS
    assert measured["from submission to verdict"][1] == str(SITE_STATEMENTS + WORKER_STATEMENTS)
