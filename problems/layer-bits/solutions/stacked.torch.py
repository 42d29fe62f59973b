"""All four shifted tables of a layer side by side, a minimum over them, and its index as the choice.

Bound by memory: the indices alone are four numbers of 8 bytes for each entry of each table. A part of the
models at a time keeps these tensors small enough for a GPU that several programs share.
"""

import torch

PART = 32768


def solve(
    err: torch.Tensor, size: torch.Tensor, budget: torch.Tensor, bits: torch.Tensor, models: int, layers: int
) -> None:
    for first in range(0, models, PART):
        part = slice(first, first + PART)
        choose(err[part], size[part], budget[part], bits[part])


def choose(err: torch.Tensor, size: torch.Tensor, budget: torch.Tensor, bits: torch.Tensor) -> None:
    models, layers = bits.shape
    units = size // 4096
    left = budget // 1024 - units.sum(1)
    extra = torch.tensor([0, 1, 3, 7], device=err.device)
    place = torch.arange(256, device=err.device)
    least = torch.zeros((models, 256), device=err.device)
    choice = torch.empty((layers, models, 256), dtype=torch.uint8, device=err.device)
    for layer in range(layers):
        before = place - (extra * units[:, layer, None])[:, :, None]  # [models, 4, 256]
        shifted = least[:, None, :].expand(models, 4, 256).gather(2, before.clamp(min=0))
        total = torch.where(before >= 0, shifted + err[:, layer, :, None], torch.inf)
        least, column = total.min(1)
        choice[layer] = column
    rows = torch.arange(models, device=err.device)
    for layer in range(layers - 1, -1, -1):
        column = choice[layer, rows, left].long()
        bits[:, layer] = 2 << column
        left = left - extra[column] * units[:, layer]
