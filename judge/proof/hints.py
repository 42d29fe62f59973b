"""Checks that the hints of a problem do not reveal an accepted solution.

Theory of operation. Hints and solutions are compared as code without comments and white space. A hint is read
together with the hints before it, because a learner has opened these. Its whole text is compared, because
code may stand outside of code blocks. Lines of the starter and very short lines do not count.
"""

import re
from collections.abc import Iterator

from judge.proof.results import ProofFinding, error
from problems.hints import HINT_FILES
from problems.schema import Problem, Solution
from problems.vocabulary import Language, Verdict

MOST_SHOWN = 0.5  # of the characters of a solution
_SHORTEST_LINE = 8  # characters without white space: shorter ones are brackets and keywords
_FENCE = re.compile(r"^ {0,3}(?:`{3,}|~{3,}).*$", re.MULTILINE)
# Every opening matches, closed or not, so that the text is scanned only once.
_CUDA_COMMENT = re.compile(r"//[^\n]*|/\*(?:[^*]++|\*(?!/))*+(?:\*/)?+")
_PYTHON_COMMENT = re.compile(
    r"""
      \"\"\"(?:[^"]++|"(?!""))*+(?:\"\"\")?+    # docstrings
    | '''(?:[^']++|'(?!''))*+(?:''')?+
    | \#[^\n]*
    """,
    re.VERBOSE,
)


def check_hints(problem: Problem) -> Iterator[ProofFinding]:
    """Yield an error if the hints show most of an accepted solution, at the hint that completes it."""
    accepted = [solution for solution in problem.solutions if solution.verdict is Verdict.ACCEPTED]
    told = ""
    for path, text in zip(HINT_FILES, problem.hints, strict=False):
        told += "\n" + _FENCE.sub("", text)
        for solution in accepted:
            share = shown_share(problem, solution, told)
            if share > MOST_SHOWN:
                yield error(
                    path,
                    f"shows {share:.0%} of the accepted solution {solution.path.name}"
                    + (", together with the hints before it" if path != HINT_FILES[0] else ""),
                    "describe the steps in words, or show a few lines only",
                )
                return  # later hints contain the same code


def shown_share(problem: Problem, solution: Solution, text: str) -> float:
    """Return the share of the code of `solution`, from 0 to 1, that `text` shows line by line."""
    language = solution.language
    starter = {"".join(line.split()) for line in problem.starters.get(language, "").splitlines()}
    lines = ["".join(line.split()) for line in _code(_source_of(solution), language).splitlines()]
    own = [line for line in lines if len(line) >= _SHORTEST_LINE and line not in starter]
    shown = "".join(_code(text, language).split())
    total = sum(map(len, own))
    return sum(len(line) for line in own if line in shown) / total if total else 0.0


def _source_of(solution: Solution) -> str:
    return solution.path.read_text(encoding="utf-8")


def _code(text: str, language: Language) -> str:
    return (_CUDA_COMMENT if language is Language.CUDA else _PYTHON_COMMENT).sub(" ", text)
