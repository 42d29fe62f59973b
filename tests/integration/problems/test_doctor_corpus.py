"""Tests that the doctor's first finding has the right kind and line for the corpus of faulty programs.

A usual run tests one program of each group, always the same. PROVE=all tests all programs, which takes
minutes. Then the doctor may miss a tenth of a group. `benchmarks.doctor_accuracy` prints the table.
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
