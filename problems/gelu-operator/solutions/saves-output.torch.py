"""Right, but saves y as well as x. The gradient needs only x, and y stays in memory for nothing.
"""

import torch


@torch.library.custom_op("practice::gelu", mutates_args=())
def gelu(x: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.gelu(x, approximate="tanh")


@gelu.register_fake
def _(x):
    return torch.empty_like(x)


def save_input(ctx, inputs, output):
    ctx.save_for_backward(*inputs, output)


def gradient(ctx, dy):
    x, _ = ctx.saved_tensors
    return torch.ops.aten.gelu_backward(dy, x, approximate="tanh")


gelu.register_autograd(gradient, setup_context=save_input)


def solve(x: torch.Tensor) -> torch.Tensor:
    return gelu(x.T)
