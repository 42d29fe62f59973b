"""Rules for arrays in host memory, whose programs copy data themselves. See docs/adr/0032-host-memory.md."""

from collections.abc import Sequence

from problems.faults import FILE, Faults
from problems.schema import Argument, Case
from problems.vocabulary import Group, Language

_LANGUAGES = (Language.CUDA,)


def check_host_memory(
    arguments: Sequence[Argument], languages: Sequence[Language], cases: Sequence[Case], faults: Faults
) -> None:
    """Check that a problem with arrays in host memory is not timed, and asks only for CUDA programs."""
    on_host = [argument for argument in arguments if argument.memory.on_host]
    if not on_host:
        return
    name, memory = on_host[0].name, on_host[0].memory
    for language in languages:
        if language not in _LANGUAGES:
            fault = f"{language.label} programs cannot take {name}, which is in {memory} memory"
            faults.add(FILE, "languages", f'{fault}; write languages = ["cuda"]')
    for index, case in enumerate(cases):
        if case.group is Group.TIMED:
            fault = f"a problem with an array in {memory} memory, such as {name}, is not timed"
            faults.add(FILE, f"cases[{index}].group", f"{fault}; use another group or remove the case")
