"""Tests reading launches from the notes of runners. Invalid notes are harmless."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.evidence.launches import MAX_LAUNCHES, KernelLaunch, launched_nothing, parse_launches, plain_name
from judge.report import Diagnostic
from problems.vocabulary import Severity


def note(message: str, kind: str = "launch") -> Diagnostic:
    return Diagnostic(Severity.NOTE, kind, message)


def test_a_note_of_a_gpu_and_one_of_functional_mode():
    found = parse_launches(
        [
            note("add<<<(4,1,1), (256,1,1)>>>"),
            note("scan<float><<<(2,3,4), (32,8,1), 4096>>>"),
            note("tile<<<(1,1,1), (16,16,1), 64>>> with 2048 bytes of static shared memory"),
            note("copy<<<(1,1,1), (16,1,1)>>>, 24 registers per thread"),
            note("move<<<(1,1,1), (8,1,1)>>> with 4 bytes of static shared memory, 1 register per thread"),
        ]
    )
    assert found == (
        KernelLaunch("add", (4, 1, 1), (256, 1, 1)),
        KernelLaunch("scan<float>", (2, 3, 4), (32, 8, 1), 4096),
        KernelLaunch("tile", (1, 1, 1), (16, 16, 1), 64, 2048),
        KernelLaunch("copy", (1, 1, 1), (16, 1, 1), registers=24),
        KernelLaunch("move", (1, 1, 1), (8, 1, 1), static_bytes=4, registers=1),
    )
    assert (found[1].threads, found[1].blocks) == (256, 24)


def test_the_same_launch_counts_once_and_other_notes_do_not():
    notes = [note("a<<<(1,1,1), (32,1,1)>>>")] * 3 + [
        note("b<<<(1,1,1), (1,1,1)>>>", "race"),
        note("k[(4,)]"),
    ]
    assert [launch.kernel for launch in parse_launches(notes)] == ["a"]


def test_their_number_is_bounded():
    notes = [note(f"a<<<({n},1,1), (32,1,1)>>>") for n in range(1, 5 * MAX_LAUNCHES)]
    assert len(parse_launches(notes)) == MAX_LAUNCHES


@given(st.text(max_size=400))
def test_no_text_breaks_it(text):
    parse_launches([note(text), note(f"{text}<<<(1,1,1), (1,1,1)>>>{text}")])
    plain_name(text)


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("add(float const*, long long)", "add"),
        ("void scan<float>(float*)", "scan<float>"),
        ("spills<64>", "spills<64>"),
        ("void apply<int (*)(int)>(int*)", "apply<int (*)(int)>"),
        ("(anonymous namespace)::add(float*)", "(anonymous namespace)::add"),
    ],
)
def test_names_are_comparable(name, plain):
    assert plain_name(name) == plain


def test_a_program_that_never_launches_is_told_from_one_that_once_did_not():
    idle = note("solve returned without launching a Triton kernel.", "no_kernel")
    assert launched_nothing([idle, idle])
    assert not launched_nothing([idle, note("add[(4,)]"), idle])
    assert not launched_nothing([])
