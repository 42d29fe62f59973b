"""Tests the emitted C++: forms that need the runtime, locations, layouts, unsupported instructions."""

import re
import subprocess
from pathlib import Path

import pytest

from sandbox.cpu.translator import translate
from sandbox.cpu.translator.errors import DuplicateLabel
from sandbox.cpu.translator.parser import parse
from sandbox.cpu.translator.syntax import Instruction
from sandbox.cpu.translator.tables import find

from .harness import FLAGS, HEADER, RUNTIME

REGISTERS = (
    ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<9>; .reg .f64 %fd<9>;"
    " .shared .align 16 .b8 tile[256];"
)

# Instructions whose effect is the runtime's: a pattern of the call that each must become.
CALLS = {
    "bar.sync 0;": r"wc_barrier\(T, 0u, 0, BarrierOp::kSync, 0, \d+\);",
    "bar.sync %r1, 64;": r"wc_barrier\(T, r_r1, 64u, BarrierOp::kSync",
    "bar.red.popc.u32 %r1, 0, %p1;": r"r_r1 = \(wc_barrier\(T, 0u, 0, BarrierOp::kPopc, r_p1, \d+\)\);",
    "bar.red.and.pred %p2, 1, 64, !%p1;": r"T, 1u, 64u, BarrierOp::kAnd, bool\(!r_p1\), \d+\) != 0",
    "bar.arrive 1, 64;": r"wc_barrier_arrive\(T, 1u, 64u, \d+\);",
    "bar.warp.sync 0xffffffff;": r"wc_warp\(T, WarpOp::kSync, 4294967295u, 0, \d+\);",
    "barrier.cluster.arrive; barrier.cluster.wait;": r"wc_barrier\(T, 16, 0, BarrierOp::kSync",
    "shfl.sync.bfly.b32 %r1|%p1, %r2, 16, 31, -1;": r"kButterfly, 4294967295u, r_r2, 16u, 31u, &inside",
    "shfl.sync.idx.b32 %f1, %f2, %r3, 31, -1;": r"Shuffle::kIndex.*r_f1 = bits<float>",
    "vote.sync.ballot.b32 %r1, %p1, -1;": r"wc_warp\(T, WarpOp::kBallot, 4294967295u, r_p1, \d+\)",
    "vote.sync.all.pred %p1, !%p2, %r1;": r"WarpOp::kAll, r_r1, bool\(!r_p2\), \d+\) != 0",
    "match.any.sync.b64 %r1, %rd1, -1;": r"WarpOp::kMatchAny, 4294967295u, r_rd1",
    "match.all.sync.b32 %r1|%p1, %r2, -1;": r"WarpOp::kMatchAll.*r_p1 = peers != 0;",
    "redux.sync.min.u32 %r1, %r2, -1;": r"WarpOp::kMinUnsigned",
    "redux.sync.add.s32 %r1, %r2, -1;": r"WarpOp::kAdd",
    "activemask.b32 %r1;": r"wc_activemask\(T, \d+\)",
    "elect.sync %r1|%p1, -1;": r"leader == \(T->index & 31u\)",
    "trap;": r"wc_trap\(T, \d+\);",
    "brkpt;": r"wc_trap\(T, \d+\);",
    "tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1}];": r"wc_texture\(T, r_rd1, 1, true",
    "tex.2d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%rd1, {%f1, %f2}];": r"wc_texture\(T, r_rd1, 2, false",
    "tex.level.3d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f1,%f2,%f3,%f3}], %f5;": r"T, r_rd1, 3, false",
    "suld.b.2d.v2.b32.trap {%r1, %r2}, [%rd1, {%r3, %r4}];": r"r_rd1, 2, .* 8, data, Access::kRead",
    "sust.b.1d.b32.clamp [%rd1, {%r1}], {%r2};": r"wc_surface\(T, r_rd1, 1, .* 4, data, Access::kWrite",
    "ld.shared.f32 %f1, [tile+4];": r"load<float>\(shared_array<4, Access::kRead>\(W, \d+ull, \d+, ",
    "ld.shared.f32 %f1, [%rd1+4];": r"load<float>\(shared<4, Access::kRead>\(W, ",
    "ld.global.f32 %f1, [%rd1+4];": r"load<float>\(global<4, Access::kRead>\(W, 0, \(r_rd1 \+ u64\(4ll\)\)",
    "st.volatile.shared.u32 [tile], %r1;": r"store_atomic<u32>\(shared_array<4, Access::kVolatileWrite>",
    "ld.volatile.global.u32 %r1, [%rd1];": r"poll\(T, u64\(r_rd1\)\); r_r1 = load_atomic<u32>",
    "mov.u32 %r1, %clock; mov.u64 %rd1, %globaltimer;": r"wc_clock\(\)",
    "mov.u32 %r1, %envreg1;": r"wc_grid_workspace\(\) >> 32",
    "discard.global.L2 [%rd1], 128; prefetchu.L1 [%rd1];": r";",
    "applypriority.global.L2::evict_normal [%rd1], 128;": r";",
}


