"""Tests programs that try to get an undeserved verdict, in the real sandbox."""

import json
from dataclasses import replace

import pytest

from judge.evaluate import evaluate
from judge.redaction import redact
from judge.report import Report
from judge.report_json import to_json
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


KEEPING = [attack for attack in ATTACKS if attack.name.startswith("cache-for-each-size")]


@pytest.mark.parametrize("attack", KEEPING, ids=lambda attack: attack.name)
def test_a_case_with_other_inputs_shows_that_a_program_keeps_outputs(
    cpu_target: Target, attack: Attack
) -> None:
    report = judge(cpu_target, attack)
    wrong = [case for case in report.cases if case.verdict is Verdict.WRONG_ANSWER]
    assert [case.name for case in wrong] == ["prime"]
    assert "with the same sizes and other inputs, was correct" in wrong[0].message
    assert "The program keeps something between calls" in wrong[0].message


def test_a_case_with_other_inputs_shows_that_streams_lack_an_order(cpu_target: Target) -> None:
    (attack,) = (attack for attack in ATTACKS if attack.name == "scratch-kept-without-an-event")
    report = judge(cpu_target, attack)
    wrong = [case for case in report.cases if case.verdict is Verdict.WRONG_ANSWER]
    assert [case.name for case in wrong] == ["prime"]
    assert "with the same sizes and other inputs, was correct. There is a stream hazard" in wrong[0].message


HONEST = cuda("honest", "", Verdict.ACCEPTED, SOLVE + " { add<<<(n + 255) / 256, 256>>>(a, b, c, n); }")


def test_the_honest_program_next_to_them_is_accepted(cpu_target: Target) -> None:
    assert judge(cpu_target, HONEST).verdict is Verdict.ACCEPTED


CARRIED = "31337"  # stands for inputs: programs put it where they may choose
CARRIERS = [
    cuda(
        "throws-what-it-read",
        "contents carried out",
        Verdict.RUNTIME_ERROR,
        """
#include <stdexcept>
extern "C" void solve(const float* a, const float* b, float* c, int n) {
  add<<<(n + 255) / 256, 256>>>(a, b, c, n);
  if (n != 4) throw std::runtime_error("a[0] is 31337");
}
""",
    ),
    cuda(
        "asserts-what-it-read",
        "contents carried out",
        Verdict.RUNTIME_ERROR,
        """
#include <cassert>
__global__ void tell(int n) { assert(n == 4 && "31337"); }
extern "C" void solve(const float* a, const float* b, float* c, int n) {
  add<<<(n + 255) / 256, 256>>>(a, b, c, n);
  tell<<<1, 1>>>(n);
}
""",
    ),
    cuda(
        "writes-where-it-read",
        "contents carried out",
        Verdict.ILLEGAL_ACCESS,
        """
__global__ void tell(float* c, int at) { c[at] = 1; }
extern "C" void solve(const float* a, const float* b, float* c, int n) {
  add<<<(n + 255) / 256, 256>>>(a, b, c, n);
  if (n != 4) tell<<<31337, 1>>>(c, n + 31337);
}
""",
    ),
    cuda(
        "prints-what-it-read",
        "contents carried out",
        Verdict.RUNTIME_ERROR,
        """
__global__ void tell(int n) { if (n != 4) printf("31337\\n"); }
extern "C" void solve(const float* a, const float* b, float* c, int n) {
  add<<<(n + 255) / 256, 256>>>(a, b, c, n);
  tell<<<1, 1>>>(n);
  fprintf(stderr, "31337\\n");
  if (n != 4) exit(137);
}
""",
    ),
    cuda(
        "forges-findings",
        "contents carried out",
        Verdict.RUNTIME_ERROR,
        """
extern "C" void solve(const float* a, const float* b, float* c, int n) {
  add<<<(n + 255) / 256, 256>>>(a, b, c, n);
  if (n == 4) return;
  const char said[] = "{\\"severity\\": \\"error\\", \\"kind\\": \\"31337\\", \\"message\\": \\"31337\\","
    "\\"kernel\\": \\"31337\\", \\"line\\": 31337, \\"block\\": [31337, 0, 0], \\"thread\\": [31337, 0, 0],"
    "\\"array\\": \\"31337\\"}\\n";
  for (int file = 3; file < 64; ++file) (void)!write(file, said, sizeof said - 1);
  exit(31);
}
""",
    ),
    triton(
        "raises-what-it-read",
        "contents carried out",
        Verdict.RUNTIME_ERROR,
        """
def solve(a, b, c, n):
    add[(triton.cdiv(n, 1024),)](a, b, c, n, BLOCK=1024)
    if n != 4:
        raise ValueError("a[0] is 31337")
""",
    ),
]


@pytest.mark.parametrize("attack", CARRIERS, ids=lambda attack: attack.name)
def test_what_a_program_read_in_a_hidden_case_is_not_shown(cpu_target: Target, attack: Attack) -> None:
    report = judge(cpu_target, attack)
    failed = report.cases[-1]
    assert not failed.public, (report.message, report.log)
    assert report.verdict in {attack.verdict, Verdict.REJECTED}, (report.message, report.log)
    shown = redact(report)
    assert CARRIED not in json.dumps(to_json(replace(shown, stages=())))
    assert len([entry for entry in shown.diagnostics if entry.hidden]) <= 1
    assert str(failed.sizes["n"]) not in shown.message


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
