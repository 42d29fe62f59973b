"""Rows of eight-bit numbers times a gain for each row, and half of them in eight bits again."""

import torch
from utils import verbose_allclose


def generate_input(rows: int, seed: int):
    gen = torch.Generator(device="cuda")
    gen.manual_seed(seed)
    x = torch.randn((rows, 16), device="cuda", generator=gen).to(torch.float8_e4m3fn)
    gain = torch.rand((rows, 1), device="cuda", generator=gen)
    return x, gain


def ref_kernel(data):
    x, gain = data
    return x.to(gain.dtype) * gain, (x.float() / 2).to(torch.float8_e5m2)


def check_implementation(data, output):
    scaled, halves = ref_kernel(data)
    right, _ = verbose_allclose(output[0], scaled, rtol=1e-4, atol=1e-5)
    near, _ = verbose_allclose(output[1].float(), halves.float(), rtol=0.3, atol=1e-2)
    return right and near
