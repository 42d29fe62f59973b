import torch
import triton
import triton.language as tl

# Each program computes BLOCK pixels, whatever their rows are. Fill the two holes.


@triton.jit
def grayscale(rgb, gray, pixels, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < pixels
    red = tl.load(rgb + 3 * at, mask=inside)
    # 1. Load green and blue: they follow red.
    tl.store(gray + at, red, mask=inside)  # 2. Weigh red, green and blue.


def solve(rgb: torch.Tensor, gray: torch.Tensor, rows: int, cols: int) -> None:
    pixels = rows * cols
    grayscale[(triton.cdiv(pixels, 1024),)](rgb, gray, pixels, BLOCK=1024)
