"""Saves x alone. The backward pass computes tanh again, which is cheaper than to keep it in memory.

What bounds it: memory. Each operator reads and writes whole tensors, about 130 bytes for each element.
"""

import torch

SCALE = 0.7978845608028654
CUBIC = 0.044715


class Function(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        tangent = torch.tanh(SCALE * (x + CUBIC * x * x * x))
        return 0.5 * x * (1 + tangent)

    @staticmethod
    def backward(ctx, dy: torch.Tensor):
        (x,) = ctx.saved_tensors
        tangent = torch.tanh(SCALE * (x + CUBIC * x * x * x))
        inner = SCALE * (1 + 3 * CUBIC * x * x)
        return dy * 0.5 * (1 + tangent + x * (1 - tangent * tangent) * inner)
