"""Wrong: the exact GELU, with the error function. It differs from the approximation by up to 0.0005, which tests with a
loose tolerance do not notice.
"""

import torch


@torch.library.custom_op("practice::gelu", mutates_args=())
def gelu(x: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.gelu(x)


@gelu.register_fake
def _(x):
    return torch.empty_like(x)


def save_input(ctx, inputs, output):
    ctx.save_for_backward(*inputs)


def gradient(ctx, dy):
    (x,) = ctx.saved_tensors
    return torch.ops.aten.gelu_backward(dy, x)


gelu.register_autograd(gradient, setup_context=save_input)


def solve(x: torch.Tensor) -> torch.Tensor:
    return gelu(x.T)
