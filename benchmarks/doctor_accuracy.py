"""Measures the accuracy of the doctor: `python -m benchmarks.doctor_accuracy [GROUP ...]`.

Judges the corpus of faulty programs (`tests/doctor`) in functional mode. The table shows, for each kind of
fault, in how many programs the first finding has the right kind and the right line. The misses are printed
above the table. With `--accepted`, the benchmark judges the accepted solutions of the repository instead and
prints the findings on them. Warnings, errors and leaks on these solutions are false. Other notes are counted
by kind: they say that a solution is slow, which is often intended. `--every N` judges every Nth solution
only.
"""

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence

from benchmarks.judging import add_options, opened, print_table
from judge.report import Diagnostic
from judge.target import Target
from problems.loader import load_problem, problems_root
from problems.schema import Solution
from problems.vocabulary import DiagnosticKind, Severity, Verdict
from tests.doctor.corpus import SLOW, Faulty, load
from tests.doctor.examine import Answer, ask, report_of
from web.submissions.diagnosis import ranked

LEAST_WRONG, LEAST_SLOW, MOST_FALSE = 0.95, 0.9, 0.01


def main() -> int:
    """Print the tables. The exit status says whether the doctor is accurate enough."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser, target="cpu")
    parser.set_defaults(backend="bubblewrap")
    parser.add_argument("groups", nargs="*", metavar="GROUP", help="kinds of faults; default: all")
    parser.add_argument("--accepted", action="store_true", help="judge the accepted solutions instead")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="with --accepted: each Nth one")
    options = parser.parse_args()
    with opened(options) as target:
        if options.accepted:
            return judge_accepted(target, options.every)
        chosen = [faulty for faulty in load() if not options.groups or faulty.group in options.groups]
        return judge_corpus(target, chosen)


def judge_corpus(target: Target, corpus: Sequence[Faulty]) -> int:
    """Judge all programs of `corpus`, print the table and the misses, and return the exit status."""
    answers = []
    for faulty in corpus:
        answers.append(ask(target, faulty))
        if not answers[-1].right:
            print(miss(answers[-1]), flush=True)
    print_table([("fault", "written", "mutated", "right", "share"), *rows(answers)])
    return 0 if accurate(answers) else 1


def judge_accepted(target: Target, every: int) -> int:
    """Judge each `every`-th accepted solution, print the findings, and return the exit status."""
    chosen = list(accepted_solutions())[::every]
    false, notes, verdicts = 0, Counter[str](), Counter[str]()
    for problem, solution in chosen:
        source = solution.path.read_text(encoding="utf-8")
        report = report_of(target, problem, solution.language, source)
        verdicts[report.verdict.value] += 1
        if report.verdict is not Verdict.ACCEPTED:  # programs exceed time limits on a busy host
            print(f"{problem}/{solution.path.name}: {report.verdict}: {report.message}", flush=True)
            continue
        found = ranked(report)
        notes.update({entry.kind for entry in found if entry.severity is Severity.NOTE})
        for entry in found:
            if is_false(entry):
                at = f"{problem}/{solution.path.name}, line {entry.line}"
                print(f"{at}: {entry.kind}: {entry.message[:160]}", flush=True)
        false += any(map(is_false, found))
    print_table([("verdict", "solutions"), *((kind, str(count)) for kind, count in verdicts.most_common())])
    print_table([("notes", "solutions"), *((kind, str(count)) for kind, count in notes.most_common())])
    accepted = verdicts[Verdict.ACCEPTED]
    share = 100 * false / max(1, accepted)
    print(f"{false} of {accepted} accepted solutions have a false finding: {share:.1f} %")
    return 0 if false <= MOST_FALSE * accepted else 1


def is_false(found: Diagnostic) -> bool:
    """Whether a finding on an accepted solution is false.

    A finding is not false if it only says that the solution is slow, or which grids its kernels launched.
    """
    return found.severity is not Severity.NOTE or found.kind not in {*SLOW, DiagnosticKind.DEVICE_LAUNCHES}


def accepted_solutions() -> Iterator[tuple[str, Solution]]:
    """The accepted solutions that functional mode judges, with the slugs of their problems."""
    for path in sorted(problems_root().glob("*/problem.toml")):
        problem = load_problem(path.parent)
        for solution in problem.solutions:
            if solution.verdict is Verdict.ACCEPTED:
                yield problem.slug, solution


def rows(answers: Sequence[Answer]) -> Iterator[tuple[str, ...]]:
    """The rows of the table: one for each group, and the sums of wrong and of slow programs."""
    groups = dict.fromkeys((answer.faulty.slow, answer.faulty.group) for answer in answers)
    for _, group in sorted(groups):
        yield _row(group.replace("_", " "), [answer for answer in answers if answer.faulty.group == group])
    for slow, name in ((False, "all wrong programs"), (True, "all slow programs")):
        if some := [answer for answer in answers if answer.faulty.slow is slow]:
            yield _row(name, some)


def accurate(answers: Sequence[Answer]) -> bool:
    """Return whether the shares of correct answers are high enough."""
    for slow, least in ((False, LEAST_WRONG), (True, LEAST_SLOW)):
        some = [answer for answer in answers if answer.faulty.slow is slow]
        if sum(answer.right for answer in some) < least * len(some):
            return False
    return True


def _row(name: str, answers: Sequence[Answer]) -> tuple[str, ...]:
    mutated = sum(answer.faulty.mutated for answer in answers)
    right = sum(answer.right for answer in answers)
    return name, str(len(answers) - mutated), str(mutated), str(right), f"{100 * right / len(answers):.0f} %"


def miss(answer: Answer) -> str:
    """One line about a wrong answer."""
    faulty, first = answer.faulty, answer.first
    wanted = f"{faulty.kind} at line {' or '.join(map(str, sorted(faulty.lines))) or 'none'}"
    got = f"{first.kind} at line {first.line}: {first.message[:160]}" if first else "no finding"
    return f"{faulty.name}: expected {wanted}; {answer.verdict}, {got}"


if __name__ == "__main__":
    raise SystemExit(main())
