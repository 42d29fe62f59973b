"""Multiplies matrices of packed 4-bit numbers on the host, where PyTorch cannot.

On a GPU, `torch._scaled_mm` multiplies matrices of `float4_e2m1fn_x2`, in which a byte holds two numbers.
Each block of a row has a factor of its own: blocks of 16 with factors in `float8_e4m3fn` (NVFP4), or of 32
with factors in `float8_e8m0fnu` (MXFP4). Factors are in tiles of 128 rows and four blocks.
Source: "1D Block Scaling Factors Layout" in the documentation of cuBLAS.
"""

from typing import Any

import torch

_E2M1 = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
_PACKED: Any = getattr(torch, "float4_e2m1fn_x2", None)
_TILE_ROWS, _TILE_BLOCKS = 128, 4
scaled_mm: Any = torch._scaled_mm  # noqa: SLF001 - the function's only name


def is_packed_product(func: object, left: object) -> bool:
    """Whether a call of `func` with `left` as its first argument is a product of packed 4-bit numbers."""
    return func == scaled_mm and isinstance(left, torch.Tensor) and left.dtype is _PACKED


def packed_product(
    left: torch.Tensor,
    right: torch.Tensor,
    left_factors: torch.Tensor,
    right_factors: torch.Tensor,
    bias: torch.Tensor | None = None,
    scale_result: torch.Tensor | None = None,
    out_dtype: torch.dtype | None = None,
    use_fast_accum: bool = False,
) -> torch.Tensor:
    """Return `left @ right`, calculated in float32, as `torch._scaled_mm` does on a GPU.

    `left` has the shape [m, k / 2] in bytes, `right` [k / 2, n].
    """
    del use_fast_accum
    if scale_result is not None:
        raise ValueError("scale_result is not supported for packed 4-bit numbers")
    product = _numbers(left, left_factors) @ _numbers(right.transpose(0, 1), right_factors).transpose(0, 1)
    if bias is not None:
        product = product + bias.float()
    return product.to(out_dtype or torch.bfloat16)


def _numbers(packed: torch.Tensor, factors: torch.Tensor) -> torch.Tensor:
    """Return the numbers of rows of packed ones, times the factors of their blocks, in float32."""
    pairs = packed.view(torch.uint8)
    halves = torch.stack((pairs & 15, pairs >> 4), dim=-1).reshape(pairs.shape[0], -1).long()
    table = torch.tensor([*_E2M1, *(-number for number in _E2M1)], device=packed.device)
    rows, count = halves.shape
    length = 16 if factors.dtype is torch.float8_e4m3fn else 32
    blocks = -(-count // length)
    plain = _without_tiles(factors.float().reshape(-1), rows, blocks)
    return table[halves] * plain.repeat_interleave(length, dim=1)[:, :count]


def _without_tiles(factors: torch.Tensor, rows: int, blocks: int) -> torch.Tensor:
    """Return factors as [rows, blocks]."""
    down, across = -(-rows // _TILE_ROWS), -(-blocks // _TILE_BLOCKS)
    tiles = factors.reshape(down, across, 32, 4, _TILE_BLOCKS).transpose(2, 3)
    whole = tiles.reshape(down, across, _TILE_ROWS, _TILE_BLOCKS).permute(0, 2, 1, 3)
    return whole.reshape(down * _TILE_ROWS, across * _TILE_BLOCKS)[:rows, :blocks]
