"""Verdicts of public solutions: `python -m benchmarks.public_solutions PACKAGES FOLDER… [--report FILE]`.

PACKAGES holds problems that `manage.py importproblems … --into PACKAGES` wrote. Each FOLDER is a checkout of
a repository with solutions of the same set, in CUDA, Triton and PyTorch. The benchmark finds the problem of
each file by the words of its path and the parameters of its `solve`. It judges the file as a submission; on
the CPU, without timed cases. It prints a line for each file, and the number of files by language and verdict.

A Triton file that is rejected because PyTorch computes is judged once more as a Python program, which may use
both. Its language is then `triton, as python`.

`--patience FACTOR` multiplies the time limits of cases. Use it on a busy host, where the load would let
programs fail.

Files without a `solve`, and files whose problem is not certain, are not judged. `--report FILE` writes each
outcome as a line of JSON to FILE. Files with a line in FILE are not judged; delete the line to judge such a
file again.
"""

import argparse
import ast
import json
import re
import statistics
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from benchmarks.judging import Judged, Program, add_options, judge, opened, print_table
from judge.compiler.source import ProgramText
from judge.target import Target
from problems.loader import load_problem
from problems.schema import Problem
from problems.vocabulary import Language, Verdict

SUFFIXES = {".cu": Language.CUDA, ".py": Language.PYTHON}
MOST_BYTES = 256 * 1024
MOST_FINDINGS = 4
FAILED = "judge_failed"
CERTAIN = 0.5  # least score of a match
SAME_PARAMETERS = 0.4  # added to the score if the parameters are the same
# Abbreviations that authors of solutions use for words of titles.
WORDS: Mapping[str, str] = {
    "add": "addition",
    "arr": "array",
    "attn": "attention",
    "bfs": "bfs shortest path",
    "bmm": "batched matrix multiplication",
    "bn": "batch normalization",
    "batchnorm": "batch normalization",
    "ce": "cross entropy",
    "cat": "categorical",
    "clip": "value clipping",
    "clamp": "value clipping",
    "conv": "convolution",
    "conv1d": "1d convolution",
    "conv2d": "2d convolution",
    "conv3d": "3d convolution",
    "dequant": "dequantization",
    "fft": "fast fourier transform",
    "fft2d": "2d fft",
    "gelu": "gaussian error gated linear unit",
    "geglu": "gaussian error gated linear unit",
    "gqa": "grouped query attention",
    "histograming": "histogramming",
    "histogram": "histogramming",
    "int": "integration",
    "kvcache": "kv cache",
    "matmul": "matrix multiplication",
    "mat": "matrix",
    "matrx": "matrix",
    "mha": "multi head attention",
    "mse": "mean squared error",
    "mul": "multiplication",
    "mult": "multi",
    "norm": "normalization",
    "ols": "ordinary least squares regression",
    "pool": "pooling",
    "prodict": "product",
    "quant": "quantized",
    "regularization": "regression",
    "rgp": "rgb",
    "rmsnorm": "rms normalization",
    "rope": "rotary positional embedding",
    "sgemm": "gemm",
    "sigmod": "sigmoid",
    "silu": "sigmoid linear unit",
    "sort": "sorting",
    "sparsematrix": "sparse matrix",
    "swiglu": "swish gated linear unit",
    "topk": "top k",
    "topkselection": "top k selection",
    "vec": "vector",
    "vecadd": "vector addition",
    "activation": "",
    "operation": "",
    "cub": "",
    "easy": "",
    "hard": "",
    "leetgpu": "",
    "medium": "",
    "naive": "",
    "optimized": "",
    "ptx": "",
    "thrust": "",
    "self": "",
}
# Standalone programs, and libraries that Warpcourt does not judge.
OTHER = re.compile(
    r"^(?:int|void)\s+main\s*\(|^\s*(?:import|from)\s+(?:cutlass|jax|numba|tinygrad)\b", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Solution:
    """A file with a `solve`, and the problem that it solves; None if that is not certain."""

    path: str
    program: Program
    problem: Problem | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of judging one file. `failed` names the cases that were not accepted."""

    path: str
    slug: str
    language: str
    verdict: str
    message: str
    failed: tuple[str, ...]
    wall_s: float
    findings: tuple[str, ...] = ()


def main() -> int:
    """Judge and print. The exit status says whether the judge failed on a file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("packages", type=Path, help="folder of imported problems")
    parser.add_argument("folders", type=Path, nargs="+", help="checkouts with solutions")
    parser.add_argument("--jobs", type=int, default=1, help="judge so many files at a time")
    parser.add_argument(
        "--only", default="", help="judge only files whose path or problem contains this text"
    )
    parser.add_argument("--patience", type=float, default=1.0, help="multiply time limits by this factor")
    parser.add_argument("--report", type=Path, help="write outcomes to this file, and continue from it")
    add_options(parser, target="cpu")
    options = parser.parse_args()
    loaded = [load_problem(path.parent) for path in sorted(options.packages.glob("*/problem.toml"))]
    problems = [patient(problem, options.patience) for problem in loaded]
    found = [solution for folder in options.folders for solution in solutions_in(folder, problems)]
    outcomes = outcomes_in(options.report)
    done = {outcome.path for outcome in outcomes}
    chosen = [
        solution
        for solution in found
        if solution.problem is not None
        and solution.path not in done
        and options.only in f"{solution.path} {solution.problem.slug}"
    ]
    print(f"{len(found)} files with solve, {sum(s.problem is None for s in found)} without a certain problem")
    with opened(options) as target, ThreadPoolExecutor(options.jobs) as pool:
        for future in as_completed(pool.submit(judged, target, solution) for solution in chosen):
            outcomes.append(outcome := future.result())
            cells = (outcome.verdict, outcome.slug, outcome.language, outcome.path, outcome.message)
            print(*cells, *(f"[{name}]" for name in outcome.failed), sep="  ", flush=True)
            if options.report:
                with options.report.open("a") as report:
                    report.write(json.dumps(asdict(outcome)) + "\n")
    print_summary(outcomes)
    return 1 if any(outcome.verdict == FAILED for outcome in outcomes) else 0


def patient(problem: Problem, factor: float) -> Problem:
    """`problem` with its time limits for cases multiplied by `factor`."""
    return replace(problem, limits=replace(problem.limits, case_s=problem.limits.case_s * factor))


def outcomes_in(report: Path | None) -> list[Outcome]:
    """Return the outcomes in a report, or none if there is no report yet."""
    if report is None or not report.exists():
        return []
    entries = [json.loads(line) for line in report.read_text().splitlines()]
    lists = ("failed", "findings")
    return [Outcome(**entry | {name: tuple(entry.get(name, ())) for name in lists}) for entry in entries]


def solutions_in(folder: Path, problems: Sequence[Problem]) -> Iterator[Solution]:
    """The files with a `solve` below `folder`, in order."""
    for path in sorted(folder.rglob("*")):
        if path.suffix not in SUFFIXES or path.is_symlink() or path.stat().st_size > MOST_BYTES:
            continue
        source = path.read_text(errors="replace")
        if OTHER.search(source):
            continue
        language = language_of(path.suffix, source)
        parameters = parameters_of(source, language)
        if parameters:
            name = str(path.relative_to(folder))
            program = Program(name, language, source)
            yield Solution(f"{folder.name}/{name}", program, problem_of(name, parameters, language, problems))


def language_of(suffix: str, source: str) -> Language:
    """Return the language of a file. A Python file without a Triton kernel is PyTorch."""
    language = SUFFIXES[suffix]
    return Language.TRITON if language is Language.PYTHON and "@triton.jit" in source else language


def parameters_of(source: str, language: Language) -> tuple[str, ...]:
    """The names of the parameters of `solve` in lower case; none if there is no such function."""
    if language is Language.CUDA:
        written = ProgramText.read(source).parameters_of("solve")
        return tuple(re.findall(r"\w+", text)[-1].lower() for text in written if re.search(r"\w", text))
    try:
        with warnings.catch_warnings(action="ignore"):
            body = ast.parse(source).body
    except (SyntaxError, ValueError):
        return ()
    functions = [node for node in body if isinstance(node, ast.FunctionDef) and node.name == "solve"]
    return tuple(entry.arg.lower() for entry in functions[-1].args.args) if functions else ()


def problem_of(
    path: str, parameters: Sequence[str], language: Language, problems: Sequence[Problem]
) -> Problem | None:
    """Return the problem that best matches the words of `path` and the parameters.

    Return None if no problem matches, or two match equally well.
    """
    scores = [(score(path, parameters, language, problem), problem) for problem in problems]
    best = max(value for value, _ in scores)
    named = [problem for value, problem in scores if value == best]
    return named[0] if best >= CERTAIN and len(named) == 1 else None


def score(path: str, parameters: Sequence[str], language: Language, problem: Problem) -> float:
    """Return how well a file matches a problem, from 0 to 1.4."""
    parts = Path(path).with_suffix("").parts
    names = [parts[-1], *parts[-2:-1]]
    titles = [words_of(problem.title), words_of(problem.slug)]
    closeness = max(overlap(words_of(name), title) for name in names for title in titles)
    own = parameters_of(problem.starters.get(language, ""), language)
    if len(own) != len(parameters):
        return closeness / 2
    same = sum(a == b for a, b in zip(own, parameters, strict=True)) / len(own)
    return closeness + SAME_PARAMETERS * same if closeness else 0.0


def words_of(text: str) -> frozenset[str]:
    """Return the words of a name, unabbreviated and in lower case."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z][a-z])", " ", text)
    found = re.findall(r"[a-z0-9]+", apart.lower())
    return frozenset(word for short in found for word in WORDS.get(short, short).split())


def overlap(a: frozenset[str], b: frozenset[str]) -> float:
    """Return the number of common words, divided by the number of words in either set."""
    return len(a & b) / len(a | b) if a | b else 0.0


def judged(target: Target, solution: Solution) -> Outcome:
    """Judge one file."""
    problem, program = solution.problem, solution.program
    assert problem is not None
    found = judge(target, problem, program)
    refused = found.report is not None and found.report.verdict is Verdict.REJECTED
    if refused and program.language is Language.TRITON and Language.PYTHON in problem.languages:
        found = judge(target, problem, replace(program, language=Language.PYTHON))
    return outcome_of(solution, problem, found)


def outcome_of(solution: Solution, problem: Problem, found: Judged) -> Outcome:
    """Return the part of a judgement that is printed."""
    report = found.report
    written, judged_as = solution.program.language, found.program.language
    return Outcome(
        path=solution.path,
        slug=problem.slug,
        language=written.value if written is judged_as else f"{written}, as {judged_as}",
        verdict=report.verdict.value if report else FAILED,
        message=" ".join(report.message.split())[:200] if report else "",
        failed=tuple(case.name for case in report.cases if case.verdict is not Verdict.ACCEPTED)
        if report
        else (),
        wall_s=round(found.wall_s, 2),
        findings=tuple(finding.message[:300] for finding in report.diagnostics[:MOST_FINDINGS])
        if report
        else (),
    )


def print_summary(outcomes: Sequence[Outcome]) -> None:
    """Print the number of files by language and verdict, and the median time."""
    counts = Counter((outcome.language, outcome.verdict) for outcome in outcomes)
    verdicts = sorted(
        {verdict for _, verdict in counts}, key=lambda verdict: (verdict != "accepted", verdict)
    )
    languages = sorted({language for language, _ in counts})
    rows = [(language, *(str(counts[language, verdict]) for verdict in verdicts)) for language in languages]
    totals = [str(sum(counts[language, verdict] for language in languages)) for verdict in verdicts]
    print_table([("language", *verdicts), *rows, ("all", *totals)])
    if outcomes:
        print(f"median {statistics.median(outcome.wall_s for outcome in outcomes):.1f} s a file")


if __name__ == "__main__":
    raise SystemExit(main())
