"""Submissions of `benchmarks.chaos`: shipped solutions that get the same verdict from both judges.

The scripted judge reads the verdict from the last line; the real judge runs the program. There are few
programs, so that most of them are in the cache of compiled programs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from problems.loader import load_problem, problems_root
from problems.vocabulary import Language, Mode, Verdict

PROBLEMS = ("vector-add", "softmax", "histogram")
# About a quarter of a second in total.
_WORK = "cases=4 pace=0.05"
_VERDICTS = (Verdict.ACCEPTED, Verdict.WRONG_ANSWER, Verdict.ILLEGAL_ACCESS, Verdict.COMPILE_ERROR)
_SCORES = (12.5, 20.0, 31.5, 64.0)
_EACH = 2  # most solutions of a problem with the same verdict


@dataclass(frozen=True, slots=True)
class Program:
    """A program for a problem, and its verdict in `mode`."""

    problem: str
    source: str
    mode: Mode
    verdict: Verdict


def programs(rng: Random) -> Sequence[Program]:
    """Return the programs to choose from.

    Runs use correct programs only, because few cases refute a wrong one.
    """
    found: list[Program] = []
    for slug in PROBLEMS:
        solutions = [
            one for one in load_problem(problems_root() / slug).solutions if one.language is Language.CUDA
        ]
        for verdict in _VERDICTS:
            for solution in [one for one in solutions if one.verdict is verdict][:_EACH]:
                modes = (Mode.RUN, Mode.SUBMIT) if verdict is Verdict.ACCEPTED else (Mode.SUBMIT,)
                for mode in modes:
                    score = f" score={rng.choice(_SCORES)}" if verdict is Verdict.ACCEPTED else ""
                    source = f"{solution.path.read_text()}\n// {verdict}{score} {_WORK}\n"
                    found.append(Program(slug, source, mode, verdict))
    return found
