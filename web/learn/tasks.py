"""The three tasks of the primer: programs with a hole, which the judge runs like any other program.

A task is a run of a shipped problem on a separate size. It uses the ordinary judge, and like every run it
does not affect statistics. `starter` has the hole in the line that contains `hole`.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass

from problems.vocabulary import Verdict

PROBLEM = "vector-add"
SIZE = "n"
_BLOCK = 256
_LEAST, _MOST = 600, 3000


@dataclass(frozen=True, slots=True)
class Task:
    """A task: what to do, the program to start from, hints, and what each verdict means here.

    `hole` is a text of the line that the learner writes. `meanings` are for readers whose program got
    that verdict.
    """

    name: str
    title: str
    words: str
    hint: str
    hole: str
    starter: str
    meanings: Mapping[Verdict, str]

    def hole_line(self, source: str) -> int | None:
        """Return the number of the line in `source` that the task is about, None if it is not there."""
        lines = enumerate(source.split("\n"), start=1)
        return next((number for number, line in lines if self.hole in line), None)


def draw_size() -> int:
    """Return a size that is not a multiple of the block size, different from run to run."""
    n = _LEAST + secrets.randbelow(_MOST - _LEAST)
    return n + 1 if n % _BLOCK == 0 else n


_PROGRAM = """\
#include <cuda_runtime.h>

__global__ void add(const float* a, const float* b, float* c, int n) {{
{kernel}
}}

extern "C" void solve(const float* a, const float* b, float* c, int n) {{
    int threads = 256;
{blocks}
    add<<<blocks, threads>>>(a, b, c, n);
}}
"""
_INDEX = "    int i = blockIdx.x * blockDim.x + threadIdx.x;"
_GUARDED = """\
    if (i < n) {
        c[i] = a[i] + b[i];
    }"""
_BLOCKS = "    int blocks = (n + threads - 1) / threads;"

TASKS: Mapping[str, Task] = {
    task.name: task
    for task in (
        Task(
            name="index",
            title="Write the index",
            words="Every thread of this kernel works on element 0. Replace the 0, so that each thread "
            "computes its own index.",
            hint="How many threads are in all blocks before this one? Add the position of the thread in its "
            "block.",
            hole="int i",
            starter=_PROGRAM.format(
                kernel=f"    int i = 0;  // your task: the index of this thread\n{_GUARDED}", blocks=_BLOCKS
            ),
            meanings={
                Verdict.WRONG_ANSWER: "Some elements were never written, so no thread had their index. If "
                "c[1] is missing, all threads have the same index. If the first missing element is c[256], "
                "the blocks repeat each other: add the number of threads in the blocks before.",
                Verdict.ILLEGAL_ACCESS: "The index is outside the arrays. It must be from 0 to n - 1 for the "
                "threads that pass the guard, so it cannot be negative.",
            },
        ),
        Task(
            name="guard",
            title="Add the guard",
            words="The last block has more threads than there are elements left. Add a condition, so that "
            "these threads touch no memory.",
            hint="Only threads whose index is less than n have an element to compute.",
            hole="c[i] =",
            starter=_PROGRAM.format(
                kernel=f"{_INDEX}\n    // your task: the guard\n    c[i] = a[i] + b[i];", blocks=_BLOCKS
            ),
            meanings={
                Verdict.ILLEGAL_ACCESS: "A thread without an element still reads and writes. Put the access "
                "into an if statement that compares the index with n.",
                Verdict.WRONG_ANSWER: "The guard stops too many threads. The last element has the index n - "
                "1, and its thread must pass.",
            },
        ),
        Task(
            name="launch",
            title="Choose the launch configuration",
            words="This launch has a single block of 256 threads. Compute how many blocks n elements need. "
            "Each run has a different n.",
            hint="n / threads rounds down. Add threads - 1 before you divide, and the result is rounded up.",
            hole="int blocks",
            starter=_PROGRAM.format(
                kernel=f"{_INDEX}\n{_GUARDED}",
                blocks="    int blocks = 1;  // your task: enough blocks for n threads",
            ),
            meanings={
                Verdict.WRONG_ANSWER: "The elements at the end were never written, because the grid has too "
                "few threads. If fewer than 256 are missing, the division rounds down.",
                Verdict.RUNTIME_ERROR: "The launch is invalid. A grid needs at least one block, and a block "
                "has at most 1024 threads.",
            },
        ),
    )
}
