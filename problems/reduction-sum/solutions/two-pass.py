"""Few programs with long loops: each adds its share lane by lane and reduces across lanes once.

Bound by memory bandwidth. A second, tiny launch adds the partial sums in a fixed order.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def add_up(source, sums, n, BLOCK: tl.constexpr):
    lane = tl.arange(0, BLOCK).to(tl.int64)
    step = tl.num_programs(0).to(tl.int64) * BLOCK
    total = tl.zeros((BLOCK,), tl.float32)
    first = tl.program_id(0).to(tl.int64) * BLOCK
    for start in range(first, n, step):
        at = start + lane
        total += tl.load(source + at, mask=at < n, other=0.0)
    tl.store(sums + tl.program_id(0), tl.sum(total, axis=0))


def solve(input: torch.Tensor, output: torch.Tensor, n: int) -> None:
    programs = min(triton.cdiv(n, 8192), 528)
    sums = torch.empty(programs, dtype=torch.float32, device=input.device)
    add_up[(programs,)](input, sums, n, BLOCK=8192, num_warps=8)
    add_up[(1,)](sums, output, programs, BLOCK=1024)
