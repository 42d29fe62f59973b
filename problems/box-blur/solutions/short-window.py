"""Wrong: off by one. range(-radius, radius) ends at radius - 1, so that the window lacks its last row and its last
column. The number of pixels is that of the whole window.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def convert(image, grey, pixels, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < pixels
    red = tl.load(image + 3 * at, mask=inside).to(tl.int32)
    green = tl.load(image + 3 * at + 1, mask=inside).to(tl.int32)
    blue = tl.load(image + 3 * at + 2, mask=inside).to(tl.int32)
    tl.store(grey + at, (77 * red + 150 * green + 29 * blue) / 256.0, mask=inside)


@triton.jit
def average(grey, blur, rows, cols, radius, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    row = at // cols
    col = at % cols
    total = tl.zeros((BLOCK,), tl.float32)
    for down in range(-radius, radius):
        for right in range(-radius, radius):
            y = row + down
            x = col + right
            inside = (y >= 0) & (y < rows) & (x >= 0) & (x < cols)
            total += tl.load(grey + y * cols + x, mask=inside, other=0.0)
    high = tl.minimum(row + radius, rows - 1) - tl.maximum(row - radius, 0) + 1
    wide = tl.minimum(col + radius, cols - 1) - tl.maximum(col - radius, 0) + 1
    tl.store(blur + at, total / (high * wide).to(tl.float32), mask=at < rows * cols)


def solve(
    image: torch.Tensor, grey: torch.Tensor, blur: torch.Tensor, rows: int, cols: int, radius: int
) -> None:
    grid = (triton.cdiv(rows * cols, 4096),)
    convert[grid](image, grey, rows * cols, BLOCK=4096)
    average[grid](grey, blur, rows, cols, radius, BLOCK=4096)
