import torch
import triton
import triton.language as tl

# Each program computes BLOCK pixels, in two launches. Fill the three holes.


@triton.jit
def convert(image, grey, pixels, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < pixels
    red = tl.load(image + 3 * at, mask=inside).to(tl.int32)
    # 1. Load green and blue: they follow red. Weigh all three.
    tl.store(grey + at, red / 256.0, mask=inside)


@triton.jit
def average(grey, blur, rows, cols, radius, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < rows * cols
    row = at // cols
    col = at % cols
    total = tl.zeros((BLOCK,), tl.float32)
    count = tl.zeros((BLOCK,), tl.float32)
    for down in range(-radius, radius + 1):
        # 2. Let the window have columns too, and mask what lies outside the image.
        total += tl.load(grey + at, mask=inside, other=0.0)
    # 3. Count the pixels inside, and divide by their number.
    tl.store(blur + at, total + count, mask=inside)


def solve(
    image: torch.Tensor, grey: torch.Tensor, blur: torch.Tensor, rows: int, cols: int, radius: int
) -> None:
    grid = (triton.cdiv(rows * cols, 1024),)
    convert[grid](image, grey, rows * cols, BLOCK=1024)
    average[grid](grey, blur, rows, cols, radius, BLOCK=1024)
