"""Rules for problems with ranks: programs of several processes. See docs/adr/0044-ranks.md."""

from problems.calling import PythonCallSpec, PythonEntry
from problems.faults import FILE, Faults
from problems.formula import FormulaError
from problems.parse import Description
from problems.vocabulary import Group, Language, Role


def check_ranks(description: Description, faults: Faults) -> None:
    """Check that a problem with ranks is for Python programs, untimed, and has a slice for each rank.

    Its requirements must use the counters of ranks, and other problems must not use them.

    Rank r gets slice r of the first dimension of each array, so that dimension has as many elements as there
    are ranks, in every case.
    """
    ranks = description.ranks
    for index, requirement in enumerate(description.requirements):
        if requirement.counter.of_ranks != (ranks > 1):
            where = "programs with ranks" if ranks == 1 else "programs of one process"
            fault = f"{requirement.counter} is counted only in {where}; remove this"
            faults.add(FILE, f"requirements[{index}].counter", fault)
    if ranks == 1:
        return
    if description.gpus > 1:
        faults.add(FILE, "ranks", "each rank has a GPU of its own; remove gpus")
    for language in description.languages:
        if language is not Language.PYTHON:
            fault = f"{language.label} programs cannot have ranks"
            faults.add(FILE, "languages", f'{fault}; write languages = ["python"]')
    if description.under_test is not None:
        faults.add(FILE, "test", "a problem that asks for tests cannot have ranks; remove test or ranks")
    for index, case in enumerate(description.cases):
        if case.group is Group.TIMED:
            fault = "a problem with ranks is not timed; use another group or remove the case"
            faults.add(FILE, f"cases[{index}].group", fault)
    _check_call(description.python, faults)
    _check_arrays(description, faults)


def _check_call(call: PythonCallSpec | None, faults: Faults) -> None:
    if call is None:
        return
    if call.entry is not PythonEntry.SOLVE:
        faults.add(FILE, "python.entry", f"each rank calls solve, not {call.entry}")
    if call.returns:
        faults.add(FILE, "python.returns", "a rank writes its outputs in place; remove returns")
    if call.modules:
        faults.add(FILE, "python.modules", "ranks get arrays and scalars only; remove modules")


def _check_arrays(description: Description, faults: Faults) -> None:
    ranks = description.ranks
    for index, argument in enumerate(description.arguments):
        if argument.role is Role.SCALAR:
            continue
        key = f"arguments[{index}]"
        if argument.memory.on_host:
            faults.add(FILE, f"{key}.memory", "a rank gets its arrays in memory of its GPU; remove memory")
        try:
            first = argument.shape[0].evaluate({}) if argument.shape else None
        except FormulaError:  # it has names
            first = None
        if first != ranks:
            fault = f'the first dimension must be the number of ranks; write shape = ["{ranks}", …]'
            faults.add(FILE, f"{key}.shape", fault)
