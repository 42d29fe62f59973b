"""Tests the header comment that names the problem of a file."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from web.cli.header import Header, HeaderInvalid, language_of, read_header, write_header


@given(slug=st.from_regex(r"\A[a-z0-9-]{1,60}\Z"), language=st.sampled_from(["cuda", "triton"]))
def test_what_is_written_is_read_back(slug: str, language: str) -> None:
    assert read_header(write_header(slug, language) + "code") == Header(slug, language)


@pytest.mark.parametrize(
    ("source", "header"),
    [
        ("", Header()),
        ("// no header\n", Header()),
        ("#include <cuda.h>\n// warpcourt: problem=sort\n", Header(problem="sort")),
        ("#warpcourt: problem=sort\nimport triton\n", Header(problem="sort")),
        ('// warpcourt: problem=sort gpu="NVIDIA H200"', Header(problem="sort", gpu="NVIDIA H200")),
        ("\n" * 10 + "// warpcourt: problem=sort", Header()),
    ],
)
def test_headers(source: str, header: Header) -> None:
    assert read_header(source) == header


@pytest.mark.parametrize(
    ("pairs", "words"),
    [("slug=sort", "'slug=sort'"), ("problem", "'problem'"), ("problem=", "'problem='"), ("gpu='x", "quote")],
)
def test_a_header_that_makes_no_sense_is_an_error_that_says_where(pairs: str, words: str) -> None:
    with pytest.raises(HeaderInvalid, match=words):
        read_header(f"// warpcourt: {pairs}")


def test_endings_mean_languages() -> None:
    assert [language_of(Path(name)) for name in ("a.cu", "a.py", "a.torch.py", "a.c")] == [
        "cuda",
        "triton",
        "python",
        None,
    ]
