"""Tests which instructions tensor cores could replace, and which subtractions are monitored."""

import re

import pytest

from sandbox.cpu.translator import translate

from .test_counted import module

LOADS = "ld.global.u16 %h1, [%rd1]; ld.global.u16 %h2, [%rd1+2]; "
HALVES = f"{LOADS} cvt.f32.f16 %f1, %h1; cvt.f32.f16 %f2, %h2; "
TILES = f"{HALVES} st.shared.f32 [%r1], %f1; ld.shared.f32 %f3, [%r1+4]; ld.shared.f32 %f4, [%r1+8]; "
PRODUCT = "fma.rn.f32 %f5, %f3, %f4, %f5;"


def with_halves(body: str, **options: str) -> str:
    return module(f".reg .b16 %h<9>; {body}", **options)


def kinds(body: str, counters: tuple[str, ...] = ()) -> list[str]:
    """The kinds of instructions that are counted."""
    return re.findall(r'\{"(\w+)", \d+\}', translate(with_halves(body), counters))


@pytest.mark.parametrize(
    ("body", "found"),
    [
        pytest.param(f"{HALVES} fma.rn.f32 %f5, %f1, %f2, %f5;", ["narrow_products"], id="float16"),
        pytest.param(
            f"{LOADS} mov.b32 %f1, {{0, %h1}}; mov.b32 %f2, {{0, %h2}}; fma.rn.f32 %f5, %f1, %f2, %f5;",
            ["narrow_products"],
            id="bfloat16",
        ),
        pytest.param(f"{LOADS} fma.rn.f16 %h3, %h1, %h2, %h3;", ["narrow_products"], id="in half"),
        pytest.param(
            "ld.global.u32 %r2, [%rd1]; ld.shared.u32 %r3, [%r1]; fma.rn.f16x2 %r4, %r2, %r3, %r4;",
            ["narrow_pairs"],
            id="pairs",
        ),
        pytest.param("dp4a.s32.s32 %r4, %r2, %r3, %r4;", ["narrow_quads"], id="dp4a"),
        pytest.param(
            "ld.global.s8 %r2, [%rd1]; ld.global.s8 %r3, [%rd1+1]; mad.lo.s32 %r4, %r2, %r3, %r4;",
            ["narrow_products"],
            id="int8",
        ),
        pytest.param(f"{TILES} {PRODUCT}", ["narrow_products"], id="tiles of halves, kept as floats"),
        pytest.param(
            f"@%p1 bra A; mov.f32 %f1, 0f00000000; A: {TILES} {PRODUCT}", ["narrow_products"], id="padded"
        ),
        pytest.param(f"{TILES} st.shared.f32 [%r1], %f5; {PRODUCT}", [], id="sums in shared memory"),
        pytest.param(f"{HALVES} fma.rn.f32 %f5, %f1, %f1, %f5;", [], id="a square"),
        pytest.param(f"{HALVES} fma.rn.f32 %f5, %f1, 0f40000000, %f5;", [], id="a constant factor"),
        pytest.param("ld.global.f32 %f3, [%rd1]; ld.global.f32 %f4, [%rd1+4]; " + PRODUCT, [], id="float32"),
        pytest.param(f"{LOADS} add.f16 %h3, %h1, %h2;", [], id="a sum"),
        pytest.param("mad.lo.s32 %r4, %r2, %r3, %r4;", [], id="indices"),
    ],
)
def test_products_of_narrow_types_are_counted(body: str, found: list[str]) -> None:
    assert kinds(body) == found


def test_a_module_that_uses_tensor_cores_or_is_asked_for_dp4a_counts_none() -> None:
    product = "dp4a.s32.s32 %r4, %r2, %r3, %r4;"
    sums = "{%f1,%f2,%f3,%f4}"
    mma = f"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {sums}, {{%r1,%r2}}, {{%r3}}, {sums};"
    assert kinds(f"{product} {mma}") == []
    assert kinds(product, ("dot_product_instructions",)) == ["dot_product_instructions"]


def watched(body: str, **options: str) -> int:
    return translate(with_halves(body, **options)).count("subtracted(T, before")


MEAN = "ld.global.f32 %f1, [%rd1]; mul.f32 %f2, %f1, %f1; "


