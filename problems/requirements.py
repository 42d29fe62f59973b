"""`[[requirements]]`: bounds on counters, so that a right program must use a certain technique.

Functional mode counts in CUDA programs, and the runner in Python programs. They count only in cases with at
most COUNTED_BYTES of inputs, in which functional mode also detects races. See docs/adr/0030-requirements.md
and docs/adr/0035-gradients-and-scores.md.
"""

import math
from collections.abc import Iterable, Sequence

from problems.faults import FILE, Faults
from problems.formula import FormulaError
from problems.schema import Argument, Case, Requirement
from problems.table import TomlTable, kind_of
from problems.vocabulary import Counter, Group, Language, Relation, Role, Verdict

KEY = "requirements"
COUNTED_BYTES = 256 * 1024  # of inputs; functional mode runs smaller cases more slowly and reports more
MAX_REQUIREMENTS = 8
MAX_COUNTED_CASES = 4
MAX_BOUND = 1e9
MAX_EXPLANATION = 300
_SHARES = {Counter.DIVERGENT_BRANCHES: "the branches", Counter.OCCUPANCY: "the resident warps"}


def parse_requirements(top: TomlTable) -> tuple[Requirement, ...]:
    """The tables `[[requirements]]` of problem.toml."""
    if not top.has(KEY):
        return ()
    tables = top.tables(KEY)
    if len(tables) > MAX_REQUIREMENTS:
        top.fault(KEY, f"there are {len(tables)}; at most {MAX_REQUIREMENTS} are allowed")
    return tuple(_requirement(table) for table in tables)


def _requirement(table: TomlTable) -> Requirement:
    counter = table.choice("counter", Counter)
    relation, bound = _bound(table)
    if counter in _SHARES and bound > 1:
        table.fault(relation.value, f"is a share of {_SHARES[counter]}, from 0 to 1")
    requirement = Requirement(
        counter=counter,
        relation=relation,
        bound=bound,
        explanation=table.text("explanation", most=MAX_EXPLANATION, example='"One sentence."'),
        cases=table.texts("cases") if table.has("cases") else (),
    )
    table.close()
    return requirement


def _bound(table: TomlTable) -> tuple[Relation, float]:
    given = [relation for relation in Relation if table.has(relation.value)]
    if len(given) != 1:
        words = ", ".join(relation.value for relation in Relation)
        table.fault("", f"needs exactly one of {words}; it has {len(given)}")
    for relation in given[:1]:
        value = table.raw(relation.value)
        if isinstance(value, bool) or not isinstance(value, int | float):
            table.fault(relation.value, f"must be a number, not {kind_of(value)}")
        elif not 0 <= value <= MAX_BOUND:  # also refuses NaN
            table.fault(relation.value, f"must be from 0 to {MAX_BOUND:g}")
        else:
            return relation, float(value)
    return Relation.AT_MOST, 0.0


def check_requirements(
    requirements: Sequence[Requirement],
    languages: Sequence[Language],
    verdicts: Iterable[Verdict],
    faults: Faults,
    *,
    backward: bool = False,
) -> None:
    """Check that each requirement applies to some programs, and that none is repeated.

    `backward` says whether calls of Python programs have a backward pass.
    """
    if not requirements:
        if Verdict.REQUIREMENT_MISSED in verdicts:
            faults.add(
                FILE, "solutions", "a solution misses a requirement, but there are no [[requirements]]"
            )
        return
    for index, requirement in enumerate(requirements):
        counter = requirement.counter
        if counter.language not in languages:
            language = counter.language
            fault = f"{counter} is counted in {language.label} alone; add {language} to languages"
            faults.add(FILE, f"{KEY}[{index}].counter", f"{fault}, or remove this")
        elif counter is Counter.SAVED_BYTES_RATIO and not backward:
            faults.add(FILE, f"{KEY}[{index}].counter", "needs a backward pass; add [python.backward]")
    seen: dict[tuple[Counter, Relation], int] = {}
    for index, requirement in enumerate(requirements):
        pair = requirement.counter, requirement.relation
        if (first := seen.setdefault(pair, index)) != index:
            faults.add(FILE, f"{KEY}[{index}]", f"bounds the same as {KEY}[{first}]; keep one")


def check_counted_cases(
    requirements: Sequence[Requirement], arguments: Sequence[Argument], cases: Sequence[Case], faults: Faults
) -> None:
    """Check that requirements name cases that functional mode counts. Call it for sound descriptions."""
    known = {case.name: case for case in cases}
    counted = {case.name for case in cases if is_counted(arguments, case)}
    most = f"{COUNTED_BYTES // 1024} KiB"
    if requirements and not counted:
        faults.add(FILE, KEY, f"no case has at most {most} of inputs, so none is counted; add a small one")
    for index, requirement in enumerate(requirements):
        for place, name in enumerate(requirement.cases):
            key = f"{KEY}[{index}].cases[{place}]"
            if name not in known:
                faults.add(FILE, key, f"{name!r} is not a case; the cases are {', '.join(known)}")
            elif name not in counted:
                faults.add(FILE, key, f"{name!r} is not counted; name a case with at most {most} of inputs")
    named = {name for requirement in requirements for name in requirement.cases}
    if len(named) > MAX_COUNTED_CASES:
        faults.add(FILE, KEY, f"they name {len(named)} cases; at most {MAX_COUNTED_CASES} are allowed")


def is_counted(arguments: Iterable[Argument], case: Case) -> bool:
    """Whether functional mode can count in `case`."""
    try:
        return case.group is not Group.TIMED and input_bytes(arguments, case) <= COUNTED_BYTES
    except FormulaError:
        return False  # a separate fault reports this


def input_bytes(arguments: Iterable[Argument], case: Case) -> int:
    """Return the bytes of the input arrays of `case`."""
    arrays = (argument for argument in arguments if argument.role in {Role.IN, Role.INOUT})
    return sum(
        math.prod(int(formula.number(case.sizes)) for formula in argument.shape) * argument.dtype.itemsize
        for argument in arrays
    )
