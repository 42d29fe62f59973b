"""Tests that volatile reads which a thread repeats count as polls."""

import pytest

from sandbox.cpu.translator.looks import looks_again
from sandbox.cpu.translator.parser import parse

from .harness import HEADER

KERNEL = """
.visible .entry kernel(.param .u64 flags)
{{
  .reg .pred %p<3>; .reg .b32 %r<20>; .reg .b64 %rd<20>;
  ld.param.u64 %rd1, [flags];
  {body}
  ret;
}}
"""


def polls(body: str) -> bool:
    (function,) = parse(HEADER + KERNEL.format(body=body)).functions
    return bool(looks_again(function))


@pytest.mark.parametrize(
    "body",
    [
        "$wait: ld.volatile.global.u32 %r1, [%rd1]; setp.eq.s32 %p1, %r1, 0; @%p1 bra $wait;",
        (
            "$wait: membar.cta; ld.volatile.global.u32 %r1, [%rd1+8]; setp.ne.s32 %p1, %r1, 0;"
            " @%p1 bra $done;"
            " nanosleep.u32 100; bra.uni $wait; $done: st.global.u32 [%rd1], %r1;"
        ),
    ],
)
def test_a_loop_that_waits_looks_at_the_same_place_again(body: str) -> None:
    assert polls(body)


@pytest.mark.parametrize(
    "body",
    [
        "ld.volatile.global.u32 %r1, [%rd1];",
        (
            "$next: ld.volatile.global.u32 %r1, [%rd1]; add.s64 %rd1, %rd1, 4; setp.eq.s32 %p1, %r1, 0;"
            " @%p1 bra $next;"
        ),
        (
            "$next: ld.volatile.shared.u32 %r1, [%rd1]; st.volatile.shared.u32 [%rd1+4], %r1;"
            " setp.eq.s32 %p1, %r1, 0; @%p1 bra $next;"
        ),
        "$next: ld.global.u32 %r1, [%rd1]; setp.eq.s32 %p1, %r1, 0; @%p1 bra $next;",
    ],
)
def test_a_loop_that_goes_on_or_writes_does_not(body: str) -> None:
    assert not polls(body)