def kernel(text: str) -> str:
    """A module with one kernel."""
    return f"{HEADER}.visible .entry k(.param .u64 k_0)\n{{\n{REGISTERS}\n{text}\nret;\n}}\n"


def instructions(text: str) -> list[Instruction]:
    body = parse(kernel(text)).functions[0].body or ()
    return [statement for statement in body if isinstance(statement, Instruction)]


def compiles(cpp: str, folder: Path) -> None:
    source = folder / "module.cpp"
    source.write_text(cpp)
    argv = ["g++", *FLAGS, "-fsyntax-only", f"-I{RUNTIME}", str(source)]
    subprocess.run(argv, check=True, timeout=120)


@pytest.mark.parametrize("text", CALLS)
def test_calls_into_the_runtime(text: str) -> None:
    cpp = translate(kernel(text))
    assert re.search(CALLS[text], cpp), cpp
    assert "wc_unsupported" not in cpp


def test_all_calls_compile(tmp_path: Path) -> None:
    compiles(translate(kernel("\n".join(text for text in CALLS))), tmp_path)


def test_unsupported_instruction_fails_only_when_reached(tmp_path: Path) -> None:
    cpp = translate(
        kernel(".loc 1 7 0\nwgmma.fence.sync.aligned; mov.b32 %r1, %nonsense;") + '.file 1 "a/solution.cu"\n'
    )
    assert 'wc_unsupported(T, "wgmma.fence.sync.aligned", 1);' in cpp
    assert 'wc_unsupported(T, "mov.b32", 1);' in cpp
    compiles(cpp, tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "mov.b64 {}, %rd1;",
        "mov.b32 %r1, {};",
        "add;",
        "add.s32;",
        "add.s32 %r1;",
        "call;",
        "call ();",
        "setp.s32 %p1;",
        "ld.global.b32 %r1, %r2;",
        "st.b32 7, 8;",
        "mma.sync.m1n1k1.f32 %r1;",
        "cvt.f32 %f1, %f1;",
        "@%r1 ret;",
        "vote %p1;",
        "shfl.sync.b32 %r1, %r2, 1, 2, 3;",
        "atom.add %r1, [%rd1], 1;",
        "brx.idx %r1, nowhere;",
    ],
)
def test_malformed_forms_become_unsupported(text: str) -> None:
    assert "wc_unsupported" in translate(kernel(text))


def test_a_guard_becomes_a_condition() -> None:
    assert "if (!r_p1) { r_r1 = 1u; }" in translate(kernel("@!%p1 mov.b32 %r1, 1;"))


def test_backward_branches_leave_their_location() -> None:
    cpp = translate(kernel(".loc 1 3 0\n$L_top: bra $L_end; bra $L_top; $L_end:") + '.file 1 "s.cu"\n')
    assert "T->location = 1; goto L_L_top;" in cpp
    assert "\ngoto L_L_end;" in cpp


def test_labels_belong_to_their_scope(tmp_path: Path) -> None:
    # Inline assembly is expanded with its own labels every time.
    asm = "{ .reg .pred q; WAIT: setp.eq.s32 q, %r1, 0; @q bra DONE; bra WAIT; DONE: }"
    cpp = translate(kernel(f"{asm}\n{asm}\n$L_end: bra $L_end;"))
    assert "L_WAIT:;" in cpp
    assert "L_WAIT__2:;" in cpp
    assert "goto L_DONE__2;" in cpp
    compiles(cpp, tmp_path)


def test_a_label_twice_in_a_scope_is_refused() -> None:
    with pytest.raises(DuplicateLabel, match="defined twice"):
        translate(kernel("$L_a: mov.b32 %r1, 1;\n$L_a: mov.b32 %r1, 2;"))


def test_inlined_headers_count_as_the_line_that_called_them() -> None:
    text = (
        ".loc 1 10 0\ntrap;\n.loc 2 122 3, function_name $L_a, inlined_at 1 12 5\ntrap;\n"
        ".loc 3 115 4, function_name $L_b, inlined_at 2 122 3\ntrap;\n.loc 1 0 5\ntrap;\n"
    )
    files = '.file 1 "/work/solution.cu"\n.file 2 "/cuda/include/a.h"\n.file 3 "/cuda/include/b.hpp"\n'
    cpp = translate(kernel(text) + files)
    assert re.findall(r"wc_trap\(T, (\d+)\)", cpp) == ["1", "2", "2", "2"]
    assert '{"solution.cu", 10}' in cpp
    assert '{"solution.cu", 12}' in cpp
    assert "a.h" not in cpp


