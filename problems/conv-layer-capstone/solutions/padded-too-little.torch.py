"""Wrong: padding="same" pads for a result of the size of the input, whatever `pad` says."""

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
    found = torch.nn.functional.conv2d(x, filters, padding="same")
    y.zero_()
    rows, cols = min(h, y.shape[2]), min(w, y.shape[3])
    y[:, :, :rows, :cols] = found[:, :, :rows, :cols]
