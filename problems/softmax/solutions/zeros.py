"""Cheating: it computes nothing. Zeros are close to the small probabilities of a long row in absolute
terms, which is why the tolerance is relative.
"""

import torch


def solve(
    input: torch.Tensor,
    output: torch.Tensor,
    rows: int,
    cols: int,
) -> None:
    output.zero_()
