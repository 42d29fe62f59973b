"""Right, but wasteful: autograd keeps the input, the product and the mask of each block. An element of a mask takes one byte instead of four, so sixteen blocks
keep 36 times the bytes of x.
"""

import torch

KEPT = 0.9


def mask(like: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    return (torch.rand(like.shape, generator=generator) >= 1 - KEPT).to(like.device)


def block(h: torch.Tensor, weight: torch.Tensor, keep: torch.Tensor) -> torch.Tensor:
    return h + torch.nn.functional.gelu(h @ weight, approximate="tanh") * keep / KEPT


class ModelNew(torch.nn.Module):
    def __init__(self, blocks: int, d: int):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.empty(blocks, d, d))

    def forward(self, x: torch.Tensor, seed: int) -> torch.Tensor:
        generator = torch.Generator().manual_seed(seed)
        for one in self.weight:
            x = block(x, one, mask(x, generator))
        return x
