import torch
import torch.nn as nn


class Model(nn.Module):
    """Knows the size of its batch from the head of the file, so that only what makes it can vary."""

    def __init__(self, hidden_size):
        super().__init__()
        self.state = torch.zeros(batch_size, hidden_size)
        self.mix = nn.Linear(2 * hidden_size, hidden_size)

    def forward(self, x):
        return torch.tanh(self.mix(torch.cat((x, self.state), dim=1)))


batch_size = 64
hidden_size = 2**11


def get_inputs():
    return [torch.rand(batch_size, hidden_size)]


def get_init_inputs():
    return [hidden_size]
