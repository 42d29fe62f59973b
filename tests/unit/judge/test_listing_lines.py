"""Tests the mapping of instructions to source lines, with listings of add.cu by nvcc and nvdisasm."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.evidence.listing_lines import ptx_lines, sass_lines

LISTINGS = Path(__file__).with_name("listings")
SOURCE = (LISTINGS / "add.cu").read_text().splitlines()


def mapped(name: str) -> dict[str, int]:
    """The instructions of a listing that have a line, stripped, with their lines."""
    text = (LISTINGS / name).read_text().split("\n")
    lines = ptx_lines(text) if name.endswith("ptx") else sass_lines(text)
    assert len(lines) == len(text)
    return {line.strip(): number for line, number in zip(text, lines, strict=True) if number}


def line_of(text: str) -> int:
    (found,) = [number for number, line in enumerate(SOURCE, start=1) if text in line]
    return found


def test_ptx_leads_to_the_source():
    lines = mapped("add.ptx")
    assert lines["bar.sync \t0;"] == line_of("__syncthreads")
    assert lines["st.global.f32 \t[%rd15], %f7;"] == line_of("c[i] =")
    assert lines["@%p1 bra \t$L__BB0_4;"] == line_of("if (i < n)")
    assert lines["ret;"] == 14


def test_sass_leads_to_the_source():
    lines = mapped("add.sass")
    assert next(n for text, n in lines.items() if "BAR.SYNC" in text) == line_of("__syncthreads")
    assert next(n for text, n in lines.items() if "STG.E" in text) == line_of("c[i] =")


@pytest.mark.parametrize(("name", "instruction"), [("add.ptx", "add.f32 \t%f5"), ("add.sass", "FADD R0, R9")])
def test_inlined_code_leads_to_where_it_is_written(name, instruction):
    lines = mapped(name)
    assert next(n for text, n in lines.items() if instruction in text) == line_of("return v + v")


def test_what_is_no_instruction_leads_nowhere():
    for name in ("add.ptx", "add.sass"):
        assert not [text for text in mapped(name) if text.startswith((".", "//", "{", "}", "$"))]


def test_code_of_a_header_belongs_to_the_call():
    ptx = ["{", "\t.loc\t2 40 3, function_name $L__info_string0, inlined_at 1 7 5", "\tmov.u32 %r1, 0;", "}",
           '\t.file\t1 "solution.cu"', '\t.file 2 "cuda/include/cub.cuh"']  # fmt: skip
    assert ptx_lines(ptx)[2] == 7
    sass = ['\t//## File "cuda/include/cub.cuh", line 40 inlined at "solution.cu", line 7',
            '\t//## File "solution.cu", line 7', "        /*0000*/  MOV R1, RZ ;"]  # fmt: skip
    assert sass_lines(sass) == [None, None, 7]


def test_code_of_a_header_alone_leads_nowhere():
    sass = ['\t//## File "cuda/include/cub.cuh", line 40', "        /*0000*/  MOV R1, RZ ;"]
    assert sass_lines(sass) == [None, None]
    assert ptx_lines(["\t.loc\t2 40 3", "\tret;", '\t.file\t1 "solution.cu"']) == [None] * 3


def test_a_listing_without_line_information_leads_nowhere():
    text = [line for line in (LISTINGS / "add.ptx").read_text().split("\n") if ".loc" not in line]
    assert not any(ptx_lines(text))


@given(st.lists(st.text(max_size=80)), st.integers(0, 3000))
def test_no_text_breaks_it(junk, cut):
    for name, lines in (("add.ptx", ptx_lines), ("add.sass", sass_lines)):
        text = (LISTINGS / name).read_text()[:cut].split("\n") + junk
        assert len(lines(text)) == len(text)
