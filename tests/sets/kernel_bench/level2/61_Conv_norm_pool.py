import torch
import torch.nn as nn


class Model(nn.Module):
    """Two convolutions with norms: seven parameters, and buffers that training updates."""

    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.first = nn.Conv2d(in_channels, out_channels, kernel_size)
        self.norm = nn.BatchNorm2d(out_channels)
        self.second = nn.Conv2d(out_channels, out_channels, kernel_size, bias=False)
        self.scale = nn.Parameter(torch.ones(out_channels, 1, 1))
        self.shift = nn.Parameter(torch.zeros(out_channels, 1, 1))

    def forward(self, x):
        return self.second(torch.relu(self.norm(self.first(x)))) * self.scale + self.shift


batch_size = 1024
in_channels = 16
out_channels = 32
height = width = 64
kernel_size = 3


def get_inputs():
    return [torch.rand(batch_size, in_channels, height, width)]


def get_init_inputs():
    return [in_channels, out_channels, kernel_size]
