"""Right, but wasteful: saves tanh as well as x. Between the two passes of a training step, both tensors of every layer
are in memory at the same time. To compute tanh again costs a few instructions that the loads hide.
"""

import torch

SCALE = 0.7978845608028654
CUBIC = 0.044715


class Function(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x: torch.Tensor) -> torch.Tensor:
        tangent = torch.tanh(SCALE * (x + CUBIC * x * x * x))
        ctx.save_for_backward(x, tangent)
        return 0.5 * x * (1 + tangent)

    @staticmethod
    def backward(ctx, dy: torch.Tensor):
        x, tangent = ctx.saved_tensors
        inner = SCALE * (1 + 3 * CUBIC * x * x)
        return dy * 0.5 * (1 + tangent + x * (1 - tangent * tangent) * inner)
