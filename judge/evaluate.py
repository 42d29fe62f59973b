"""The one way from a source to a report."""

from collections.abc import Callable, Mapping
from threading import Event

from judge.report import Progress, Report
from judge.target import Target
from problems.schema import Problem
from problems.vocabulary import Language, Mode


def evaluate(
    problem: Problem,
    source: str,
    *,
    language: Language,
    mode: Mode,
    target: Target,
    sizes: Mapping[str, int] | None = None,
    on_progress: Callable[[Progress], None] = lambda _: None,
    cancelled: Event | None = None,
) -> Report:
    """Judge `source` against `problem` on `target`.

    `sizes` replaces the cases by one of the user's own, in `run` mode only. `on_progress` is called
    from this thread. When `cancelled` is set the sandboxes are killed and the verdict is `cancelled`.

    Raises:
        sandbox.backend.IsolationUnavailable: this host cannot isolate programs.
        judge.errors.JudgeError: the judge itself failed; the user is not to be charged.
    """
    raise NotImplementedError
