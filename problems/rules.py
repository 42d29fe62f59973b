"""Rules across the parts of a package: names, shapes, cases, files, sections."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from problems.array_module import check_array_module
from problems.checker_rules import RulesInvalid, parse_rules
from problems.faults import FILE, Faults
from problems.fix import check_fix, check_given
from problems.formula import Formula, FormulaError
from problems.host_memory import check_host_memory
from problems.ignored_mutants import check_ignored
from problems.own_gpus import check_own_gpus
from problems.package import PackageFiles
from problems.parse import MAX_CASES, DeclaredSolution, Description
from problems.python_rules import check_python
from problems.rank_rules import check_ranks
from problems.requirements import check_counted_cases, check_requirements
from problems.schema import Argument, Case
from problems.score import check_score
from problems.under_test import check_programs, check_under_test
from problems.value_rules import broken_promise, range_of
from problems.vocabulary import BaselineKind, Group, Language, OracleKind, Role, Verdict

SECTIONS = ("## Example", "## Constraints", "## What bounds it")
REQUIRED_HIDDEN = (Group.ODD, Group.LARGE)
MAX_BYTES = 256 * 2**20
MAX_WIRE_ARGUMENTS = 32  # as in the wire format: arguments, sizes and expected outputs together


def check_description(description: Description, faults: Faults) -> None:
    """Check problem.toml as a whole."""
    arguments, cases = description.arguments, description.cases
    _unique("arguments", "name", [argument.name for argument in arguments], faults)
    _unique("cases", "name", [case.name for case in cases], faults)
    _unique("solutions", "file", [solution.file for solution in description.solutions], faults)
    _check_groups(cases, faults)
    check_under_test(description.under_test, cases, description.languages, faults)
    _check_baselines(description.solutions, faults)
    _check_tiers(description, faults)
    accepted = {s.file for s in description.solutions if s.verdict is Verdict.ACCEPTED}
    check_ignored(description.mutants_ignored, accepted, faults)
    if description.fix is not None:
        by_file = {solution.file: solution.verdict for solution in description.solutions}
        check_fix(description.fix, by_file, description.languages, faults)
    verdicts = [solution.verdict for solution in description.solutions]
    backward = description.python is not None and description.python.backward is not None
    check_requirements(description.requirements, description.languages, verdicts, faults, backward=backward)
    if not description.sound:
        return  # placeholders would only cause misleading faults
    check_python(description.python, description.languages, arguments, faults)
    check_host_memory(arguments, description.languages, cases, faults)
    check_own_gpus(description, faults)
    check_ranks(description, faults)
    if not any(argument.role in {Role.OUT, Role.INOUT} for argument in arguments):
        faults.add(FILE, "arguments", "no argument is an output; give one the role out or inout")
    sizes = tuple(cases[0].sizes)
    _check_total(description, faults, more=description.score is not None)  # an array of the request too
    if _same_sizes(cases, sizes, faults) and _known_names(description, sizes, faults):
        _check_size_limits(description.limits.sizes, cases, faults)
        for index, case in enumerate(cases):
            _check_case(description, case, f"cases[{index}]", faults)
        check_counted_cases(description.requirements, arguments, cases, faults)
        check_score(description.score, cases, faults)


def check_files(description: Description, files: PackageFiles, faults: Faults) -> None:
    """Check that the files fit problem.toml."""
    _check_solutions(description, files, faults)
    check_programs(description.cases, files.programs, faults)
    if description.oracle is OracleKind.ARRAYS:
        check_array_module("reference.py", files.reference, faults)
        check_array_module("checker.py", files.checker or "", faults)
    if description.score is not None and files.checker is None:
        faults.add(
            FILE, "score", "there is no checker.py, which gives the score; write one or remove this table"
        )
    try:
        rules = parse_rules(files.checker or "")
    except RulesInvalid as error:
        faults.add("checker.py", "", str(error))
    else:
        if rules and description.sound and description.score is None:  # one more array of the request
            _check_total(description, faults, more=1)
    if description.fix is not None:
        check_given(description.fix, files.solutions, files.starters, faults)
    lines = [line.strip() for line in files.statement.splitlines()]
    for section in SECTIONS:
        if files.statement and section not in lines:
            faults.add("statement.md", "", f"has no section {section!r}; add it")
    if lines and lines[0] in SECTIONS:
        faults.add("statement.md", "", "must start with the task, before the first section")


def _check_total(description: Description, faults: Faults, *, more: int) -> None:
    """Check the number of arguments of a request to the checker, of which `more` are for its answer."""
    outputs = sum(argument.role in {Role.OUT, Role.INOUT} for argument in description.arguments)
    total = len(description.arguments) + len(description.cases[0].sizes) + outputs + more
    if total > MAX_WIRE_ARGUMENTS:
        faults.add(
            FILE,
            "arguments",
            f"the problem has {total} arguments, sizes and outputs; at most {MAX_WIRE_ARGUMENTS} are allowed",
        )


def _check_solutions(description: Description, files: PackageFiles, faults: Faults) -> None:
    most = description.limits.source_kib * 1024
    declared = [solution.file for solution in description.solutions]
    for index, name in enumerate(declared):
        key = f"solutions[{index}].file"
        if name and name not in files.solutions:
            faults.add(FILE, key, f"solutions/{name} is missing; write it or remove this entry")
        if name and Language.of_file(name) not in description.languages:
            faults.add(FILE, key, f"{name!r} is not in a language of this problem; see languages")
    for name, text in files.solutions.items():
        if name not in declared:
            faults.add(f"solutions/{name}", "", f"is not in {FILE}; add a [[solutions]] table for it")
        if len(text.encode()) > most:
            faults.add(f"solutions/{name}", "", f"is larger than limits.source_kib, {most} bytes")


def _unique(table: str, key: str, names: list[str], faults: Faults) -> None:
    for index, name in enumerate(names):
        if name and name in names[:index]:
            place = f"{table}[{index}].{key}"
            faults.add(FILE, place, f"{name!r} is already used by {table}[{names.index(name)}]; rename it")


def _check_baselines(solutions: tuple[DeclaredSolution, ...], faults: Faults) -> None:
    taken: dict[tuple[str, str], int] = {}
    for index, solution in enumerate(solutions):
        if solution.baseline is None:
            continue
        if {solution.verdict, *solution.gpu_verdicts} != {Verdict.ACCEPTED}:
            faults.add(
                FILE, f"solutions[{index}].baseline", "a baseline must be accepted everywhere; remove it"
            )
        # A label names one row of a leaderboard, and each language has its own leaderboard.
        first = taken.setdefault((solution.label, solution.file.partition(".")[2]), index)
        if first != index and solution.label:
            faults.add(
                FILE,
                f"solutions[{index}].label",
                f"{solution.label!r} is already used by solutions[{first}]; rename it",
            )


def _check_tiers(description: Description, faults: Faults) -> None:
    vendors = [s for s in description.solutions if s.baseline is BaselineKind.VENDOR]
    if description.tiers and not vendors:
        faults.add(FILE, "tiers", 'no solution has baseline = "vendor"; add one to compare with')


def _check_groups(cases: tuple[Case, ...], faults: Faults) -> None:
    groups = {case.group for case in cases}
    if len(cases) > MAX_CASES:
        faults.add(FILE, "cases", f"there are {len(cases)}; at most {MAX_CASES} are allowed")
    if not cases:
        return
    if Group.SAMPLE not in groups:
        faults.add(FILE, "cases", 'no sample case; add one with group = "sample" that users may see')
    tested = any(case.program for case in cases)
    for group in REQUIRED_HIDDEN:
        if group not in groups and not tested:
            faults.add(FILE, "cases", f"no hidden case of group {group}; add one")


def _same_sizes(cases: Iterable[Case], names: tuple[str, ...], faults: Faults) -> bool:
    before = faults.count
    for index, case in enumerate(cases):
        key = f"cases[{index}].sizes"
        for name in case.sizes:
            if name not in names:
                known = ", ".join(names)
                faults.add(FILE, key, f"unknown size {name!r}; cases[0] has {known}, use the same names")
        for name in names:
            if name not in case.sizes:
                faults.add(FILE, key, f"size {name!r} is missing; every case gives the same sizes")
    return faults.count == before


def _formulas(description: Description) -> Iterable[tuple[str, Formula]]:
    yield "formulas.bytes", description.bytes_moved
    yield "formulas.operations", description.operations
    for index, argument in enumerate(description.arguments):
        for dimension, formula in enumerate(argument.shape):
            yield f"arguments[{index}].shape[{dimension}]", formula
        if argument.value:
            yield f"arguments[{index}].value", argument.value
        if argument.values and argument.values.least:
            yield f"arguments[{index}].values.least", argument.values.least
        if argument.values and argument.values.most:
            yield f"arguments[{index}].values.most", argument.values.most


def _known_names(description: Description, sizes: tuple[str, ...], faults: Faults) -> bool:
    before = faults.count
    for key, formula in _formulas(description):
        for name in sorted(formula.names - set(sizes)):
            fault = f"unknown size {name!r} in {formula.text!r}"
            faults.add(FILE, key, f"{fault}; use a size that the cases give: {', '.join(sizes)}")
    return faults.count == before


def _check_size_limits(limits: Mapping[str, int], cases: Sequence[Case], faults: Faults) -> None:
    for name, most in limits.items():
        if name not in cases[0].sizes:
            known = ", ".join(cases[0].sizes)
            faults.add(FILE, f"limits.sizes.{name}", f"unknown size; use a size that the cases give: {known}")
        elif (greatest := max(case.sizes[name] for case in cases)) > most:
            faults.add(
                FILE, f"limits.sizes.{name}", f"a case has {greatest}; raise the limit, or change the case"
            )


def _check_case(description: Description, case: Case, place: str, faults: Faults) -> None:
    key = f"{place}.sizes"
    values: dict[str, Any] = {}  # scalars alone may be fractions
    for name, formula in _formulas(description):
        try:
            values[name] = formula.number(case.sizes)
        except FormulaError as error:
            faults.add(FILE, key, f"with these sizes {name} fails: {error}")
            return
    if values["formulas.bytes"] < 1 or values["formulas.operations"] < 0:
        faults.add(FILE, key, "with these sizes formulas.bytes is below 1 or formulas.operations below 0")
    total = 0
    for index, argument in enumerate(description.arguments):
        _check_range(argument, index, values, key, faults)
        if argument.role is Role.SCALAR:
            if argument.name in case.scalars:
                _check_literals(argument, (1,), case, place, faults)
            continue
        shape = tuple(values[f"arguments[{index}].shape[{i}]"] for i in range(len(argument.shape)))
        if min(shape) < 1:
            faults.add(FILE, key, f"make {argument.name} empty: its shape would be {shape}")
            return
        total += math.prod(shape) * argument.dtype.itemsize
        if argument.name in case.inputs:
            _check_literals(argument, shape, case, place, faults)
    if total > MAX_BYTES and case.group is not Group.TIMED:
        most = MAX_BYTES // 2**20
        faults.add(
            FILE, key, f"need {total / 2**20:.0f} MiB of arrays; at most {most} MiB outside timed cases"
        )
    _check_inputs(description, case, place, faults)


def _check_scalar(argument: Argument, value: float, key: str, faults: Faults) -> None:
    least, most = range_of(argument.dtype)
    if not least <= value <= most:
        faults.add(FILE, key, f"make the scalar {argument.name} {value}, beyond {argument.dtype}")


def _check_range(
    argument: Argument, index: int, values: Mapping[str, float], key: str, faults: Faults
) -> None:
    """Check that the bounds of an argument's values are in order, and what a scalar may be in its dtype."""
    least = values.get(f"arguments[{index}].values.least")
    most = values.get(f"arguments[{index}].values.most")
    if least is not None and most is not None and least > most:
        faults.add(FILE, key, f"make values.least of {argument.name} {least}, above values.most, {most}")
    if argument.role is Role.SCALAR:
        for number in (values.get(f"arguments[{index}].value"), least, most):
            if number is not None:
                _check_scalar(argument, number, key, faults)


