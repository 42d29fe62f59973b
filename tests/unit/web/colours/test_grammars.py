"""Tests that highlighting is linear: by the form of its rules, and by its time for hostile sources."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from problems.vocabulary import Language
from tests.growth import assert_linear
from tests.unit.web.colours.linear import NotLinear, prove
from web.colours import colour, coloured, highlighted, lines_of
from web.colours.grammar import Grammar
from web.colours.languages import NAMES
from web.colours.source import MOST_CHARACTERS

GRAMMARS = {id(grammar): (name, grammar) for name, grammar in NAMES.items()}.values()
MARKS = [
    *"\"'`#/\\*<>()[]{}$%@:;.,=+-_ \t\n",
    "a",
    "R",
    "0",
    "é",
    "//",
    "/*",
    "*/",
    '"""',
    "'''",
    'R"(',
    ')"',
]
SLOW = ["a+b", "(a+)+", "(a|b)*+c", "/\\*.*?\\*/", "a*+b", "(?=a*)b", "(?:a{1,100}){1,100}", "(a*+b|c)"]


@pytest.mark.parametrize("pattern", SLOW)
def test_expressions_that_may_take_long_are_not_proved(pattern: str) -> None:
    with pytest.raises(NotLinear):
        prove(pattern)


@pytest.mark.parametrize(("name", "grammar"), GRAMMARS)
def test_every_rule_fails_after_a_bounded_number_of_characters(name: str, grammar: Grammar) -> None:
    for rule in grammar.rules:
        prove(rule.pattern)


@pytest.mark.parametrize(("name", "grammar"), GRAMMARS)
def test_no_repetition_takes_longer_than_its_length_says(name: str, grammar: Grammar) -> None:
    for piece in [*MARKS, *(mark + other for mark in MARKS for other in (" ", "a", '"', "\n"))]:
        assert_linear(lambda text: list(grammar.scan(text)), piece, length=1000)


@pytest.mark.parametrize(
    "piece", ["a ", "a", " ", '"', "'", "/*", "#", "[", "`", "$", 'R"(', '"""', "x = '''\n"]
)
@pytest.mark.parametrize("name", ["cuda", "python", "ptx", "sass", "toml", "shell", "markdown", "systemd"])
def test_the_longest_source_is_coloured_in_its_time(name: str, piece: str) -> None:
    """12 KB of `a` and spaces took 29 s."""
    assert_linear(lambda text: colour(text, name), piece, length=4000)


@given(st.lists(st.sampled_from(MARKS)).map("".join), st.sampled_from(sorted(NAMES)))
def test_colours_change_no_character(source: str, language: str) -> None:
    lines = highlighted(source, language)
    assert ["".join(run.text for run in line) for line in lines] == lines_of(source)
    assert [
        "".join(run.text for run in line) for line in coloured(source.split("\n"), language)
    ] == source.split("\n")


def test_what_is_coloured_is_bounded() -> None:
    lines = highlighted("int a;\n" * (MOST_CHARACTERS // 7 + 100), "cuda")
    assert len(lines) == MOST_CHARACTERS // 7 + 100
    assert [run.look for run in lines[0]] == ["kt", ""]
    assert [run.look for run in lines[-1]] == [""]


def test_every_language_of_submissions_and_listings_has_colours() -> None:
    assert {*Language, "ptx", "sass"} <= {*NAMES}


@pytest.mark.parametrize(
    ("language", "source", "look", "part"),
    [
        ("cuda", "__global__ void add(float4 a) // b", "kr", "__global__"),
        ("cuda", "__global__ void add(float4 a) // b", "nf", "add"),
        ("cuda", "__global__ void add(float4 a) // b", "kt", "float4"),
        ("cuda", "__global__ void add(float4 a) // b", "c1", "// b"),
        ("cuda", "#include <cub/cub.cuh>", "cp", "#include"),
        ("cuda", "#include <cub/cub.cuh>", "cpf", "<cub/cub.cuh>"),
        ("cuda", "x = 0x1Fu + 1e-3f;", "mi", "1e-3f"),
        ("cuda", 'asm("a\\"b")', "s", '"a\\"b"'),
        ("cuda", 'R"x(a)" b)x" c', "s", 'R"x(a)" b)x"'),
        ("triton", "@triton.jit\ndef add(a):", "nd", "@triton.jit"),
        ("triton", "@triton.jit\ndef add(a):", "nf", "add"),
        ("python", "class A: return f'{x}'", "s", "f'{x}'"),
        ("python", "class A: return f'{x}'", "nc", "A"),
        ("ptx", "\tld.global.f32 \t%f1, [%rd4];", "k", "ld"),
        ("ptx", "\tld.global.f32 \t%f1, [%rd4];", "kt", ".f32"),
        ("ptx", "$L__BB0_2:", "nl", "$L__BB0_2"),
        ("sass", "        /*0010*/  @!P0 LDG.E R2, [R4.64] ;", "k", "LDG.E"),
        ("sass", "        /*0010*/  @!P0 LDG.E R2, [R4.64] ;", "nd", "@!P0"),
        ("sass", "        /*0010*/  @!P0 LDG.E R2, [R4.64] ;", "cm", "/*0010*/"),
        ("toml", '[limits]\na = "b" # c', "k", "[limits]"),
        ("bash", "echo $HOME # home", "nv", "$HOME"),
        ("markdown", "# A\n`b`", "s", "`b`"),
    ],
)
def test_looks(language: str, source: str, look: str, part: str) -> None:
    assert (part, look) in [(run.text, run.look) for line in highlighted(source, language) for run in line]
