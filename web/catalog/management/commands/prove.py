"""`manage.py prove`: prove problems, or report their errors."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from judge.errors import JudgeError
from judge.proof.prove import prove
from judge.proof.results import Proof, ProofFinding, SectionState, to_json
from judge.proof.timed_sizes import DEFAULT_GPU, MODELS, find_gpu
from judge.report import ProgressEvent
from judge.target import Target
from problems.faults import PackageInvalid
from problems.loader import load_problem
from problems.schema import Problem
from sandbox.backend import IsolationUnavailable
from sandbox.toolchain import ToolchainMissing
from web.site.judging import open_configured
from web.site.printable import printable

EXIT_NOT_PROVED = 1
EXIT_USAGE = 2
EXIT_INTERNAL = 3


class Command(BaseCommand):
    help = (
        "Prove problems: every solution must get its verdict, trivial programs and mutants must fail, and "
        "tolerances must fit. "
        "Exit status: 0 all proved, 1 some not proved, 2 wrong usage, 3 the judge itself failed."
    )
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slugs", metavar="SLUG", nargs="+", help="slug of a problem, such as vector-add")
        parser.add_argument(
            "--gpu",
            default=DEFAULT_GPU,
            help=f"check timed cases for this GPU model: {', '.join(MODELS)}; default: {DEFAULT_GPU}",
        )
        parser.add_argument("--json", action="store_true", help="print the proofs as JSON")

    def handle(self, *_: Any, **options: Any) -> None:
        problems = [_load(slug) for slug in options["slugs"]]
        gpu = _model(options["gpu"])
        config = settings.WARPCOURT
        try:
            target = open_configured(config, warm={"oracle": 1, "triton": 1})
            try:
                proofs = [self._prove(p, target, gpu=gpu, quiet=options["json"]) for p in problems]
            finally:
                target.close()
        except (IsolationUnavailable, ToolchainMissing, JudgeError) as error:
            raise CommandError(str(error), returncode=EXIT_INTERNAL) from error
        if options["json"]:
            self.stdout.write(json.dumps([to_json(proof) for proof in proofs], indent=2))
        if not all(proof.holds for proof in proofs):
            sys.exit(EXIT_NOT_PROVED)

    def _prove(self, problem: Problem, target: Target, *, gpu: str, quiet: bool) -> Proof:
        if not quiet:
            self.stdout.write(f"{problem.slug}, version {problem.version[:12]}")
        proof = prove(problem, target, gpu=gpu, on_progress=_silent if quiet else self._show)
        if not quiet:
            self.stdout.write(printable(render(proof)))
        return proof

    def _show(self, progress: ProgressEvent) -> None:
        """Show the current step on one line of a terminal, and keep the lines of results."""
        live = self.stderr.isatty()
        count = f"{progress.index}/{progress.total}" if progress.index else ""
        line = f"  {count:>7} {printable(progress.text)}"
        if progress.kind == "checked":
            self.stderr.write(f"\r\033[K{line}" if live else line)
        elif live:
            self.stderr.write(f"\r\033[K{line} …", ending="")


def render(proof: Proof) -> str:
    """Return the proof as text for a terminal: the findings and the result."""
    held = sum(outcome.holds for outcome in proof.outcomes)
    seconds = sum(outcome.ms for outcome in proof.outcomes) / 1000
    lines = [_render_finding(finding) for finding in proof.findings]
    lines += _render_tolerances(proof)
    skipped = [section.check.heading for section in proof.sections if section.state is SectionState.SKIPPED]
    if skipped:
        lines.append(f"  skipped: {', '.join(skipped)}")
    lines.append(f"  {held} of {len(proof.outcomes)} programs got the expected verdict, in {seconds:.0f} s")
    if proof.mutation_score is not None:
        counted = [mutant for mutant in proof.mutants if mutant.counts]
        failing = sum(mutant.fails for mutant in counted)
        score = f"a mutation score of {proof.mutation_score:.2f}"
        lines.append(f"  {failing} of {len(counted)} mutants fail: {score}")
    lines.append(f"  {proof.slug} is {'proved' if proof.holds else 'NOT proved'}")
    return "\n".join(lines)


def _render_finding(finding: ProofFinding) -> str:
    lines = [f"  {finding.severity}: {finding.place}: {finding.text}", *finding.details, finding.fix]
    return "\n      ".join(lines)


def _render_tolerances(proof: Proof) -> Iterator[str]:
    """Yield the largest errors of correct and of less precise programs, in multiples of the tolerance."""
    for report in proof.tolerances:
        honest = [a.worst for a in report.attempts if a.honest and a.worst is not None]
        others = [a.worst for a in report.attempts if not a.honest and a.worst is not None]
        if honest and others:
            yield (
                f"  tolerance of {report.argument}: correct programs use up to {max(honest):.2g} of it, "
                f"programs of lower precision at least {min(others):.2g}"
            )


def _silent(_: ProgressEvent) -> None:
    pass


def _model(name: str) -> str:
    try:
        return find_gpu(name).name
    except ValueError as error:
        raise CommandError(str(error), returncode=EXIT_USAGE) from error


def _load(slug: str) -> Problem:
    root = settings.WARPCOURT.problems_dir
    folder = root / slug
    if Path(slug).name != slug or not folder.is_dir():
        known = ", ".join(sorted(path.parent.name for path in root.glob("*/problem.toml")))
        raise CommandError(f"Problem {slug!r} not found. Known problems: {known}", returncode=EXIT_USAGE)
    try:
        return load_problem(folder)
    except PackageInvalid as error:
        raise CommandError(printable(str(error)), returncode=EXIT_NOT_PROVED) from error