def test_shared_memory_is_laid_out_without_gaps() -> None:
    cpp = translate(
        f"{HEADER}.shared .align 4 .b8 common[12];\n.extern .shared .align 16 .b8 dynamic[];\n"
        ".entry k(.param .u64 x, .param .u32 y, .param .align 8 .b8 z[24]) {\n.reg .b32 %r<5>;\n"
        ".shared .align 16 .b8 first[20]; .shared .align 4 .f32 second;\n"
        "mov.u32 %r0, common; mov.u32 %r1, first; mov.u32 %r2, second; mov.u32 %r3, dynamic; ret; }\n"
    )
    assert "r_r0 = u32(0ull);" in cpp
    assert "r_r1 = u32(16ull);" in cpp
    assert "r_r2 = u32(36ull);" in cpp
    assert "r_r3 = u32(u64(T->dynamic_offset));" in cpp
    assert "{{0, 8}, {8, 4}, {16, 24}}" in cpp
    assert ", 3, 40, 40, 1024, true, false, " in cpp


def test_initialisers_with_addresses(tmp_path: Path) -> None:
    cpp = translate(
        f"{HEADER}.func f() {{ ret; }}\n.global .align 1 .b8 text[3] = {{104, 105, 0}};\n"
        ".global .align 8 .u64 pointers[2] = {f, generic(text)+1};\n.const .f32 pi = 0f40490FDB;\n"
    )
    assert '"\\150\\151"' in cpp
    assert "u64(&f_f)" in cpp
    assert "(u64(v_text) + 1ull)" in cpp
    assert '"\\333\\017\\111\\100"' in cpp
    compiles(cpp, tmp_path)


def test_calls_direct_indirect_and_into_the_runtime(tmp_path: Path) -> None:
    cpp = translate(
        f"{HEADER}.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
        ".extern .func nowhere(.param .b32 x);\n"
        ".func (.param .b32 r) twice(.param .b32 x) {\n.reg .b32 %r<3>; ld.param.b32 %r1, [x];"
        " add.s32 %r1, %r1, %r1;"
        " st.param.b32 [r], %r1; ret; }\n"
        ".entry k() {\n.reg .b32 %r<3>; .reg .b64 %rd<3>;\n"
        "{ .param .b32 a; st.param.b32 [a], 21; .param .b32 got; call.uni (got), twice, (a);"
        " ld.param.b32 %r1, [got]; }\n"
        "mov.u64 %rd1, twice;\n"
        "{ .param .b32 a; .param .b32 got; p_0 : .callprototype (.param .b32 _) _ (.param .b32 _);"
        " call (got), %rd1, (a), p_0; }\n"
        "{ .param .b64 f; .param .b64 a; .param .b32 got; call.uni (got), vprintf, (f, a); }\n"
        "{ .param .b32 a; call.uni nowhere, (a); }\nret; }\n"
    )
    assert "f_twice(T, block, reinterpret_cast<u8*>(u64(m_got)));" in cpp
    assert "reinterpret_cast<Entry>(r_rd1)(T, block" in cpp
    assert "check_callee(T, r_rd1, 0);" in cpp
    assert "wc_printf(T, " in cpp
    assert 'wc_unsupported(T, "call of the undefined function nowhere", 0);' in cpp
    assert cpp.count("wc_unsupported") == 1
    compiles(cpp, tmp_path)


def test_the_same_text_gives_the_same_code() -> None:
    assert translate(kernel("bar.sync 0;")) == translate(kernel("bar.sync 0;"))


def test_an_instruction_of_every_call_is_in_a_table() -> None:
    for text in CALLS:
        for instruction in instructions(text):
            assert find(instruction).section


@pytest.mark.parametrize(
    ("body", "polls"),
    [
        ("ld.volatile.global.u32 %r0, [%rd0];", True),
        ("{ ld.acquire.gpu.u32 %r0, [%rd0]; }", True),
        ("atom.global.cas.b32 %r0, [%rd0], 0, 1;", True),
        ("ld.global.u32 %r0, [%rd0];", False),
        ("ld.volatile.shared.u32 %r0, [%rd0];", False),
        ("atom.global.add.u32 %r0, [%rd0], 1;", False),
    ],
)
def test_a_kernel_that_may_wait_for_other_blocks_is_marked(body: str, polls: bool) -> None:
    cpp = translate(kernel(body))
    assert f", true, {str(polls).lower()}, " in cpp
