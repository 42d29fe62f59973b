"""Tests from which shared array an address derives: one array, or unknown."""

import pytest

from sandbox.cpu.translator.parser import parse
from sandbox.cpu.translator.shared_bases import SharedBases
from sandbox.cpu.translator.syntax import Address, Name

from .harness import HEADER

KERNEL = """
.visible .entry kernel(.param .u64 in)
{{
  .reg .pred %p<3>; .reg .b32 %r<20>; .reg .b64 %rd<20>;
  .shared .align 4 .b8 a[128];
  .shared .align 4 .b8 b[128];
  mov.u32 %r1, %tid.x;
  shl.b32 %r2, %r1, 2;
  mov.u32 %r3, a;
  mov.u32 %r4, b;
  setp.eq.s32 %p1, %r1, 0;
  {body}
  ret;
}}
"""


def base_of(body: str, register: str = "%r9") -> str | None:
    module = parse(HEADER + KERNEL.format(body=body))
    (function,) = module.functions
    return SharedBases(function).of(Address(Name(register), 0, ()))


@pytest.mark.parametrize(
    "body",
    [
        "add.s32 %r9, %r3, %r2;",
        "add.s32 %r8, %r2, 4; add.s32 %r9, %r8, %r3;",
        "mad.lo.s32 %r9, %r1, 4, %r3;",
        "or.b32 %r9, %r3, 4;",
        "sub.s32 %r9, %r3, 8;",
        "mov.u64 %rd1, a; cvt.u32.u64 %r9, %rd1;",
        "cvta.shared.u64 %rd1, %rd2; mov.u32 %r9, a+16;",
        "ld.shared.u32 %r5, [%r4]; add.s32 %r9, %r3, %r5;",
        "selp.b32 %r8, %r3, %r3, %p1; add.s32 %r9, %r8, 4;",
        "mov.u32 %r9, %r3; $again: add.s32 %r9, %r9, 128; @%p1 bra $again;",
        "add.s32 %r9, %r3, %r2; @%p1 add.s32 %r9, %r3, 4;",
    ],
)
def test_an_address_derives_from_the_array_that_it_is_a_sum_of(body: str) -> None:
    assert base_of(body) == "a"


@pytest.mark.parametrize(
    "body",
    [
        "add.s32 %r9, %r1, %r2;",
        "selp.b32 %r9, %r3, %r4, %p1;",
        "mov.u32 %r9, %r3; @%p1 mov.u32 %r9, %r4;",
        "mov.u32 %r9, %r3; @%p1 mov.u32 %r9, %r2;",
        "sub.s32 %r5, %r4, %r3; add.s32 %r9, %r3, %r5;",
        "sub.s32 %r9, %r3, %r2;",
        "and.b32 %r9, %r3, -16;",
        "mad.lo.s32 %r9, %r3, 4, %r2;",
        "add.s32 %r9, %r3, %r4;",
        "ld.shared.u32 %r9, [%r3];",
        (
            "mov.u32 %r9, %r3; mov.u32 %r10, %r4; $again: mov.u32 %r11, %r9; mov.u32 %r9, %r10;"
            " mov.u32 %r10, %r11; @%p1 bra $again;"
        ),
        "{ .shared .align 4 .b8 inner[16]; mov.u32 %r9, inner; }",
    ],
)
def test_what_may_point_elsewhere_is_not_told(body: str) -> None:
    assert base_of(body) is None
