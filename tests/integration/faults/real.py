"""Programs that stay in a stage of the real judge for a while, and a problem for them."""

import itertools
from pathlib import Path

from tests.cluster import Stage
from tests.few_problems import VECTOR_ADD, put_problems

TIMED_SIZE = 40_000
_CHECKED_SIZE = 4  # size of the first case
_STAYS_US = 2_000_000
_number = itertools.count(1)


def source(stage: Stage) -> str:
    """Return a correct program that stays in `stage` for two seconds, once. No two programs are equal.

    Compiling a program for the first time takes about as long anyway.
    """
    size = {Stage.CHECKING: _CHECKED_SIZE, Stage.RANKING: TIMED_SIZE}.get(stage, 0)
    return f"""// number {next(_number)}
#include <cuda_runtime.h>
#include <unistd.h>
__global__ void add(const float* a, const float* b, float* c, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}}
extern "C" void solve(const float* a, const float* b, float* c, int n) {{
  static bool stayed = false;
  if (n == {size} && !stayed) {{ stayed = true; usleep({_STAYS_US}); }}
  add<<<(n + 255) / 256, 256>>>(a, b, c, n);
}}
"""


def problems_in(folder: Path) -> Path:
    """Create a folder with vector addition only, with a timed case that suits a CPU."""
    problems = put_problems(folder, VECTOR_ADD)
    definition = problems / VECTOR_ADD / "problem.toml"
    definition.write_text(definition.read_text().replace("50000000", str(TIMED_SIZE)))
    return problems
