import torch
import torch.nn as nn


class Model(nn.Module):
    """Two numbers that happen to be equal, of which each has a side of the weight."""

    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)

    def forward(self, x):
        return torch.relu(self.linear(x))


rows = 256
in_features = 512
out_features = 512


def get_inputs():
    return [torch.rand(rows, in_features)]


def get_init_inputs():
    return [in_features, out_features]
