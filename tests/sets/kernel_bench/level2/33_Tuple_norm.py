import torch
import torch.nn as nn


class Model(nn.Module):
    """Is made with a tuple and a list of numbers; those at the head are calculated, unpacked, and in a tuple."""

    def __init__(self, shape, offset_shape):
        super().__init__()
        self.norm = nn.LayerNorm(shape)
        self.offset = nn.Parameter(torch.randn(offset_shape))

    def forward(self, x):
        return torch.relu(self.norm(x) + self.offset)


batch_size = 4 * 256
features, width = 32, 64
depth = (6,)


def get_inputs():
    return [torch.rand(batch_size, *depth, features, width)]


def get_init_inputs():
    return [(features, width), [features, 1]]
