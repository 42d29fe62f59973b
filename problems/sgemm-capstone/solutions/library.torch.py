"""torch.mm on float32 tensors. On a GPU it calls SGEMM of cuBLAS, the baseline of this problem.

What bounds it: arithmetic. The library chooses among many kernels by the sizes. TF32 must be off: with it,
tensor cores round the factors to 11 bits.
"""

import torch


def solve(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, m: int, n: int, k: int) -> None:
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.mm(a, b, out=c)
