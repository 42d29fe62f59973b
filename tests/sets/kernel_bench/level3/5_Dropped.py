import torch
import torch.nn as nn

batch_size = 32
features = 64


class Model(nn.Module):
    """Chance decides what comes out."""

    def __init__(self, features):
        super().__init__()
        self.linear = nn.Linear(features, features)
        self.dropout = nn.Dropout(0.5)

    def forward(self, x):
        return self.dropout(self.linear(x))


def get_inputs():
    return [torch.rand(batch_size, features)]


def get_init_inputs():
    return [features]
