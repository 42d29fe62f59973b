"""An integer of 32 bits for a scalar of 64 is accepted with a note."""

from dataclasses import replace

import pytest

from judge.compiler.signature import width_notes
from judge.compiler.source import ProgramText
from problems.schema import Problem
from problems.vocabulary import Dtype
from tests.unit.judge.packages import DOUBLING


def with_count(dtype: Dtype) -> Problem:
    *arrays, n = DOUBLING.arguments
    return replace(DOUBLING, arguments=(*arrays, replace(n, dtype=dtype)))


@pytest.mark.parametrize("word", ["int", "unsigned", "const int", "unsigned int", "int32_t", "uint32_t"])
def test_narrow_integers_get_a_note(word: str) -> None:
    source = f'// solve(int)\n\nextern "C" void solve(const float* x, float* y,\n  {word} n) {{}}\n'
    (note,) = width_notes(ProgramText.read(source), with_count(Dtype.INT64))
    assert note.severity == "note"
    assert note.line == 3
    assert note.message.startswith("n is long long, but solve declares it with 32 bits.")
    assert width_notes(ProgramText.read(source), with_count(Dtype.INT32)) == ()


@pytest.mark.parametrize("parameter", ["size_t n", "long long n", "unsigned long n", "int64_t n", "T n", ""])
def test_others_get_none(parameter: str) -> None:
    source = f"void solve(const float* x, float* y, {parameter}) {{}}"
    assert width_notes(ProgramText.read(source), with_count(Dtype.INT64)) == ()
