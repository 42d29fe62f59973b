"""Divides the memory of a GPU between the judge and the programs that share it.

Theory of operation. Before a program is loaded, memory is set aside for what must go on whatever a program
takes: the secret pool, up to its budget, and a quarter of the GPU for oracles and checkers, but never more
than half of the GPU for both. The rest is divided among the slots. Of its part a slot keeps some for the
referee, and its program may have what is left. So even if all programs use their full limit, enough is left
for the judge.

MPS counts the arrays that a program is given too. Those of a timed session take half of its part at most.

Two limits follow, both of MPS. The program's is in its environment when its context is made. The server's
holds for every client, the referees too, which keep the arrays of timed sessions while nothing else runs: it
is all that is not set aside. Without MPS nothing holds a program back, but it is charged for what it has
beyond its part when the GPU runs out of memory (`judge.gpu.runtime.GpuRuntime.overdrawn_mib`).
"""

from dataclasses import dataclass

_OURS = 4  # of the GPU: a quarter for oracles and checkers
_MOST_ASIDE = 2  # of the GPU: at most half for us
_REFEREE_MIB = 1536  # a context, and the arrays of a checked case with poison and snapshots
_LEAST_MIB = 2048  # with less, a context and a library leave nothing for a program


@dataclass(frozen=True, slots=True)
class Shares:
    """Limits in MiB, 0 for none: of a program, and of any client of MPS.

    `most_mib` is what a program that has no limit is not charged for when memory runs out.
    """

    program_mib: int
    client_mib: int
    most_mib: int


def memory_shares(
    total_mib: int, *, slots: int, secret_pool_mib: int, program_mib: int | None = None
) -> Shares:
    """The limits on a GPU of `total_mib`. `program_mib` is what the operator wants, 0 for no limit."""
    aside_mib = min(secret_pool_mib + total_mib // _OURS, total_mib // _MOST_ASIDE)
    free_mib = total_mib - aside_mib
    if program_mib is None:
        program_mib = min(free_mib, max(_LEAST_MIB, free_mib // slots - _REFEREE_MIB))
    if program_mib == 0:
        return Shares(0, 0, free_mib)
    return Shares(program_mib, max(program_mib, free_mib), program_mib)
