# Right in eager mode, but the fake result has as many rows as the argument. The real one has more, unless the number
# is a multiple of 4.

import torch

BLOCK = 4


@torch.library.custom_op("practice::pad_rows", mutates_args=())
def pad_rows(x: torch.Tensor) -> torch.Tensor:
    rows = -(-x.shape[0] // BLOCK) * BLOCK
    padded = x.new_zeros(rows, x.shape[1])
    padded[: x.shape[0]] = x
    return padded


@pad_rows.register_fake
def _(x):
    return torch.empty_like(x)


def solve(x: torch.Tensor) -> torch.Tensor:
    n, d = x.shape
    blocks = pad_rows(x).view(-1, BLOCK, d)
    counts = pad_rows(torch.ones_like(x)).view(-1, BLOCK, d).sum(1, keepdim=True)
    means = blocks.sum(1, keepdim=True) / counts
    centred = (blocks - means).view(-1, d)[:n]
    return centred / centred.abs().max().clamp(min=1)
