import torch
import torch.nn as nn


class Model(nn.Module):
    """Takes images of three channels, which only get_inputs names."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, kernel_size=3)

    def forward(self, x):
        return torch.relu(self.conv(x))


batch_size = 64
input_channels = 3
height = 128
width = 192


def get_inputs():
    return [torch.rand(batch_size, input_channels, height, width)]


def get_init_inputs():
    return []
