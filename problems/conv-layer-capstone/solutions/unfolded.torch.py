"""torch.nn.functional.unfold stores the matrix of windows, and a product of matrices does the rest.

By default, PyTorch allows the library to split long sums and to add the parts in float16.
"""

import torch

torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False


def solve(
    x: torch.Tensor,
    filters: torch.Tensor,
    y: torch.Tensor,
    b: int,
    c: int,
    h: int,
    w: int,
    o: int,
    r: int,
    s: int,
    pad: int,
) -> None:
    windows = torch.nn.functional.unfold(x, (r, s), padding=pad)
    y.copy_((filters.reshape(o, c * r * s) @ windows).reshape(y.shape))
