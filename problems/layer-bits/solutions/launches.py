"""A launch for each layer. Tables in global memory take turns, so that shifted places are ordinary loads.

Bound by memory: each layer reads four tables, mostly from the cache, and writes one, and the choices.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def add_layer(err, size, source, target, choice, layer, models, layers, UNITS: tl.constexpr, ROWS: tl.constexpr):
    model = (tl.program_id(0) * ROWS + tl.arange(0, ROWS)).to(tl.int64)[:, None]
    inside = model < models
    place = tl.arange(0, UNITS)[None, :]
    at = model * layers + layer
    units = (tl.load(size + at, mask=inside, other=0) // 4096).to(tl.int32)
    row = source + model * UNITS
    best = tl.load(row + place, mask=inside, other=0.0) + tl.load(err + 4 * at, mask=inside, other=0.0)
    chosen = tl.zeros((ROWS, UNITS), tl.int32)
    for column in tl.static_range(1, 4):
        before = place - ((1 << column) - 1) * units
        possible = inside & (before >= 0)
        total = tl.load(row + before, mask=possible, other=1e30)
        total += tl.load(err + 4 * at + column, mask=inside, other=0.0)
        chosen = tl.where(total < best, column, chosen)
        best = tl.minimum(best, total)
    tl.store(target + model * UNITS + place, best, mask=inside)
    tl.store(choice + at * UNITS + place, chosen.to(tl.uint8), mask=inside)


@triton.jit
def go_back(size, budget, bits, choice, models, layers, UNITS: tl.constexpr, LANES: tl.constexpr):
    model = tl.program_id(0) * LANES + tl.arange(0, LANES)
    inside = model < models
    start = model.to(tl.int64) * layers
    left = tl.load(budget + model, mask=inside, other=0) // 1024
    for layer in range(0, layers):
        left -= tl.load(size + start + layer, mask=inside, other=0) // 4096
    for step in range(0, layers):
        layer = layers - 1 - step
        column = tl.load(choice + (start + layer) * UNITS + left, mask=inside, other=0).to(tl.int32)
        tl.store(bits + start + layer, 2 << column, mask=inside)
        left -= ((1 << column) - 1) * (tl.load(size + start + layer, mask=inside, other=0) // 4096)


def solve(
    err: torch.Tensor, size: torch.Tensor, budget: torch.Tensor, bits: torch.Tensor, models: int, layers: int
) -> None:
    tables = torch.zeros((2, models * 256), dtype=torch.float32, device=err.device)
    choice = torch.empty(models * layers * 256, dtype=torch.uint8, device=err.device)
    for layer in range(layers):
        add_layer[(triton.cdiv(models, 8),)](
            err, size, tables[layer % 2], tables[1 - layer % 2], choice, layer, models, layers, UNITS=256, ROWS=8
        )
    go_back[(triton.cdiv(models, 64),)](size, budget, bits, choice, models, layers, UNITS=256, LANES=64)
