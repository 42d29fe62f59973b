"""Tests figures of packages: which may be shown, and that an SVG contains nothing active."""

import struct
from pathlib import Path

import pytest

from problems.figures import MAX_FIGURE_KIB, MAX_FIGURES, FigureInvalid, read_figure
from tests.unit.problems.packages import STATEMENT, faults_of, write_package

SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 240"><path d="M0 0h10"/>{}</svg>'
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 320, 200) + b"\x08\x02\0\0\0" + b"\0" * 16


def written(folder: Path, name: str, content: str | bytes) -> Path:
    """A file of that name."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    ("name", "content", "size", "media_type"),
    [
        ("tree.svg", SVG.format(""), (400, 240), "image/svg+xml"),
        ("tree.png", PNG, (320, 200), "image/png"),
        (
            "tree.webp",
            b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x3f\x01\0\xc7\0\0" + b"\0" * 8,
            (320, 200),
            "image/webp",
        ),
        (
            "tree.webp",
            b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f" + (319 | 199 << 14).to_bytes(4, "little") + b"\0" * 8,
            (320, 200),
            "image/webp",
        ),
        (
            "tree.webp",
            b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a" + struct.pack("<HH", 320, 200) + b"\0" * 4,
            (320, 200),
            "image/webp",
        ),
    ],
)
def test_each_kind_has_its_size(tmp_path, name, content, size, media_type):
    figure = read_figure(written(tmp_path, name, content))
    assert ((figure.width, figure.height), figure.media_type) == (size, media_type)


@pytest.mark.parametrize(
    "inside",
    [
        "<script>alert(1)</script>",
        "<foreignObject/>",
        '<a href="javascript:alert(1)"/>',
        '<image href="https://evil.example/x.png"/>',
        '<path onload="alert(1)" d=""/>',
        '<use href="#x"/>',
        '<path style="fill:url(https://evil.example)"/>',
        '<path fill="url(https://evil.example/#x)"/>',
        "<style>@import url(//evil.example)</style>",
        '<set attributeName="x"/>',
        '<?xml-stylesheet href="//evil.example"?>',
        '<path fill="URL(//evil.example)"/>',
        '<path fill="u\\72l(//evil.example)"/>',
        '<animateTransform attributeName="x"/>',
        '<meta xmlns="http://www.w3.org/1999/xhtml" http-equiv="refresh" content="0;url=//evil.example"/>',
        '<h:form xmlns:h="http://www.w3.org/1999/xhtml" action="//evil.example"><h:input/></h:form>',
        '<g xmlns=""><b/></g>',
    ],
)
def test_a_drawing_draws_and_nothing_else(tmp_path, inside):
    with pytest.raises(FigureInvalid):
        read_figure(written(tmp_path, "x.svg", SVG.format(inside)))


def test_a_drawing_may_have_gradients_and_comments(tmp_path):
    inside = '<!-- a note --><linearGradient id="g"/><path fill="url(#g)" d="M0 0"/><text x="1">n</text>'
    assert read_figure(written(tmp_path, "x.svg", SVG.format(inside))).width == 400


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.svg", "<!DOCTYPE svg [<!ENTITY a 'b'>]>" + SVG.format("&a;")),
        ("x.svg", '<svg viewBox="0 0 4 4"></svg>'),
        ("x.svg", '<svg xmlns="http://www.w3.org/2000/svg"></svg>'),
        ("x.svg", '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 99999 4"></svg>'),
        ("x.svg", b"\xff\xfe"),
        ("x.png", "no image"),
        ("x.webp", PNG),
        ("x.gif", b"GIF89a"),
        ("X.png", PNG),
        ("x.png", PNG + b"\0" * MAX_FIGURE_KIB * 1024),
    ],
)
def test_what_is_no_figure_is_refused_in_words(tmp_path, name, content):
    with pytest.raises(FigureInvalid, match=" "):
        read_figure(written(tmp_path, name, content))


def test_links_are_not_followed(tmp_path):
    written(tmp_path, "real.png", PNG)
    (tmp_path / "x.png").symlink_to(tmp_path / "real.png")
    with pytest.raises(FigureInvalid, match="not a link"):
        read_figure(tmp_path / "x.png")


class TestInAPackage:
    @pytest.fixture
    def folder(self, tmp_path):
        statement = STATEMENT.replace("## Example", "![A tree](figures/tree.svg)\n\n## Example", 1)
        folder = write_package(tmp_path, statement_md=statement)
        (folder / "figures").mkdir()
        written(folder / "figures", "tree.svg", SVG.format(""))
        return folder

    def test_a_figure_that_the_statement_shows_is_there(self, folder):
        assert faults_of(folder) == ()

    def test_a_missing_one_is_a_fault_of_the_statement(self, folder):
        (folder / "figures" / "tree.svg").unlink()
        assert faults_of(folder) == (
            "problems/scale/statement.md: shows figures/tree.svg, which is missing; add it",
        )

    def test_a_bad_one_is_a_fault_of_its_file(self, folder):
        written(folder / "figures", "tree.svg", SVG.format("<script/>"))
        [fault] = faults_of(folder)
        assert fault.startswith("problems/scale/figures/tree.svg: holds <script>")

    def test_there_may_not_be_too_many(self, folder):
        for index in range(MAX_FIGURES):
            written(folder / "figures", f"x{index}.png", PNG)
        [fault] = faults_of(folder)
        assert "at most 20" in fault
