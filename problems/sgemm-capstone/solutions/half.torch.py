"""Wrong: float16 copies keep 11 bits of each factor. Tensor cores multiply them many times as fast, and the
sums are float32.

The result looks right, and differs from the exact one in the fourth digit. This problem asks for single
precision.
"""

import torch


def solve(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, m: int, n: int, k: int) -> None:
    c.copy_(a.half() @ b.half())
