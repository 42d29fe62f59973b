"""Tests hostile programs: the worker finds their includes without a sandbox, in bounded time."""

import pytest

from problems.libraries import Library, refused_include
from tests.growth import assert_linear, pieces

ALPHABET = ["#", "/*", "*/", "/**/", "include", "<a>", "<", '"', " ", "\\", "\n", "??/", "//"]
LONGEST = 65_536


@pytest.mark.parametrize(("head", "tail"), [("", ""), ("#", "x"), ("", "*/"), ("#include", "<a>")])
def test_no_repetition_takes_longer_than_its_length_says(head: str, tail: str) -> None:
    """Comments after a sign took twice as long for each one more; 30 of them stopped a worker."""
    for piece in pieces(ALPHABET, most=2):
        assert_linear(
            lambda text: refused_include(text, ()), piece, length=LONGEST // 8 // 4, head=head, tail=tail
        )


@pytest.mark.parametrize(
    "piece",
    ["/**/", "/* ", "#/*", "#/*#*/", "#/**/", "#include/*", "# \n", "#include <a", "\\  ", "#import<a>"],
)
def test_the_longest_source_takes_longer_as_its_length_says(piece: str) -> None:
    for tail in ("", "x", "*/", "*/include <a>"):
        assert_linear(lambda text: refused_include(text, ()), piece, length=LONGEST // 8, head="#", tail=tail)


@pytest.mark.parametrize("comments", ["/**/" * 1000, "/* * / */ " * 1000, "/*#*/\n" * 1000, "/***/" * 1000])
def test_however_many_comments_a_directive_has_it_is_seen(comments: str) -> None:
    source = f"#{comments}include{comments}<cub/cub.cuh>"
    assert "cub" in refused_include(source, [Library.THRUST])


def test_a_comment_ends_where_the_compiler_ends_it() -> None:
    assert refused_include("#/* a */ b */ include <cub/cub.cuh>", ()) == ""
    assert refused_include("#/* a include <cub/cub.cuh>", ()) == ""