@pytest.mark.parametrize(
    ("body", "count"),
    [
        pytest.param(f"{MEAN} sub.f32 %f3, %f4, %f2;", 1, id="a rounded operand"),
        pytest.param("ld.shared.f32 %f1, [%r1]; sub.f32 %f3, %f1, %f4;", 1, id="by way of shared memory"),
        pytest.param(f"{MEAN} neg.f32 %f3, %f1; fma.rn.f32 %f5, %f3, %f1, %f2;", 1, id="fused"),
        pytest.param(f"{MEAN} fma.rn.f32 %f5, %f1, 0fC0000000, %f2;", 1, id="minus two products"),
        pytest.param(f"{MEAN} add.f32 %f5, %f2, 0fBF800000;", 1, id="minus one"),
        pytest.param(f"{MEAN} sub.f32 %f5, 0f3F800000, %f2;", 1, id="one minus"),
        pytest.param(
            f"{MEAN} sub.f32 %f3, %f4, %f2; div.rn.f32 %f5, %f3, %f6; add.f32 %f7, %f5, %f2;",
            0,
            id="the correction of a mean",
        ),
        pytest.param(
            f"{MEAN} sub.f32 %f3, %f4, %f2; fma.rn.f32 %f5, %f3, %f6, %f2;", 0, id="the merge of two means"
        ),
        pytest.param(
            f"{MEAN} neg.f32 %f3, %f2; add.f32 %f4, %f1, %f3; mul.f32 %f5, %f4, %f6; add.f32 %f7, %f2, %f5;",
            0,
            id="a correction by a negated number",
        ),
        pytest.param(
            f"{MEAN} sub.f32 %f3, %f4, %f2; mul.f32 %f5, %f3, %f3; add.f32 %f7, %f5, %f6;",
            1,
            id="the square of a difference",
        ),
        pytest.param(f"{MEAN} fma.rn.f32 %f5, %f1, 0fBF317218, %f2;", 0, id="the series of a function"),
        pytest.param(f"{MEAN} add.f32 %f5, %f2, %f2;", 0, id="a sum"),
        pytest.param(
            "ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd1+4]; sub.f32 %f3, %f1, %f2;", 0, id="inputs"
        ),
        pytest.param(
            "ld.global.f64 %fd1, [%rd1]; mul.f64 %fd2, %fd1, %fd1; sub.f64 %fd3, %fd2, %fd1;", 0, id="double"
        ),
    ],
)
def test_subtractions_of_rounded_numbers_are_watched(body: str, count: int) -> None:
    assert watched(body) == count


def test_subtractions_in_libraries_are_not_watched() -> None:
    assert watched(f"{MEAN} sub.f32 %f3, %f4, %f2;", file="include/library.h") == 0


def test_constants_that_round_to_integers_cancel_nothing() -> None:
    assert watched(f"{MEAN} add.f32 %f5, %f2, 0fCB40007F;") == 0


def sums(body: str, **options: str) -> list[str]:
    """The formats of the watched sums."""
    return re.findall(r"accumulated\(T, .*SumFormat::k(\w+)\}", translate(with_halves(body, **options)))


NEXT = "ld.global.f32 %f1, [%rd1];"
NEXT_HALF = "ld.global.u16 %h1, [%rd1];"


@pytest.mark.parametrize(
    ("body", "formats"),
    [
        pytest.param(f"{NEXT} add.f32 %f2, %f2, %f1;", ["Float32"], id="a sum"),
        pytest.param(f"{NEXT} add.f32 %f2, %f1, %f2;", ["Float32"], id="the sum as second operand"),
        pytest.param(f"{NEXT} fma.rn.f32 %f2, %f1, %f1, %f2;", ["Float32"], id="products"),
        pytest.param(
            f"{NEXT} add.f32 %f3, %f2, %f1; add.f32 %f4, %f3, %f1; mov.f32 %f2, %f4;",
            ["Float32", "Float32"],
            id="unrolled",
        ),
        pytest.param(f"{NEXT_HALF} add.f16 %h2, %h2, %h1;", ["Float16"], id="float16"),
        pytest.param(f"{NEXT_HALF} fma.rn.bf16 %h2, %h1, %h3, %h2;", ["Bfloat16"], id="bfloat16"),
        pytest.param(
            f"{NEXT_HALF} mov.b16 %h3, 0x3f80; fma.rn.bf16 %h2, %h2, %h3, %h1;", ["Bfloat16"], id="times one"
        ),
        pytest.param(
            f"{NEXT} cvt.f32.f16 %f2, %h2; add.f32 %f3, %f2, %f1; cvt.rn.f16.f32 %h2, %f3;",
            ["Float16"],
            id="kept as a half",
        ),
        pytest.param(f"{NEXT} add.f32 %f2, %f1, %f3;", [], id="no loop"),
        pytest.param(f"{NEXT} fma.rn.f32 %f2, %f2, %f1, %f3;", [], id="a product that comes back"),
        pytest.param(f"{NEXT} sub.f32 %f2, %f2, %f1;", [], id="a difference"),
        pytest.param("add.f64 %fd1, %fd1, %fd2;", [], id="double"),
    ],
)
def test_sums_of_loops_are_watched(body: str, formats: list[str]) -> None:
    assert sums(body) == formats


def test_sums_in_libraries_are_not_watched() -> None:
    assert sums(f"{NEXT} add.f32 %f2, %f2, %f1;", file="include/library.h") == []
