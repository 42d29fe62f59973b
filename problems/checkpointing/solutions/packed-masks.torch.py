"""Keeps the masks instead of a state: one bit for each element of each block, half of an activation in all.
The masks are drawn once.

What bounds it: four products of matrices for each block, one of them to recompute.
"""

import torch

KEPT = 0.9


def mask(like: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    return (torch.rand(like.shape, generator=generator) >= 1 - KEPT).to(like.device)


def block(h: torch.Tensor, weight: torch.Tensor, keep: torch.Tensor) -> torch.Tensor:
    return h + torch.nn.functional.gelu(h @ weight, approximate="tanh") * keep / KEPT


class Segment(torch.autograd.Function):
    """Some blocks in a row, of which only the input stays in memory."""

    @staticmethod
    def forward(ctx, h: torch.Tensor, weight: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
        masks = [mask(h, generator) for _ in weight]
        ctx.save_for_backward(h, weight, pack(torch.stack(masks)))
        return run(h, weight, masks)

    @staticmethod
    def backward(ctx, gradient: torch.Tensor):
        h, weight = (tensor.detach().requires_grad_() for tensor in ctx.saved_tensors[:2])
        masks = unpack(ctx.saved_tensors[2], (len(weight), *h.shape))
        with torch.enable_grad():
            end = run(h, weight, masks)
        return *torch.autograd.grad(end, [h, weight], gradient), None


def run(h: torch.Tensor, weight: torch.Tensor, masks) -> torch.Tensor:
    for one, keep in zip(weight, masks):
        h = block(h, one, keep)
    return h


def pack(bits: torch.Tensor) -> torch.Tensor:
    columns = torch.nn.functional.pad(bits.flatten().byte(), (0, -bits.numel() % 8)).view(8, -1)
    packed = columns[0].clone()
    for place in range(1, 8):
        packed |= columns[place] << place
    return packed


def unpack(packed: torch.Tensor, shape) -> torch.Tensor:
    bits = torch.stack([(packed >> place) & 1 for place in range(8)])
    return bits.flatten()[: torch.Size(shape).numel()].view(shape).bool()


class ModelNew(torch.nn.Module):
    def __init__(self, blocks: int, d: int):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.empty(blocks, d, d))

    def forward(self, x: torch.Tensor, seed: int) -> torch.Tensor:
        generator = torch.Generator().manual_seed(seed)
        for part in self.weight.split(4):
            x = Segment.apply(x, part, generator)
        return x
