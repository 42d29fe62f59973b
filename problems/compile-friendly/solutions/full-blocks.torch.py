# Wrong: divides each block by the full number of rows. The last block has fewer. Padding with zeros leaves its sum
# as it is, but lowers the magnitude of its mean.

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
    return x.new_empty(-(-x.shape[0] // BLOCK) * BLOCK, x.shape[1])


def solve(x: torch.Tensor) -> torch.Tensor:
    n, d = x.shape
    blocks = pad_rows(x).view(-1, BLOCK, d)
    means = blocks.mean(1, keepdim=True)
    centred = (blocks - means).view(-1, d)[:n]
    return centred / centred.abs().max().clamp(min=1)