def _check_inputs(description: Description, case: Case, place: str, faults: Faults) -> None:
    if not case.inputs and not case.scalars:
        return
    key = f"{place}.inputs"
    if case.group is not Group.SAMPLE:
        faults.add(FILE, key, "only sample cases have literal inputs; remove them")
    needed = [a.name for a in description.arguments if a.drawn or a.role in {Role.IN, Role.INOUT}]
    for name in (*case.inputs, *case.scalars):
        if name not in needed:
            faults.add(FILE, key, f"{name!r} is not an input; the inputs are {', '.join(needed)}")
    for name in needed:
        if name not in case.inputs and name not in case.scalars:
            faults.add(FILE, key, f"{name!r} is missing; give all inputs or none")


def _check_literals(
    argument: Argument, shape: tuple[int, ...], case: Case, place: str, faults: Faults
) -> None:
    key, before = f"{place}.inputs.{argument.name}", faults.count
    values = case.inputs.get(argument.name) or (case.scalars[argument.name],)
    if len(values) != math.prod(shape):
        faults.add(FILE, key, f"has {len(values)} numbers; the shape {shape} needs {math.prod(shape)}")
    least, most = range_of(argument.dtype)
    for index, value in enumerate(values):
        whole = argument.dtype.is_float or value == int(value)
        if argument.dtype.is_float and isinstance(value, int) and abs(value) > 2**53:
            faults.add(FILE, f"{key}[{index}]", "is beyond 2**53, so it is not exact; use a smaller number")
        elif not (whole and least <= value <= most):
            faults.add(FILE, f"{key}[{index}]", f"{value} is not a valid {argument.dtype}; change it")
    if faults.count == before and (broken := broken_promise(argument, shape[-1], case.sizes, values)):
        index, reason = broken
        faults.add(FILE, f"{key}[{index}]", f"{values[index]} {reason}; see values of the argument")
