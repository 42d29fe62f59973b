"""The doctor's first finding is right for the corpus of faulty programs, by its kind and its line.

A usual run asks about one program of each group, always the same. With PROVE=all it asks about all, which
takes minutes; then a tenth of a group may be missed. `benchmarks.doctor_accuracy` prints the table.
"""

import os
from itertools import groupby

import pytest

from judge.target import Target
from tests.doctor.corpus import Faulty, load
from tests.doctor.examine import ask
from tests.receipts import LIMIT_S, PROVE

pytestmark = [pytest.mark.integration, pytest.mark.timeout(LIMIT_S)]
_MISSED = 0.1


def groups() -> list[list[Faulty]]:
    """The programs of each group to ask about: all, or by turns a written one and a mutated one."""
    of_groups = [list(group) for _, group in groupby(load(), key=lambda faulty: faulty.group)]
    if os.environ.get(PROVE) == "all":
        return of_groups
    return [
        [next(faulty for faulty in group if faulty.mutated is bool(place % 2))]
        for place, group in enumerate(of_groups)
    ]


@pytest.mark.parametrize("programs", groups(), ids=lambda programs: programs[0].group)
def test_the_first_finding_is_right(cpu_target: Target, programs: list[Faulty]) -> None:
    missed = [answer for answer in (ask(cpu_target, faulty) for faulty in programs) if not answer.right]
    assert len(missed) <= _MISSED * len(programs), [(answer.faulty.name, answer.first) for answer in missed]
