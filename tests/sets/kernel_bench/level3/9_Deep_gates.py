import torch
import torch.nn as nn


class Model(nn.Module):
    """As many parameters as it has layers: with fewer it would be another model."""

    def __init__(self, width, depth):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(width, width, bias=False) for _ in range(depth))

    def forward(self, x):
        for layer in self.layers:
            x = torch.sigmoid(layer(x))
        return x


rows = 512
width = 256
depth = 32


def get_inputs():
    return [torch.rand(rows, width)]


def get_init_inputs():
    return [width, depth]
