"""Wrong: reads the memory of x from its start to its end, as a kernel does that ignores strides. The elements of a
transposed tensor are in another order. The shape is right, and a test with a contiguous or symmetric tensor passes.
"""

import torch


@torch.library.custom_op("practice::gelu", mutates_args=())
def gelu(x: torch.Tensor) -> torch.Tensor:
    flat = x.as_strided((x.numel(),), (1,))
    return torch.nn.functional.gelu(flat, approximate="tanh").view(x.shape)


@gelu.register_fake
def _(x):
    return x.new_empty(x.shape)


def save_input(ctx, inputs, output):
    ctx.save_for_backward(*inputs)


def gradient(ctx, dy):
    (x,) = ctx.saved_tensors
    return torch.ops.aten.gelu_backward(dy, x, approximate="tanh")


gelu.register_autograd(gradient, setup_context=save_input)


def solve(x: torch.Tensor) -> torch.Tensor:
    return gelu(x.T)
