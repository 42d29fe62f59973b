"""`[test]`: problems in which submissions are tests, and the package has right and faulty programs for them.

Theory of operation. Each case has one program under test, `programs/<name of the case>.py`. The author's code
runs it: `checker.py` on the outputs of the submission, or `generate` to pass its results to the submission.
If the submission's outputs are wrong in this case, the tests reject the program. A faulty program that is
rejected is *killed*. `judge.kills` derives the verdict from that.

The oracle and the checker get the number of the program in the size `program`, which the loader adds to each
case. Programs are Python modules over the array module `xp`, and code of the author like the reference.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from problems.faults import FILE, Faults
from problems.schema import Case, UnderTest
from problems.table import TomlTable
from problems.vocabulary import Group, Language, ProgramKind

KEY = "test"
FOLDER = "programs"
SIZE = "program"
_SUFFIX = ".py"


def parse_under_test(top: TomlTable) -> UnderTest | None:
    """The table `[test]` of problem.toml, None without one."""
    if not top.has(KEY):
        return None
    table = top.table(KEY)
    faulty = table.texts("faulty")
    under_test = UnderTest(faulty, table.integer("least_killed", least=1, most=max(1, len(faulty))))
    table.close()
    return under_test


def with_programs(cases: Sequence[Case], under_test: UnderTest | None, faults: Faults) -> tuple[Case, ...]:
    """`cases`, each with the number and the kind of its program if there are programs under test."""
    if under_test is None:
        return tuple(cases)
    for index, case in enumerate(cases):
        if SIZE in case.sizes:
            key = f"cases[{index}].sizes.{SIZE}"
            faults.add(FILE, key, f"is the number of the program, which [{KEY}] adds; rename this size")
    return tuple(
        replace(
            case,
            sizes={**case.sizes, SIZE: number},
            program=ProgramKind.FAULTY if case.name in under_test.faulty else ProgramKind.RIGHT,
        )
        for number, case in enumerate(cases, start=1)
    )


def own_sizes(case: Case) -> dict[str, int]:
    """Return the author's sizes, without the number of the program under test."""
    return {name: value for name, value in case.sizes.items() if case.program is None or name != SIZE}


def check_under_test(
    under_test: UnderTest | None, cases: Sequence[Case], languages: Sequence[Language], faults: Faults
) -> None:
    """Check that cases, languages and faulty programs fit together."""
    if under_test is None:
        return
    names = [case.name for case in cases]
    for index, name in enumerate(under_test.faulty):
        if name not in names:
            faults.add(FILE, f"{KEY}.faulty[{index}]", f"{name!r} is not a case; add a case with this name")
        elif name in under_test.faulty[:index]:
            faults.add(FILE, f"{KEY}.faulty[{index}]", f"{name!r} is listed twice; keep one")
    hidden = [case for case in cases if not case.public]
    for kind in ProgramKind:
        if hidden and not any(case.program is kind for case in hidden):
            faults.add(FILE, f"{KEY}.faulty", f"no hidden case has a {kind.value} program; add one")
    _check_sizes(cases, faults)
    if tuple(languages) != (Language.PYTHON,):
        faults.add(FILE, "languages", f'must be ["python"] in a problem with [{KEY}]')
    for index, case in enumerate(cases):
        if case.group is Group.TIMED:
            faults.add(FILE, f"cases[{index}].group", "tests are not timed; use small")


def _check_sizes(cases: Sequence[Case], faults: Faults) -> None:
    """Check that sizes are equal: submissions see them, and reports reveal which programs are faulty."""
    hidden = [case for case in cases if not case.public]
    for index, case in enumerate(cases):
        if not case.public and own_sizes(case) != own_sizes(hidden[0]):
            key, other = f"cases[{index}].sizes", hidden[0].name
            faults.add(FILE, key, f"differ from those of {other}; give all hidden cases the same sizes")


def check_programs(cases: Sequence[Case], sources: Mapping[str, str], faults: Faults) -> None:
    """Check that each case has its program, and that there are no others. `sources` is by file name."""
    wanted = {f"{case.name}{_SUFFIX}" for case in cases if case.program}
    for name in sorted(wanted - sources.keys()):
        faults.add(f"{FOLDER}/{name}", "", f"missing; write the program of the case {name[: -len(_SUFFIX)]}")
    for name in sorted(sources.keys() - wanted):
        faults.add(f"{FOLDER}/{name}", "", f"is the program of no case; add a case and [{KEY}], or delete it")


def programs_in_order(cases: Sequence[Case], sources: Mapping[str, str]) -> tuple[str, ...]:
    """The programs by their number, which is that of their case."""
    return tuple(sources.get(f"{case.name}{_SUFFIX}", "") for case in cases if case.program)
