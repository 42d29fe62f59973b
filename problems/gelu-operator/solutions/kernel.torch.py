"""Bound by memory: one kernel for each pass. The operators make their arguments contiguous, so the fake
implementations return contiguous tensors too.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def sigmoid(value):
    return 1 / (1 + tl.exp(-value))


@triton.jit
def forward(x, y, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < count, other=0.0)
    tl.store(y + at, v * sigmoid(1.5957691216057308 * (v + 0.044715 * v * v * v)), mask=at < count)


@triton.jit
def backward(x, dy, dx, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < count, other=0.0)
    half = sigmoid(1.5957691216057308 * (v + 0.044715 * v * v * v))
    inner = 1.5957691216057308 * (1 + 0.134145 * v * v)
    slope = half + v * half * (1 - half) * inner
    tl.store(dx + at, tl.load(dy + at, mask=at < count, other=0.0) * slope, mask=at < count)


@torch.library.custom_op("practice::gelu", mutates_args=())
def gelu(x: torch.Tensor) -> torch.Tensor:
    x = x.contiguous()
    y = torch.empty_like(x)
    forward[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK=1024)
    return y


@torch.library.custom_op("practice::gelu_backward", mutates_args=())
def gelu_backward(x: torch.Tensor, dy: torch.Tensor) -> torch.Tensor:
    x, dy = x.contiguous(), dy.contiguous()
    dx = torch.empty_like(x)
    backward[(triton.cdiv(x.numel(), 1024),)](x, dy, dx, x.numel(), BLOCK=1024)
    return dx


@gelu.register_fake
def _(x):
    return x.new_empty(x.shape)


@gelu_backward.register_fake
def _(x, dy):
    return x.new_empty(x.shape)


def save_input(ctx, inputs, output):
    ctx.save_for_backward(*inputs)


def gradient(ctx, dy):
    (x,) = ctx.saved_tensors
    return gelu_backward(x, dy)


gelu.register_autograd(gradient, setup_context=save_input)


def solve(x: torch.Tensor) -> torch.Tensor:
    return gelu(x.T)
