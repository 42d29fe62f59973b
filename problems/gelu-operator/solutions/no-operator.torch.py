"""Right, but the file registers no operator: PyTorch computes GELU. PyTorch has no function for a kernel of your own,
so a model needs an operator to call it.
"""

import torch


def solve(x: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.gelu(x.T, approximate="tanh")
