"""Wrong: `norm="ortho"` divides the spectrum by the square root of n, and the power is divided by n again."""

import torch


def solve(x: torch.Tensor, power: torch.Tensor, batch: int, n: int) -> None:
    window = torch.hann_window(n, periodic=True, device=x.device, dtype=x.dtype)
    spectrum = torch.fft.rfft(x * window, dim=1, norm="ortho")
    power.copy_((spectrum.real**2 + spectrum.imag**2) / n)
