"""Measures the cost of race detection: `python -m benchmarks.race_detection [--before CHECKOUT] [NAME…]`.

The first table is about small cases. They run in three orders, and functional mode looks for races. The table
shows the milliseconds of each order, the best of three. The second table is about programs with races. They
run in four more orders, with late reads. The table shows the milliseconds of the three orders and of all
seven, and the ratio. The third table is about large cases, in which functional mode does not look for races.
It shows the seconds of this version, the seconds of CHECKOUT (the sources of an earlier version, for example
from `git archive`), and the ratio, each the best of several rounds.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.functional_mode import KERNELS, REPETITIONS, ROWS, small_rows
from judge.cases import LATE_READS, ORDERS
from sandbox.wire import RunFlag
from tests.integration.functional.harness import Argument, Runner

_ROUNDS = 3
_RACY = (
    "sums_by_first_thread",
    "sums_by_last_thread",
    "numbers",
    "turns_of_warps",
    "sums_in_global_memory",
    "places_of_largest",
)
_MEASURE = """\
import json, sys
from benchmarks.functional_mode import KERNELS, ROWS
from tests.integration.functional.harness import Runner
row = next(row for row in ROWS if row.kernel == sys.argv[1])
runner = Runner((KERNELS / f"{row.kernel}.cu").read_text())
arguments = row.arguments()
print(json.dumps(min(runner.call(*arguments).took_s for _ in range(5))))
runner.close()
"""


def orders_ms(kernel: str, arguments: Sequence[Argument], orders: Sequence[RunFlag] = ORDERS) -> list[float]:
    """Return the milliseconds of the fastest call in each of the orders."""
    runner = Runner((KERNELS / f"{kernel}.cu").read_text())
    try:
        best = []
        for order in orders:
            ended = [runner.call(*arguments, flags=order) for _ in range(REPETITIONS)]
            if any(outcome.status is not None for outcome in ended):
                raise SystemExit(f"{kernel} ended badly: {ended[-1].diagnostics}")
            best.append(1000 * min(outcome.took_s for outcome in ended))
        return best
    finally:
        runner.close()


def seconds_in(checkout: Path, kernel: str) -> float:
    """Return the seconds of the fastest large call with the sources of `checkout`."""
    done = subprocess.run(
        [sys.executable, "-c", _MEASURE, kernel], cwd=checkout, check=True, stdout=subprocess.PIPE, text=True
    )
    return float(json.loads(done.stdout))


def main() -> None:
    """Print the tables for all kernels, or for those in NAME."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", type=Path, help="the sources of an earlier version")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    wanted = options.names or [row.kernel for row in ROWS]
    print(f"{'small case':18}{'size':21}{'first ms':>9}{'reversed':>9}{'interl.':>9}")
    for row in small_rows():
        if row.kernel in wanted:
            print(
                f"{row.kernel:18}{row.size:21}"
                + "".join(f"{ms:9.1f}" for ms in orders_ms(row.kernel, row.arguments())),
                flush=True,
            )
    print(f"{'program that races':24}{'three ms':>9}{'seven':>9}{'ratio':>7}")
    elements = np.random.default_rng(1).integers(0, 16, 4096).astype(np.int32)
    for which, name in enumerate(_RACY):
        if name in (options.names or _RACY):
            racy = (elements, np.zeros(16, np.int32), 4096, which)
            spent = orders_ms("overwritten", racy, ORDERS + LATE_READS)
            three, seven = sum(spent[: len(ORDERS)]), sum(spent)
            print(f"{name:24}{three:9.1f}{seven:9.1f}{seven / three:7.2f}", flush=True)
    if options.before is None:
        return
    print(f"{'large case':18}{'size':21}{'before s':>9}{'now s':>9}{'ratio':>7}")
    here = Path(__file__).resolve().parents[1]
    for row in ROWS:
        if row.kernel not in wanted:
            continue
        pairs = [
            (seconds_in(options.before, row.kernel), seconds_in(here, row.kernel)) for _ in range(_ROUNDS)
        ]
        before_s, now_s = (min(pair[side] for pair in pairs) for side in (0, 1))
        print(f"{row.kernel:18}{row.size:21}{before_s:9.3f}{now_s:9.3f}{now_s / before_s:7.2f}", flush=True)


if __name__ == "__main__":
    main()
