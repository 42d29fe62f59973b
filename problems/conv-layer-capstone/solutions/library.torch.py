"""torch.nn.functional.conv2d. On a GPU it calls cuDNN, the baseline of this problem, with sums in float32."""

import torch


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
    y.copy_(torch.nn.functional.conv2d(x, filters, padding=pad))
