"""A place to prove on whose owner may give up."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from threading import Event

from judge.contents import Draws
from judge.errors import JudgementCancelled
from judge.evaluate import evaluate
from judge.prove import TargetBench
from judge.report import Report
from problems.schema import Problem
from problems.vocabulary import Language, Mode


@dataclass(frozen=True, slots=True)
class CancellableBench(TargetBench):
    """The bench that a target offers, until `cancelled` is set: then JudgementCancelled is raised."""

    cancelled: Event

    def oracle(self, problem: Problem) -> AbstractContextManager[Draws]:
        """Load the problem's reference in the target's oracle sandbox."""
        self._require()
        return self.target.start_oracle(problem, self.cancelled.is_set)

    def judge(self, problem: Problem, source: str, language: Language) -> Report:
        """Judge a program as a submission is judged."""
        self._require()
        report = evaluate(
            problem,
            source,
            language=language,
            mode=Mode.SUBMIT,
            target=self.target,
            cancelled=self.cancelled,
        )
        self._require()
        return report

    def _require(self) -> None:
        if self.cancelled.is_set():
            raise JudgementCancelled
