"""Wrong: saves x in half precision, which halves the memory and the precision. The derivative is that of a neighbouring point.
Where x is large, it hardly matters; around zero the slope changes by 0.8 for each unit of x.
"""

import torch

SCALE = 0.7978845608028654
CUBIC = 0.044715


class Function(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x.half())
        tangent = torch.tanh(SCALE * (x + CUBIC * x * x * x))
        return 0.5 * x * (1 + tangent)

    @staticmethod
    def backward(ctx, dy: torch.Tensor):
        (saved,) = ctx.saved_tensors
        x = saved.float()
        tangent = torch.tanh(SCALE * (x + CUBIC * x * x * x))
        inner = SCALE * (1 + 3 * CUBIC * x * x)
        return dy * 0.5 * (1 + tangent + x * (1 - tangent * tangent) * inner)
