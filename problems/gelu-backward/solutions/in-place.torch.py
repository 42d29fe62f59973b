"""New tensors are changed in place, so a step allocates two tensors instead of seven. x and dy must stay as they are.

What bounds it: memory. The traffic is that of the operators, as in the plain function; only the peak of memory is lower.
"""

import torch

SCALE = 0.7978845608028654
CUBIC = 0.044715


class Function(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        share = (x * x).mul_(CUBIC).add_(1).mul_(x).mul_(2 * SCALE).sigmoid_()
        return share.mul_(x)

    @staticmethod
    def backward(ctx, dy: torch.Tensor):
        (x,) = ctx.saved_tensors
        square = x * x
        share = square.mul(CUBIC).add_(1).mul_(x).mul_(2 * SCALE).sigmoid_()
        slope = square.mul_(3 * CUBIC).add_(1).mul_(2 * SCALE).mul_(x).mul_(share).mul_(1 - share)
        return slope.add_(share).mul_(dy)
