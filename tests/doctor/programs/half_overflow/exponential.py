# problem: softmax
import torch
import triton
import triton.language as tl


@triton.jit
def softmax(source, target, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    inside = col < cols
    x = tl.load(source + row * cols + col, mask=inside, other=-float("inf"))
    power = tl.exp(x - tl.max(x, axis=0) + 12.0).to(tl.float16)  # doctor: half_overflow
    total = tl.sum(power.to(tl.float32), axis=0)
    tl.store(target + row * cols + col, power.to(tl.float32) / total, mask=inside)


def solve(input: torch.Tensor, output: torch.Tensor, rows: int, cols: int) -> None:
    softmax[(rows,)](input, output, cols, BLOCK=triton.next_power_of_2(cols))
