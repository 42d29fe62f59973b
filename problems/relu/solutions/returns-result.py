"""Wrong: computes the right tensor and returns it. The judge reads `output` alone, which the program did not write."""

import torch
import triton
import triton.language as tl


@triton.jit
def relu(input, output, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    x = tl.load(input + at, mask=inside)
    tl.store(output + at, tl.maximum(x, 0.0), mask=inside)


def solve(input: torch.Tensor, output: torch.Tensor, n: int) -> torch.Tensor:
    result = torch.empty_like(output)
    relu[(triton.cdiv(n, 1024),)](input, result, n, BLOCK=1024)
    return result
