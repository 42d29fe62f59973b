"""Tests which branches and which arithmetic a counting run counts."""

import re

import pytest

from sandbox.cpu.translator import translate
from sandbox.cpu.translator.branches import counted_branches
from sandbox.cpu.translator.families import families_of
from sandbox.cpu.translator.parser import parse
from sandbox.cpu.translator.syntax import Instruction
from sandbox.ptxas import Assembled

from .harness import HEADER

WORK = "add.u32 %r5, %r5, 1; "
LOADED = "ld.global.u32 %r2, [%rd1]; "


def module(body: str, *, file: str = "solution.cu") -> str:
    """A kernel whose instructions belong to line 7 of a file."""
    registers = ".reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .f64 %fd<9>;"
    head = f".visible .entry k(.param .u64 x) {{ {registers} mov.u32 %r1, %tid.x; "
    return f'{HEADER}.file 1 "/work/{file}"\n{head}\n.loc 1 7 0\n{body}\nret; }}\n'


def counted(body: str) -> int:
    """How many branches of the kernel are counted."""
    (function,) = parse(module(body)).functions
    return len(counted_branches(function))


def two_sides(first: int, second: int, compare: str = "setp.lt.u32 %p1, %r1, 5;") -> str:
    """An if with an else, of so many instructions each."""
    return f"{compare} @%p1 bra A; {WORK * (first - 1)} bra.uni B; A: {WORK * second} B: {WORK}"


def one_side(count: int, compare: str) -> str:
    """An if without an else."""
    return f"{compare} @%p1 bra B; {WORK * count} B: {WORK}"


EQUAL = "and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0;"


@pytest.mark.parametrize(
    ("body", "count"),
    [
        pytest.param(two_sides(10, 10), 1, id="two sides that compute"),
        pytest.param(two_sides(10, 10, f"{LOADED} setp.lt.u32 %p1, %r2, 5;"), 1, id="two sides by data"),
        pytest.param(two_sides(10, 9), 0, id="a short side"),
        pytest.param(one_side(4, EQUAL), 1, id="one side by equal indices"),
        pytest.param(one_side(3, EQUAL), 0, id="one short side"),
        pytest.param(one_side(4, f"{EQUAL} xor.pred %p1, %p1, %p2;"), 1, id="a negated predicate"),
        pytest.param(one_side(40, "setp.lt.u32 %p1, %r1, 5;"), 0, id="a bounds check"),
        pytest.param(one_side(40, f"{LOADED} setp.eq.u32 %p1, %r2, 0;"), 0, id="one side by data"),
        pytest.param(
            f"ld.param.u64 %rd1, [x]; setp.eq.u64 %p1, %rd1, 0; @%p1 bra B; {WORK * 4} B: {WORK}",
            1,
            id="one side by a parameter",
        ),
        pytest.param(f"A: {WORK * 40} setp.eq.u32 %p1, %r1, 0; @%p1 bra A; {WORK * 40}", 0, id="a loop"),
        pytest.param(
            f"A: setp.eq.u32 %p1, %r1, 0; @%p1 bra B; {WORK * 40} bra A; B: {WORK * 40}",
            0,
            id="leaving a loop",
        ),
        pytest.param(
            f"A: {one_side(4, EQUAL)} setp.lt.u32 %p2, %r5, 9; @%p2 bra A;", 1, id="an if in a loop"
        ),
        pytest.param(two_sides(10, 10).replace("bra.uni B;", "ret;"), 1, id="a side that returns"),
        pytest.param("bra A; A: ret;", 0, id="a jump"),
        pytest.param("A: bra A;", 0, id="a loop without an end"),
    ],
)
def test_branches_are_counted_where_splitting_costs(body: str, count: int) -> None:
    assert counted(body) == count


@pytest.mark.parametrize(
    ("body", "found"),
    [
        pytest.param(one_side(12, f"{LOADED} setp.lt.u32 %p1, %r2, 5;"), [False], id="one side by data"),
        pytest.param(one_side(11, f"{LOADED} setp.lt.u32 %p1, %r2, 5;"), [], id="one short side by data"),
        pytest.param(
            f"{LOADED} setp.eq.u32 %p1, %r2, 0; @%p1 bra B; "
            f"A: {WORK} setp.lt.u32 %p2, %r5, 9; @%p2 bra A; B: {WORK}",
            [False],
            id="one side with a loop",
        ),
        pytest.param(one_side(10, "setp.lt.u32 %p1, %r1, 5;"), [], id="a bounds check"),
        pytest.param(one_side(10, EQUAL), [True], id="one side by equal indices"),
        pytest.param(
            f"{LOADED} A: {WORK * 40} setp.lt.u32 %p1, %r5, %r2; @%p1 bra A; {WORK * 40}", [], id="a loop"
        ),
        pytest.param(
            "".join(
                f"setp.eq.u32 %p1, %r2, {kind}; @%p1 bra L{kind}; {WORK * 12} L{kind}: " for kind in range(4)
            ).replace("setp", f"{LOADED} setp", 1)
            + WORK,
            [False] * 4,
            id="four ifs in a row",
        ),
    ],
)
def test_branches_on_data_are_counted_where_a_requirement_needs_them(body: str, found: list[bool]) -> None:
    (function,) = parse(module(body)).functions
    assert list(counted_branches(function, with_data=True).values()) == found


