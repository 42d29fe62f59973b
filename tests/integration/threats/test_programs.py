"""Programs that try to get a verdict they did not earn, judged through the real sandbox."""

from dataclasses import replace

import pytest

from judge.evaluate import evaluate
from judge.report import Report
from judge.target import Target
from problems.loader import load_problem, problems_root
from problems.vocabulary import Mode, Verdict
from tests.integration.threats.attacks import ATTACKS, SOLVE, Attack, cuda, triton

pytestmark = pytest.mark.integration

_MEMORY_MIB = 512  # so that a bomb reaches it long before its time is up, also where memory comes slowly


def judge(target: Target, attack: Attack, mode: Mode = Mode.SUBMIT) -> Report:
    problem = load_problem(problems_root() / "vector-add")
    problem = replace(problem, limits=replace(problem.limits, memory_mib=_MEMORY_MIB))
    return evaluate(problem, attack.source, language=attack.language, mode=mode, target=target)


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_no_attack_earns_more_than_its_verdict(cpu_target: Target, attack: Attack) -> None:
    report = judge(cpu_target, attack)
    assert report.verdict is attack.verdict, (report.message, report.log, report.diagnostics)
    assert not report.ranked


HONEST = cuda("honest", "", Verdict.ACCEPTED, SOLVE + " { add<<<(n + 255) / 256, 256>>>(a, b, c, n); }")


def test_the_honest_program_next_to_them_is_accepted(cpu_target: Target) -> None:
    assert judge(cpu_target, HONEST).verdict is Verdict.ACCEPTED


def test_a_runner_sees_no_secret(cpu_target: Target) -> None:
    """Its environment, descriptors and files name neither seeds, nor expectations, nor the host."""
    spy = triton(
        "spy",
        "",
        Verdict.WRONG_ANSWER,
        """
def solve(a, b, c, n):
    print(dict(os.environ))
    for number in sorted(os.listdir("/proc/self/fd"), key=int):
        try:
            print(number, os.readlink(f"/proc/self/fd/{number}"))
        except OSError:
            pass
    for folder in ("/", "/work", "/tmp", "/root", "/home", "/var", "/run", "/etc"):
        try:
            print(folder, os.listdir(folder))
        except OSError as error:
            print(folder, type(error).__name__)
    print(open("/proc/self/status").read())
""",
    )
    seen = judge(cpu_target, spy, Mode.RUN).output
    assert "NoNewPrivs:\t1" in seen
    assert "Seccomp:\t2" in seen
    assert "CapEff:\t0000000000000000" in seen
    for secret in (
        "expected",
        "SECRET",
        "WARPCOURT",
        "PASSWORD",
        "DATABASE",
        ".sqlite",
        "reference.py",
        "solutions",
    ):
        assert secret not in seen, secret
