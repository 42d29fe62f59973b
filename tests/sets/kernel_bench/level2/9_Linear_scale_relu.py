import torch
import torch.nn as nn


class Model(nn.Module):
    """A linear layer, scaled, with what is negative cut off."""

    def __init__(self, in_features, out_features, factor, bias_shape):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)
        self.lift = nn.Parameter(torch.randn(bias_shape))
        self.factor = factor

    def forward(self, x):
        return torch.relu(self.linear(x) * self.factor + self.lift)


batch_size = 1024
in_features = 8192
out_features = 4096
factor = 0.5
bias_shape = (1,)


def get_inputs():
    return [torch.rand(batch_size, in_features)]


def get_init_inputs():
    return [in_features, out_features, factor, bias_shape]
