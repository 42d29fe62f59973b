"""Wrong: the mask asks whether an index lies in the image, not whether it lies in the row. Left of column 0 is the
last column of the row above, so bright pixels at the right border appear at the left one.
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
    for down in range(-radius, radius + 1):
        for right in range(-radius, radius + 1):
            y = row + down
            x = col + right
            inside = (y * cols + x >= 0) & (y * cols + x < rows * cols)
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
