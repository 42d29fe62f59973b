"""Divides the memory of a GPU between the judge and the programs that share it.

Theory of operation. Some memory is reserved for services that must work whatever a program allocates: the
budget of the secret pool, and a quarter of the GPU for oracles and checkers, but at most half of the GPU for
both. The rest is divided among the slots. Each slot reserves memory for its referee, and its program may use
the remainder. So even if all programs use their full limit, the judge has enough memory.

MPS also counts the arrays that a program receives towards the program's limit. The arrays of a timed session
occupy at most half of this limit.

MPS enforces two limits. The limit of a program is in its environment when its context is created. The limit
of the server applies to every client, including referees, which keep the arrays of timed sessions while
nothing else runs: it is all memory that is not reserved. Without MPS, nothing limits a program, but if the
GPU runs out of memory, a program that holds more than its part is charged
(`judge.gpu.runtime.GpuRuntime.overdrawn_mib`).
"""

from dataclasses import dataclass

_OURS = 4  # divisor: a quarter of the GPU for oracles and checkers
_MOST_ASIDE = 2  # divisor: at most half of the GPU is reserved
_REFEREE_MIB = 1536  # a context, and the arrays of a checked case with poison and snapshots
_LEAST_MIB = 2048  # with less, a context and a library would leave no memory for a program


@dataclass(frozen=True, slots=True)
class Shares:
    """Memory limits in MiB, 0 for none: of a program, and of any MPS client.

    `most_mib` applies to programs without a limit: a program that holds more is charged if memory runs out.
    """

    program_mib: int
    client_mib: int
    most_mib: int


def memory_shares(
    total_mib: int, *, slots: int, secret_pool_mib: int, program_mib: int | None = None
) -> Shares:
    """Return the limits on a GPU of `total_mib`. `program_mib` is the operator's setting, 0 for no limit."""
    aside_mib = min(secret_pool_mib + total_mib // _OURS, total_mib // _MOST_ASIDE)
    free_mib = total_mib - aside_mib
    if program_mib is None:
        program_mib = min(free_mib, max(_LEAST_MIB, free_mib // slots - _REFEREE_MIB))
    if program_mib == 0:
        return Shares(0, 0, free_mib)
    return Shares(program_mib, max(program_mib, free_mib), program_mib)
