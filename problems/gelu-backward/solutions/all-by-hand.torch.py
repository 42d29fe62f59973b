"""Right, but nothing is counted: solve computes both passes from x and dy. Nothing has to be saved, because dy is there
at once. In a training step, dy exists only when all later layers have run both ways.
"""

import torch

SCALE = 0.7978845608028654
CUBIC = 0.044715


def solve(x: torch.Tensor, dy: torch.Tensor, y: torch.Tensor, dx: torch.Tensor, n: int) -> None:
    tangent = torch.tanh(SCALE * (x + CUBIC * x * x * x))
    y.copy_(0.5 * x * (1 + tangent))
    inner = SCALE * (1 + 3 * CUBIC * x * x)
    dx.copy_(dy * 0.5 * (1 + tangent + x * (1 - tangent * tangent) * inner))
