# problem: softmax
import torch
import triton
import triton.language as tl


@triton.jit
def softmax(source, target, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    inside = col < cols
    x = tl.load(source + row * cols + col, mask=inside)  # doctor: masked_load
    power = tl.exp(x - tl.max(x, axis=0))
    tl.store(target + row * cols + col, power / tl.sum(power, axis=0), mask=inside)


def solve(input: torch.Tensor, output: torch.Tensor, rows: int, cols: int) -> None:
    softmax[(rows,)](input, output, cols, BLOCK=triton.next_power_of_2(cols))
