"""Bound by memory. The schema is text, and each part of the operator is registered on its own, as in libraries
in C++. The formulas are written out.
"""

import torch

SCALE = 0.7978845608028654
CUBIC = 0.044715

torch.library.define("practice::gelu", "(Tensor x) -> Tensor")


@torch.library.impl("practice::gelu", "CompositeExplicitAutograd")
def forward(x):
    return 0.5 * x * (1 + torch.tanh(SCALE * (x + CUBIC * x * x * x)))


@torch.library.register_fake("practice::gelu")
def shape(x):
    return torch.empty_like(x)


def save_input(ctx, inputs, output):
    ctx.save_for_backward(*inputs)


def gradient(ctx, dy):
    (x,) = ctx.saved_tensors
    tangent = torch.tanh(SCALE * (x + CUBIC * x * x * x))
    inner = SCALE * (1 + 3 * CUBIC * x * x)
    return 0.5 * dy * (1 + tangent + x * (1 - tangent * tangent) * inner)


torch.library.register_autograd("practice::gelu", gradient, setup_context=save_input)


def solve(x: torch.Tensor) -> torch.Tensor:
    return torch.ops.practice.gelu(x.T)
