"""Wrong: saves y and takes the derivative there. The derivatives of tanh and sigmoid can be computed from their outputs; that of
GELU cannot, because GELU is not monotonic: y = -0.1 belongs to two values of x.
"""

import torch

SCALE = 0.7978845608028654
CUBIC = 0.044715


class Function(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x: torch.Tensor) -> torch.Tensor:
        tangent = torch.tanh(SCALE * (x + CUBIC * x * x * x))
        y = 0.5 * x * (1 + tangent)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, dy: torch.Tensor):
        (x,) = ctx.saved_tensors
        tangent = torch.tanh(SCALE * (x + CUBIC * x * x * x))
        inner = SCALE * (1 + 3 * CUBIC * x * x)
        return dy * 0.5 * (1 + tangent + x * (1 - tangent * tangent) * inner)
