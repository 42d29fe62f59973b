"""Wrong: it computes into a tensor of its own and returns it. The output that the judge reads is the
one it passed in, and that still holds random bits.
"""

import torch


def solve(
    input: torch.Tensor,
    kernel: torch.Tensor,
    output: torch.Tensor,
    rows: int,
    cols: int,
    kernel_rows: int,
    kernel_cols: int,
) -> None:
    return torch.nn.functional.conv2d(input[None, None], kernel[None, None])[0, 0]
