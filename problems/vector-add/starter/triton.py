import torch
import triton
import triton.language as tl

# c[i] = a[i] + b[i]. Each program computes BLOCK elements at once.
# Fill the three holes.


@triton.jit
def add(a, b, c, n, BLOCK: tl.constexpr):
    # 1. The elements of this program: tl.program_id(0) says which program it is.
    at = tl.arange(0, BLOCK)
    inside = at < n
    # 2. Load from b too, and add.
    total = tl.load(a + at, mask=inside)
    tl.store(c + at, total, mask=inside)


def solve(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, n: int) -> None:
    # 3. Enough programs for n elements: triton.cdiv divides and rounds up.
    programs = 1
    add[(programs,)](a, b, c, n, BLOCK=1024)
