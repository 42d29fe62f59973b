"""torch.fft.fft computes all n complex numbers. The second half repeats the first one, so it is thrown away."""

import torch


def solve(x: torch.Tensor, power: torch.Tensor, batch: int, n: int) -> None:
    angle = 2 * torch.pi * torch.arange(n, device=x.device, dtype=x.dtype) / n
    spectrum = torch.fft.fft(x * (0.5 - 0.5 * torch.cos(angle)), dim=1)[:, : n // 2 + 1]
    power.copy_(torch.view_as_real(spectrum).square().sum(dim=2) / n)
