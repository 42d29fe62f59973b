"""Rules for arrays in host memory, whose programs copy data themselves. See docs/adr/0032-host-memory.md."""

from collections.abc import Sequence

from problems.faults import Faults
from problems.schema import Argument, Case
from problems.untimed import check_untimed_cuda
from problems.vocabulary import Language


def check_host_memory(
    arguments: Sequence[Argument], languages: Sequence[Language], cases: Sequence[Case], faults: Faults
) -> None:
    """Check that a problem with arrays in host memory is not timed, and asks only for CUDA programs."""
    on_host = [argument for argument in arguments if argument.memory.on_host]
    if not on_host:
        return
    name, memory = on_host[0].name, on_host[0].memory
    check_untimed_cuda(
        languages,
        cases,
        faults,
        kind=f"a problem with an array in {memory} memory, such as {name},",
        ability=f"take {name}, which is in {memory} memory",
    )
