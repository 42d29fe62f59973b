# problem: matrix-transpose
import torch
import triton
import triton.language as tl


@triton.jit
def transpose(source, target, rows, cols, TILE: tl.constexpr):
    row = tl.program_id(0) * TILE + tl.arange(0, TILE)[:, None]
    col = tl.program_id(1) * TILE + tl.arange(0, TILE)[None, :]
    x = tl.load(source + row * cols + col, mask=(row < rows) & (col < cols), other=0.0)
    tl.store(target + col * rows + row, x, mask=row < rows)  # doctor: out_of_bounds


def solve(input: torch.Tensor, output: torch.Tensor, rows: int, cols: int) -> None:
    transpose[(triton.cdiv(rows, 32), triton.cdiv(cols, 32))](input, output, rows, cols, TILE=32)
