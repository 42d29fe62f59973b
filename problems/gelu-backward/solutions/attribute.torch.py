"""Right, but wasteful: keeps tensors as attributes of ctx. They stay in memory as those of save_for_backward do, and autograd
does not notice if they are changed in between.
"""

import torch

SCALE = 0.7978845608028654
CUBIC = 0.044715


class Function(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x: torch.Tensor) -> torch.Tensor:
        tangent = torch.tanh(SCALE * (x + CUBIC * x * x * x))
        ctx.x, ctx.factor, ctx.square = x, 1 + tangent, tangent * tangent
        return 0.5 * x * ctx.factor

    @staticmethod
    def backward(ctx, dy: torch.Tensor):
        x = ctx.x
        inner = SCALE * (1 + 3 * CUBIC * x * x)
        return dy * 0.5 * (ctx.factor + x * (1 - ctx.square) * inner)
