"""The transposed product, B' A' = C', on transposed views that copy nothing.

What bounds it: arithmetic, as in torch.mm(a, b). Libraries of Fortran's tradition store matrices by columns.
They take a row-major matrix for its transpose, so one asks them for B' A', and the memory of the result is
that of a row-major C.
"""

import torch


def solve(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, m: int, n: int, k: int) -> None:
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.mm(b.t(), a.t(), out=c.t())