@pytest.mark.parametrize(
    ("counter", "text"),
    [
        ("tensor_instructions", "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r1}, {%r2}, {%r3}, {%r4};"),
        ("shuffle_instructions", "shfl.sync.down.b32 %r3|%p1, %r1, 1, 31, -1;"),
        ("reduction_instructions", "redux.sync.add.s32 %r3, %r1, -1;"),
        ("async_copy_instructions", "cp.async.ca.shared.global [%r1], [%rd1], 4;"),
        ("dot_product_instructions", "dp4a.s32.s32 %r3, %r1, %r2, %r4;"),
        ("special_instructions", "ex2.approx.ftz.f32 %f1, %f2;"),
        ("double_instructions", "fma.rn.f64 %fd1, %fd2, %fd3, %fd4;"),
        ("fma_instructions", "fma.rn.f32 %f1, %f2, %f3, %f4;"),
        ("texture_instructions", "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}];"),
        ("shared_load_instructions", "ld.shared.u32 %r1, [%r2];"),
        ("multiply_instructions", "mul.f16x2 %r1, %r2, %r3;"),
        ("multiply_instructions", "mad.lo.s32 %r1, %r2, %r3, 5;"),
        ("ldmatrix_instructions", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r2];"),
    ],
)
def test_the_kind_of_an_instruction(counter: str, text: str) -> None:
    (function,) = parse(module(text)).functions
    instructions = [found for found in function.body or () if isinstance(found, Instruction)]
    kinds = {kind for found in instructions for kind in families_of(found)}
    assert counter in kinds
    assert kinds <= {counter, "multiply_instructions"}


@pytest.mark.parametrize(
    "text",
    [
        "cp.async.commit_group;",
        "cp.async.wait_group 0;",
        "sqrt.rn.f32 %f1, %f2;",
        "fma.rn.f64 %fd1, %fd2, 0d3BF921FB54442D19, %fd3;",
        "mul.wide.s32 %rd1, %r1, 4;",
        "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r1}, [%rd1], %r2;",
    ],
)
def test_instructions_of_no_kind(text: str) -> None:
    (function,) = parse(module(text)).functions
    assert not any(families_of(found) for found in function.body or () if isinstance(found, Instruction))


def test_executions_are_counted_if_a_requirement_needs_them() -> None:
    text = module("@%p1 fma.rn.f32 %f1, %f2, %f3, %f4; add.f32 %f1, %f1, %f2; fma.rn.f32 %f1, %f1, %f2, %f3;")
    found = translate(text, {"fma_instructions", "occupancy"})
    assert re.findall(r"(if \(\S+\) \{ )?executes\(T, (\d+)\)", found) == [("if (r_p1) { ", "0"), ("", "1")]
    assert '{"fma_instructions", 1},\n{"fma_instructions", 1}' in found
    assert "executes" not in translate(text, {"shuffle_instructions"})
    assert "executes" not in translate(text)


def test_the_resources_of_kernels_are_in_the_module() -> None:
    resources = {"k": Assembled(registers=40, stack_bytes=64, spill_store_bytes=8, spill_load_bytes=12)}
    assert "1, {true, 40, 20, 64, false}, " in translate(module(WORK), (), lambda: resources)
    spilling = {"k": Assembled(registers=40, spill_store_bytes=16, spill_load_bytes=16)}
    assert "1, {true, 40, 32, 0, true}, " in translate(module(WORK), (), lambda: spilling)
    assert "1, {}, " in translate(module(WORK))


def test_only_lines_of_the_submission_are_counted() -> None:
    assert "branch(T, r_p1, {1, " in translate(module(two_sides(10, 10)))
    assert "branch(T" not in translate(module(two_sides(10, 10), file="include/library.h"))
    assert "branch(T" not in translate(module(two_sides(9, 9)))


def doubles(text: str, **options: str) -> list[int]:
    """The instructions in double precision of each line that a counting run names."""
    (table,) = re.findall(
        r"DoubleLine doubles\[\] = \{(.*?)\};", translate(module(text, **options)), re.DOTALL
    )
    return [int(count) for count in re.findall(r"\{0, \d+, (\d+)\}", table)]


def test_the_instructions_in_double_precision_of_a_line_are_counted() -> None:
    text = "mul.f64 %fd1, %fd2, %fd3; add.f64 %fd1, %fd1, %fd2; "
    assert doubles(text) == [2]
    assert doubles(f"{text}\n.loc 1 8 0\n{text} setp.lt.f64 %p1, %fd1, %fd2;") == [2, 3]
    assert doubles(text, file="include/library.h") == []


@pytest.mark.parametrize(
    "access",
    ["ld.global.f64 %fd4, [%rd1];", "st.shared.f64 [%rd1], %fd4;", "red.global.add.f64 [%rd1], %fd4;"],
)
def test_a_program_that_keeps_doubles_means_them(access: str) -> None:
    assert doubles(f"mul.f64 %fd1, %fd2, %fd3; {access}") == []
    assert doubles(f"mul.f64 %fd1, %fd2, %fd3; {access.replace('f64', 'f32')}") == [1]


def test_what_is_not_arithmetic_of_the_program_is_not_counted() -> None:
    assert doubles("cvt.f64.f32 %fd1, %f1; st.local.f64 [%rd1], %fd1;") == []
    assert doubles("mul.f64 %fd1, %fd2, 0d3BF921FB54442D19;") == []  # of sinf
