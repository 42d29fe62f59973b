"""A proof's environment whose owner can cancel the proof."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from threading import Event

from judge.errors import JudgementCancelled
from judge.evaluate import evaluate
from judge.proof.batches.trials import MOST_PROGRAMS, ProgramBatches, Trial
from judge.proof.determinism import CaseDataSource
from judge.proof.prove import OnProgress, TargetEnvironment
from judge.report import ProgressEvent, Report
from problems.schema import Problem
from problems.vocabulary import Language, Mode, Step


@dataclass(frozen=True, slots=True)
class CancellableEnvironment(TargetEnvironment):
    """The environment of a target; raises JudgementCancelled after `cancelled` is set.

    `on_progress` is also called between batches, while no sandbox is in use.
    """

    cancelled: Event
    on_progress: OnProgress = lambda _: None

    def oracle(self, problem: Problem) -> AbstractContextManager[CaseDataSource]:
        """Load the problem's reference in the target's oracle sandbox."""
        self._require()
        return self.target.start_oracle(problem, self.cancelled.is_set)

    def judge(self, problem: Problem, source: str, language: Language) -> Report:
        """Judge a program in the same way as a submission."""
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

    def try_all(
        self, problem: Problem, sources: Sequence[str], language: Language, *, controls: Sequence[str]
    ) -> list[Trial]:
        """Try programs in batches on the target, one batch after the other."""
        trials: list[Trial] = []
        for start in range(0, len(sources), MOST_PROGRAMS):
            self._require()
            some = sources[start : start + MOST_PROGRAMS]
            text = f"{language.value}: {start + 1} to {start + len(some)} of {len(sources)} programs"
            self.on_progress(ProgressEvent(Step.CHECKING, text))
            trials += ProgramBatches(problem, language, controls, self.target, self.judge).try_all(some)
        return trials

    def _require(self) -> None:
        if self.cancelled.is_set():
            raise JudgementCancelled
