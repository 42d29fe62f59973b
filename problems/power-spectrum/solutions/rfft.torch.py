"""torch.fft.rfft of all rows at once. On a GPU, PyTorch calls cuFFT and keeps its plans."""

import torch


def solve(x: torch.Tensor, power: torch.Tensor, batch: int, n: int) -> None:
    window = torch.hann_window(n, periodic=True, device=x.device, dtype=x.dtype)
    if n == 1:
        window.zero_()  # the formula gives 0, PyTorch 1
    spectrum = torch.fft.rfft(x * window, dim=1)
    power.copy_((spectrum.real**2 + spectrum.imag**2) / n)
