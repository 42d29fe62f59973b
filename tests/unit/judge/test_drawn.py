"""Tests the positions of the arrays of a drawn case."""

import os
from dataclasses import replace

import pytest

from judge.drawn import ALIGNMENT_BYTES, CaseData, layout
from problems.schema import Case
from problems.vocabulary import Dtype, Group, Role
from tests.unit.judge.packages import DOUBLING


def test_inputs_come_first_and_expected_outputs_as_float64() -> None:
    parts, size_bytes = layout(DOUBLING, Case("odd", Group.ODD, {"n": 37}))
    assert [part.name for part in parts] == ["x", "expected-y"]
    assert [part.size_bytes for part in parts] == [37 * 4, 37 * 8]
    assert size_bytes == parts[-1].offset + parts[-1].size_bytes


def test_every_part_is_aligned_and_none_overlap() -> None:
    parts, _ = layout(DOUBLING, Case("odd", Group.ODD, {"n": 1025}))
    assert all(part.offset % ALIGNMENT_BYTES == 0 for part in parts)
    assert parts[0].offset + parts[0].size_bytes <= parts[1].offset


def test_an_inout_argument_has_a_part_for_each_side() -> None:
    arguments = tuple(
        replace(argument, role=Role.INOUT, dtype=Dtype.INT32) if argument.name == "y" else argument
        for argument in DOUBLING.arguments
    )
    parts, _ = layout(replace(DOUBLING, arguments=arguments), Case("odd", Group.ODD, {"n": 5}))
    assert [(part.name, part.size_bytes) for part in parts] == [("x", 20), ("y", 20), ("expected-y", 20)]


def test_closing_a_set_closes_its_descriptor() -> None:
    read, write = os.pipe()
    CaseData(DOUBLING.cases[0], (), 0, read).close()
    with pytest.raises(BrokenPipeError):
        os.write(write, b"x")
    os.close(write)
