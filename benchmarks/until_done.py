"""Measures the time from the last change of a call to DONE: `python3 -m benchmarks.until_done [--rounds N]`.

Needs CuPy, nvcc, and an NVIDIA GPU that no other process uses. Runs without containers, under an MPS daemon
of its own. A round takes about half a minute.

Times float16 additions of three sizes, additions that wait for the GPU before they return, and sums of 16 MB,
each in a session with a new runner and a new referee. For each program, prints the time from the last change
in the outputs to the flag DONE: the least, the median and the greatest of the counted calls, as medians over
the rounds. Then it prints the ranked time and its spread (max - min) / median for several free times between
the two: see `done_slack_us` in `judge.clock.contracts`.
"""

import argparse
import json
import math
import statistics
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.clock_experiment import (
    ADDITION,
    EXTENTS,
    SOURCE,
    Figures,
    addition,
    build,
    draw,
    loaded,
    middle_and_spread,
    mps,
    repeated,
    timed_session,
)
from benchmarks.judging import print_table
from benchmarks.watch_start import CONTENTS, PROGRAMS, Program
from judge.clock.contracts import CallGate, CallObservation
from judge.clock.estimate import estimate

FREE_US = (0.0, 1.5, 3.0, math.inf)
_LAUNCH = "add<<<(n + 255) / 256, 256>>>("
_BEFORE = "  long n = *(const long*)p[3] / 2;\n"
_END = ", (__half2*)p[2], n);\n"
# Additions that wait for the GPU in different ways before they return.
SYNCHRONISING = SOURCE.replace(_END, f"{_END}  cudaDeviceSynchronize();\n")
FREEING = SOURCE.replace(_BEFORE, f"{_BEFORE}  void* scratch;\n  cudaMalloc(&scratch, 1 << 22);\n").replace(
    _END, f"{_END}  cudaFree(scratch);\n"
)
ON_A_SIDE_STREAM = (
    SOURCE.replace(
        _BEFORE,
        f"{_BEFORE}  static cudaStream_t side;\n"
        "  if (!side) cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);\n",
    )
    .replace(_LAUNCH, "add<<<(n + 255) / 256, 256, 0, side>>>(")
    .replace(_END, f"{_END}  cudaStreamSynchronize(side);\n")
)


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table: its title, and the program with its name in the folder of built programs."""

    title: str
    name: str
    program: Program


def _addition(extent: int, name: str = ADDITION, source: str = SOURCE) -> Row:
    made = Program(source, partial(addition, extent), partial(draw, extent))
    return Row(f"{name}, {extent} x {extent}", name, made)


ROWS = (
    *map(_addition, EXTENTS),
    _addition(4096, "addition-and-synchronise", SYNCHRONISING),
    _addition(4096, "addition-and-free", FREEING),
    _addition(4096, "addition-on-a-side-stream", ON_A_SIDE_STREAM),
    Row("sum in one kernel", "one-kernel", PROGRAMS["one-kernel"]),
    Row("sum in two kernels", "two-kernels", PROGRAMS["two-kernels"]),
)


@dataclass
class Recording:
    """A gate that keeps what it observes."""

    gate: CallGate
    observed: list[CallObservation] = field(default_factory=list)

    @property
    def descriptor(self) -> int | None:
        """The descriptor of the flags."""
        return self.gate.descriptor

    def call(self, *arguments: Any, **options: Any) -> CallObservation:
        """Let a call through; see `judge.clock.contracts.CallGate`."""
        seen = self.gate.call(*arguments, **options)
        self.observed.append(seen)
        return seen


def main() -> int:
    """Run the rounds, each session in new processes, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5, help="default: %(default)s")
    parser.add_argument("--one", type=int, metavar="ROW", help=argparse.SUPPRESS)
    parser.add_argument("--build", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one is not None:
        print(json.dumps(one_session(ROWS[options.one], options.build)))
        return 0
    with tempfile.TemporaryDirectory(prefix="warpcourt-done-") as name:
        folder = Path(name)
        build(folder, {row.name: row.program.source for row in ROWS})
        with mps(folder) as environment:
            found = repeated("benchmarks.until_done", range(len(ROWS)), options.rounds, folder, environment)
    report([found[number] for number in range(len(ROWS))])
    return 0


def report(found: Sequence[Sequence[Figures]]) -> None:
    """Print one line for each program. `found` has the figures of its sessions."""
    titles = [f"ranked, {'all' if free == math.inf else f'{free:g} us'} free" for free in FREE_US]
    rows = [("program", "to DONE: least", "median", "greatest", *titles)]
    for row, sessions in zip(ROWS, found, strict=True):
        to_done = [
            f"{statistics.median(figures[name] for figures in sessions):.2f} us"
            for name in ("least", "median", "greatest")
        ]
        ranked = [middle_and_spread([figures[str(free)] for figures in sessions]) for free in FREE_US]
        rows.append((row.title, *to_done, *(f"{us:.2f} us, {100 * spread:.2f} %" for us, spread in ranked)))
    print_table(rows)


def one_session(row: Row, folder: Path) -> dict[str, float]:
    """Time one session, with a new runner and with this new process as the referee."""
    from judge.gpu.device.memory import DeviceMemory  # noqa: PLC0415 - needs CuPy, which only the rounds do

    problem, case = row.program.problem()
    memory = DeviceMemory.open()
    contents = [row.program.draw(seed) for seed in range(CONTENTS)]
    with (
        loaded(folder, row.name) as exchange,
        timed_session(exchange, memory, problem, case, contents) as session,
    ):
        gate = Recording(session.gate)
        calls = replace(session, gate=gate).calls()
        calls.warm_up(0)
        gate.observed.clear()
        for content in range(1, CONTENTS):
            calls.one(content)
    memory.close()
    return figures_of([seen for seen in gate.observed if seen.alone])


def figures_of(observed: Sequence[CallObservation]) -> dict[str, float]:
    """Return the figures of a session: times to DONE, and the ranked time for each free time."""
    to_done_us = [seen.done_us - seen.last_us for seen in observed]
    ranked = {
        str(free): estimate([max(seen.last_us, seen.done_us - free) for seen in observed]).median
        for free in FREE_US
    }
    return {
        "least": min(to_done_us),
        "median": statistics.median(to_done_us),
        "greatest": max(to_done_us),
        **ranked,
    }


if __name__ == "__main__":
    raise SystemExit(main())
