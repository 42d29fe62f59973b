"""Right, but there is no operator: PyTorch computes GELU. A kernel of your own is not in its library, so a model
could not use it in this way.
"""

import torch


def solve(x: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.gelu(x.T, approximate="tanh")
