"""Runs the doctor on a program, as `warpcourt doctor` and the site do."""

from dataclasses import dataclass

from judge.cases import with_small_public
from judge.evaluate import evaluate
from judge.report import Diagnostic, Report
from judge.target import Target
from problems.loader import load_problem, problems_root
from problems.vocabulary import Language, Mode
from tests.doctor.corpus import Faulty
from web.submissions.diagnosis import ranked

SEED = 1


@dataclass(frozen=True, slots=True)
class Answer:
    """The first finding of a program, None without any, and whether it is the right one."""

    faulty: Faulty
    verdict: str
    first: Diagnostic | None

    @property
    def right(self) -> bool:
        """Whether the first finding has the right kind and line."""
        return self.first is not None and self.faulty.fits(self.first.kind, self.first.line)


def report_of(target: Target, slug: str, language: Language, source: str) -> Report:
    """Return the report on `source` in all small cases of the problem, with the same inputs each time."""
    problem = with_small_public(load_problem(problems_root() / slug))
    return evaluate(problem, source, language=language, mode=Mode.RUN, target=target, seed=SEED)


def ask(target: Target, faulty: Faulty) -> Answer:
    """Return the answer of the doctor about `faulty`."""
    report = report_of(target, faulty.problem, faulty.language, faulty.source)
    found = ranked(report)
    return Answer(faulty, report.verdict.value, found[0] if found else None)
