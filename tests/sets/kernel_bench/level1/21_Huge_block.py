import torch
import torch.nn as nn


class Model(nn.Module):
    """More elements in five dimensions than a size can count."""

    def forward(self, x):
        return torch.relu(x).sum(dim=(2, 3, 4))


batch = 16
channels = 32
depth = 128
height = 128
width = 256


def get_inputs():
    return [torch.rand(batch, channels, depth, height, width)]


def get_init_inputs():
    return []
