"""Rules for problems whose programs use several GPUs in one process. See docs/adr/0041-several-gpus.md."""

from collections.abc import Sequence

from problems.faults import FILE, Faults
from problems.schema import Argument, Case
from problems.vocabulary import Group, Language

_LANGUAGES = (Language.CUDA,)


def check_several_gpus(
    gpus: int,
    arguments: Sequence[Argument],
    languages: Sequence[Language],
    cases: Sequence[Case],
    faults: Faults,
) -> None:
    """Check that arrays are on GPUs that there are, and that a problem for several GPUs is not timed."""
    for index, argument in enumerate(arguments):
        if argument.device >= gpus:
            fault = f"there is no GPU {argument.device}: gpus is {gpus}, and numbers begin with 0"
            faults.add(FILE, f"arguments[{index}].device", fault)
    if gpus == 1:
        return
    for language in languages:
        if language not in _LANGUAGES:
            fault = f"{language.label} programs cannot use {gpus} GPUs"
            faults.add(FILE, "languages", f'{fault}; write languages = ["cuda"]')
    for index, case in enumerate(cases):
        if case.group is Group.TIMED:
            fault = f"a problem for {gpus} GPUs is not timed"
            faults.add(FILE, f"cases[{index}].group", f"{fault}; use another group or remove the case")
