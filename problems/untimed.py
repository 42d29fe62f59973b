"""Rules for untimed problems whose programs need abilities that only CUDA programs have."""

from collections.abc import Sequence

from problems.faults import FILE, Faults
from problems.schema import Case
from problems.vocabulary import Group, Language


def check_untimed_cuda(
    languages: Sequence[Language], cases: Sequence[Case], faults: Faults, *, kind: str, ability: str
) -> None:
    """Check that a problem of that `kind` is for CUDA alone and has no timed case; `ability` is why."""
    for language in languages:
        if language is not Language.CUDA:
            fault = f"{language.label} programs cannot {ability}"
            faults.add(FILE, "languages", f'{fault}; write languages = ["cuda"]')
    for index, case in enumerate(cases):
        if case.group is Group.TIMED:
            fault = f"{kind} is not timed"
            faults.add(FILE, f"cases[{index}].group", f"{fault}; use another group or remove the case")
