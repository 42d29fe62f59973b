"""Right, but no gradient is registered for the operator: only a Function around it has one. A model that calls the
operator itself cannot be trained, and the tests of the operator find no formula.
"""

import torch


@torch.library.custom_op("practice::gelu", mutates_args=())
def gelu(x: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.gelu(x, approximate="tanh")


@gelu.register_fake
def _(x):
    return torch.empty_like(x)


class Gelu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return gelu(x)

    @staticmethod
    def backward(ctx, dy):
        (x,) = ctx.saved_tensors
        return torch.ops.aten.gelu_backward(dy, x, approximate="tanh")


def solve(x: torch.Tensor) -> torch.Tensor:
    return Gelu.apply(x.T)
