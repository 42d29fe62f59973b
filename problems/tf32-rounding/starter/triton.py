import torch
import triton
import triton.language as tl

# c[i] is the product of a[i] and b[i] in TF32, and err[i] is how far it is from the exact product.
# The launch is complete. Write the rounding and the kernel.


@triton.jit
def to_tf32(value):
    # 1. Take the bits with value.to(tl.int32, bitcast=True). Round them to a multiple of 2^13, ties away from zero.
    return value


@triton.jit
def multiply(a, b, c, err, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    known = at < n
    x = tl.load(a + at, mask=known, other=0.0)
    y = tl.load(b + at, mask=known, other=0.0)
    tl.store(c + at, to_tf32(x) * to_tf32(y), mask=known)
    # 2. Store the product minus x * y in err, without rounding x * y first.


def solve(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, err: torch.Tensor, n: int) -> None:
    multiply[(triton.cdiv(n, 1024),)](a, b, c, err, n, BLOCK=1024)
