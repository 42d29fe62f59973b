"""Wrong: the first column has no source, and all others are shifted by one pixel."""

import torch
import triton
import triton.language as tl


@triton.jit
def mirror(image, mirrored, height, width, BLOCK: tl.constexpr):
    y = tl.program_id(0).to(tl.int64)
    i = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = i < 3 * width
    source = (width - i // 3) * 3 + i % 3
    values = tl.load(image + y * width * 3 + source, mask=inside & (i > 2), other=0)
    tl.store(mirrored + y * width * 3 + i, values, mask=inside)


def solve(image: torch.Tensor, mirrored: torch.Tensor, height: int, width: int) -> None:
    grid = (height, triton.cdiv(3 * width, 1024))
    mirror[grid](image, mirrored, height, width, BLOCK=1024)
