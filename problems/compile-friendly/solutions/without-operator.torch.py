# Right, and one graph, but solve pads with a function of PyTorch and no longer calls the operator. PyTorch has no
# such function for a kernel of your own.

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
    rest = -n % BLOCK
    blocks = torch.nn.functional.pad(x, (0, 0, 0, rest)).view(-1, BLOCK, d)
    counts = torch.nn.functional.pad(torch.ones_like(x), (0, 0, 0, rest)).view(-1, BLOCK, d).sum(1, keepdim=True)
    means = blocks.sum(1, keepdim=True) / counts
    centred = (blocks - means).view(-1, d)[:n]
    return centred / centred.abs().max().clamp(min=1)
