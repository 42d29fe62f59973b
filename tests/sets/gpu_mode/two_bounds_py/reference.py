import torch
from utils import verbose_allclose


def generate_input(rows: int, cols: int, seed: int):
    gen = torch.Generator(device="cuda")
    gen.manual_seed(seed)
    return torch.randn(rows, cols, device="cuda", generator=gen)


def ref_kernel(data):
    scale = data.abs().amax(dim=1).clamp(min=1e-10) / 448
    return (data / scale[:, None]).clamp(-448, 448), scale


def check_implementation(data, output):
    numbers, scale = ref_kernel(data)
    close, _ = verbose_allclose(output[0], numbers, rtol=1e-3, atol=1e-1)
    same, _ = verbose_allclose(output[1], scale, 1e-6, 1e-9)
    return close and same, ""
