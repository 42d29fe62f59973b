"""Right in eager mode, but the operator writes into an argument and does not say so in its schema. A compiler may move
or drop such a call, because by the schema it changes nothing.
"""

import torch


@torch.library.custom_op("practice::gelu_into", mutates_args=())
def gelu_into(x: torch.Tensor, y: torch.Tensor) -> None:
    y.copy_(torch.nn.functional.gelu(x, approximate="tanh"))


@gelu_into.register_fake
def _(x, y):
    return None


class Gelu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        y = torch.empty_like(x)
        gelu_into(x, y)
        return y

    @staticmethod
    def backward(ctx, dy):
        (x,) = ctx.saved_tensors
        return torch.ops.aten.gelu_backward(dy, x, approximate="tanh")


def solve(x: torch.Tensor) -> torch.Tensor:
    return Gelu.apply(x.T)
