"""Tests attacks by a learner's Python program and by an author's Python code, in the real sandboxes."""

from dataclasses import replace

import pytest

from judge.errors import OracleFailed
from judge.evaluate import evaluate
from judge.languages import languages_here
from judge.proof.prove import TargetEnvironment
from judge.target import Target
from problems.loader import load_problem, problems_root
from problems.schema import Problem
from problems.vocabulary import Language, Mode, OracleKind, Verdict
from tests.integration.threats.attacks import Attack
from tests.integration.threats.python_attacks import PYTHON_ATTACKS, python
from tests.python_call import in_python

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(Language.PYTHON not in languages_here(), reason="PyTorch was left out"),
]
HONEST = python("honest", "", Verdict.ACCEPTED, "def custom_kernel(data):\n    return data[0] + data[1]\n")
# What an author's code would look for on a host, and how it would get away with it.
NOSY = """

def _nosy():
    import os, socket, sys
    found = [name for name in os.environ if name.startswith(("WARPCOURT", "DJANGO", "DATABASE", "REDIS"))]
    for place in ("/home", "/root", "/srv"):
        names = os.listdir(place) if os.path.isdir(place) else []
        # Where Python itself is installed there, the way to it is.
        found += [f"{place}/{name}" for name in names if not sys.prefix.startswith(f"{place}/{name}/")]
    for place in ("/etc/shadow", "/etc/hostname", "/proc/1/environ", "/var/run/docker.sock", "/run/secrets"):
        try:
            with open(place, "rb") as stream:
                if stream.read(64) and not place.startswith("/proc/1"):
                    found.append(place)
        except OSError:
            pass
    for folder in (".", "..", "/", "/work", "/tmp", "/data", "/app", "/opt"):
        names = os.listdir(folder) if os.path.isdir(folder) else []
        found += [name for name in names if name in ("db.sqlite3", "problem.toml", "manage.py", "web")]
    for address in (("127.0.0.1", 80), ("169.254.169.254", 80)):
        try:
            socket.create_connection(address, 0.2)
            found.append(str(address))
        except OSError:
            pass
    found += [name for name in sys.modules if name.split(".")[0] in ("judge", "web", "worker", "django")]
    raise ValueError(f"saw {sorted(set(found))}")
"""


@pytest.fixture(scope="module")
def problem() -> Problem:
    return in_python(load_problem(problems_root() / "vector-add"))


@pytest.mark.parametrize("attack", [HONEST, *PYTHON_ATTACKS], ids=lambda attack: attack.name)
def test_no_program_in_python_earns_more_than_its_verdict(
    cpu_target: Target, problem: Problem, attack: Attack
) -> None:
    report = evaluate(problem, attack.source, language=Language.PYTHON, mode=Mode.SUBMIT, target=cpu_target)
    assert report.verdict is attack.verdict, (report.message, report.log, report.diagnostics)
    assert not report.ranked


@pytest.mark.parametrize("oracle", [OracleKind.ARRAYS, OracleKind.TORCH])
def test_an_authors_reference_sees_nothing_of_the_site(
    cpu_target: Target, problem: Problem, oracle: OracleKind
) -> None:
    nosy = replace(
        problem,
        oracle=oracle,
        reference=problem.reference + NOSY + "\n\ndef reference(xp, **arguments):\n    _nosy()\n",
    )
    case = next(case for case in problem.cases if case.public)
    with pytest.raises(OracleFailed) as failure, TargetEnvironment(cpu_target).oracle(nosy) as loaded:
        loaded.draw(case)
    assert "saw []" in str(failure.value)


def test_an_authors_checker_sees_nothing_of_the_site(cpu_target: Target, problem: Problem) -> None:
    source = NOSY + "\n\ndef check(xp, inputs, expected, got, size, tolerance):\n    _nosy()\n"
    nosy = replace(problem, checker=source)
    bench = TargetEnvironment(cpu_target)
    case = next(case for case in problem.cases if case.public)
    with bench.oracle(problem) as loaded:
        drawn = loaded.draw(case)
    answer = {name: values.astype("float32") for name, values in drawn.expected.items()}
    with pytest.raises(OracleFailed) as failure, bench.checker(nosy) as accepts:
        accepts(drawn, answer)
    assert "saw []" in str(failure.value)
