"""Right in eager mode, but there is no fake implementation. torch.compile and torch.export trace programs with fake
tensors, which have a shape and no contents, so they cannot trace this operator.
"""

import torch


@torch.library.custom_op("practice::gelu", mutates_args=())
def gelu(x: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.gelu(x, approximate="tanh")


def save_input(ctx, inputs, output):
    ctx.save_for_backward(*inputs)


def gradient(ctx, dy):
    (x,) = ctx.saved_tensors
    return torch.ops.aten.gelu_backward(dy, x, approximate="tanh")


gelu.register_autograd(gradient, setup_context=save_input)


def solve(x: torch.Tensor) -> torch.Tensor:
    return gelu(x.T)
