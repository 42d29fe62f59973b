"""`manage.py judge`: judge a file on this host, without a site, a database or a broker."""

import json
import sys
from argparse import ArgumentTypeError
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from judge.cases import with_small_public
from judge.errors import JudgeError
from judge.evaluate import evaluate
from judge.evidence.diagnostics import findings, headline
from judge.report import CaseReport, Diagnostic, ProgressEvent, Report
from judge.report_json import to_json
from judge.sizes import MAX_SEED, CustomCaseInvalid, size_limits
from judge.values import read_values
from problems.faults import PackageInvalid
from problems.loader import load_problem
from problems.schema import Problem
from problems.vocabulary import Language, Mode, Verdict
from sandbox.backend import IsolationUnavailable
from sandbox.cpu.build import RuntimeBuildFailed
from sandbox.gpu.nvml import NvmlUnavailable, gpus
from sandbox.gpu.tool import Tool
from sandbox.toolchain import ToolchainMissing
from web.cli.diagnosis import diagnosis_lines
from web.site.judging import NOTHING_WARM, open_configured
from web.site.printable import printable
from web.submissions.checker_reports import without_expected_values
from web.submissions.diagnosis import diagnosis_json
from web.submissions.render_text import render_figures

EXIT_OTHER_VERDICT = 1
EXIT_USAGE = 2
EXIT_INTERNAL = 3


class Command(BaseCommand):
    help = (
        "Judge FILE against the problem SLUG. Exit status: 0 accepted, 1 any other verdict, "
        "2 wrong usage, 3 the judge itself failed."
    )
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", metavar="SLUG", help="slug of the problem, such as vector-add")
        parser.add_argument(
            "file",
            metavar="FILE",
            type=Path,
            help="the program: .cu, .py (Triton) or .torch.py (PyTorch)",
        )
        parser.add_argument(
            "--language",
            choices=[language.value for language in Language],
            help="default: from the suffix of FILE",
        )
        parser.add_argument(
            "--mode",
            choices=[mode.value for mode in Mode],
            help="default: submit; with --doctor or --profile: run",
        )
        parser.add_argument(
            "--size",
            action="append",
            type=_size,
            metavar="NAME=NUMBER",
            help="with --mode run: a custom size; repeatable",
        )
        parser.add_argument(
            "--values",
            type=Path,
            metavar="FILE.json",
            help="with --mode run: custom values, as a JSON object with a list for each argument",
        )
        parser.add_argument(
            "--seed",
            type=_seed,
            metavar="NUMBER",
            help="with --mode run: seed for reproducible inputs",
        )
        parser.add_argument(
            "--target",
            choices=["cpu", "gpu"],
            help="default: gpu with --backend docker on a host with a GPU, otherwise WARPCOURT_TARGET",
        )
        parser.add_argument(
            "--backend", choices=["bubblewrap", "docker"], help="default: WARPCOURT_ISOLATION"
        )
        parser.add_argument(
            "--sanitize",
            action="store_true",
            help="on a GPU: run a CUDA program under memcheck and racecheck, without ranking",
        )
        parser.add_argument(
            "--profile",
            action="store_true",
            help="on a GPU: profile a CUDA program with Nsight Compute, on the samples or the --size case",
        )
        parser.add_argument(
            "--doctor",
            action="store_true",
            help="run the sample and small cases, or --size, and explain the three most important findings",
        )
        parser.add_argument("--json", action="store_true", help="print the whole report as JSON")

    def handle(self, *_: Any, **options: Any) -> None:
        problem = _load(options["slug"])
        source, language = _read(options["file"], options["language"], problem)
        sizes = dict(options["size"]) if options["size"] else None
        mode = _mode(options)
        values: Mapping[str, tuple[float, ...]] = {}
        if options["values"]:
            sizes, values = _read_custom(problem, options["values"], sizes or {})
        if sizes and mode is not Mode.RUN:
            raise CommandError("--size and --values need --mode run", returncode=EXIT_USAGE)
        quiet = options["json"] or not sys.stderr.isatty()
        config = settings.WARPCOURT
        try:
            target = open_configured(
                config,
                warm=NOTHING_WARM,
                target=options["target"] or _target_for(options["backend"]),
                backend=options["backend"],
            )
            try:
                report = evaluate(
                    with_small_public(problem) if options["doctor"] else problem,
                    source,
                    language=language,
                    mode=mode,
                    target=target,
                    sizes=sizes,
                    values=values,
                    seed=options["seed"],
                    tool=_tool(options),
                    on_progress=_silent if quiet else self._show,
                )
            finally:
                target.close()
        except CustomCaseInvalid as error:
            raise CommandError(str(error), returncode=EXIT_USAGE) from error
        except (IsolationUnavailable, ToolchainMissing, RuntimeBuildFailed, JudgeError) as error:
            raise CommandError(printable(str(error)), returncode=EXIT_INTERNAL) from error
        if problem.checker is not None:
            report = without_expected_values(report)
        diagnosis = diagnosis_json(report) if options["doctor"] else None
        if options["json"]:
            more = {} if diagnosis is None else {"diagnosis": diagnosis}
            self.stdout.write(json.dumps(to_json(report) | more, indent=2))
        elif diagnosis is not None:
            lines = diagnosis_lines(diagnosis, file=str(options["file"]), site=config.public_url)
            self.stdout.write(printable("\n".join([_render_verdict(report, headline(report)), "", *lines])))
        else:
            self.stdout.write(printable(render(report)))
        if report.verdict is not Verdict.ACCEPTED:
            sys.exit(EXIT_OTHER_VERDICT)

    def _show(self, progress: ProgressEvent) -> None:
        self.stderr.write(
            f"\r\033[K{printable(progress.text)}", ending="" if progress.kind != "finished" else "\r\033[K"
        )


def _mode(options: Mapping[str, Any]) -> Mode:
    """Return the mode. Raises CommandError if other options do not go with it."""
    running = options["doctor"] or options["profile"]
    mode = Mode(options["mode"] or (Mode.RUN if running else Mode.SUBMIT))
    if running and mode is not Mode.RUN:
        raise CommandError("--doctor and --profile need --mode run", returncode=EXIT_USAGE)
    if options["seed"] is not None and mode is not Mode.RUN:
        raise CommandError("--seed needs --mode run", returncode=EXIT_USAGE)
    if options["profile"] and options["sanitize"]:
        raise CommandError("choose one of --profile and --sanitize", returncode=EXIT_USAGE)
    return mode


def _tool(options: Mapping[str, Any]) -> Tool | None:
    if options["profile"]:
        return Tool.PROFILER
    return Tool.MEMCHECK if options["sanitize"] else None


def _read_custom(
    problem: Problem, path: Path, sizes: Mapping[str, int]
) -> tuple[dict[str, int], dict[str, tuple[float, ...]]]:
    try:
        given = json.loads(path.read_text())
    except (OSError, ValueError, RecursionError) as error:
        raise CommandError(f"cannot read {path} as JSON: {error}", returncode=EXIT_USAGE) from error
    if not isinstance(given, dict):
        raise CommandError(f'{path} must be an object such as {{"a": [1, 2]}}', returncode=EXIT_USAGE)
    try:
        limits, most = size_limits(problem), settings.WARPCOURT.max_custom_values
        return read_values(problem.arguments, given, sizes, limits=limits, most=most)
    except CustomCaseInvalid as error:
        raise CommandError(str(error), returncode=EXIT_USAGE) from error


def render(report: Report) -> str:
    """Return the report as text for a terminal."""
    leading = headline(report)
    lines = [_render_verdict(report, leading)]
    if leading and leading.message not in report.message:
        lines.append(_render_finding(leading))
    lines += [_render_case(case) for case in report.cases]
    lines += [_render_finding(finding) for finding in findings(report.diagnostics) if finding != leading]
    lines += render_figures(report)
    if report.log:
        lines += ["", report.log.rstrip()]
    if report.output:
        lines += ["", "output:", report.output.rstrip()]
    stages = "   ".join(f"{stage.name} {stage.ms:.0f} ms" for stage in report.stages)
    return "\n".join([*lines, "", stages] if stages else lines)


def _render_verdict(report: Report, leading: Diagnostic | None) -> str:
    message = report.message
    if leading and leading.message == message:
        message = leading.text  # with its line
    return f"{report.verdict}: {message}" if message else str(report.verdict)


def _render_case(case: CaseReport) -> str:
    took = "" if case.wall_ms is None else f"{case.wall_ms:8.1f} ms"
    lines = [f"  {case.name:<24} {case.verdict:<14} {took}".rstrip()]
    if case.message:
        lines.append(f"      {case.message}")
    for mismatch in case.mismatches:
        index = ", ".join(str(i) for i in mismatch.index)
        expected = f"expected {mismatch.expected}, " if mismatch.expected else ""
        lines.append(f"      {mismatch.argument}[{index}]: {expected}got {mismatch.got}")
    return "\n".join(lines)


def _render_finding(finding: Diagnostic) -> str:
    return f"  {finding.severity}: {finding.text}"


def _target_for(backend: str | None) -> str | None:
    """Return the default target of a backend: a GPU if there is one, with containers."""
    if backend != "docker":
        return None
    try:
        return "gpu" if gpus() else None
    except NvmlUnavailable:
        return None


def _silent(_: ProgressEvent) -> None:
    pass


def _size(text: str) -> tuple[str, int]:
    name, _, number = text.partition("=")
    if not number.isdecimal():
        raise ArgumentTypeError(f"{text!r} is not NAME=NUMBER")
    return name, int(number)


def _seed(text: str) -> int:
    if not text.isdecimal() or int(text) > MAX_SEED:
        raise ArgumentTypeError(f"{text!r} is not a number from 0 to {MAX_SEED}")
    return int(text)


def _load(slug: str) -> Problem:
    root = settings.WARPCOURT.problems_dir
    folder = root / slug
    if Path(slug).name != slug or not (folder / "problem.toml").is_file():
        known = ", ".join(sorted(path.parent.name for path in root.glob("*/problem.toml")))
        raise CommandError(f"Problem {slug!r} not found. Known problems: {known}", returncode=EXIT_USAGE)
    try:
        return load_problem(folder)
    except PackageInvalid as error:
        raise CommandError(printable(str(error)), returncode=EXIT_USAGE) from error


def _read(path: Path, chosen: str | None, problem: Problem) -> tuple[str, Language]:
    language = Language(chosen) if chosen else _language_of(path, problem)
    if language not in problem.languages:
        raise CommandError(f"{problem.slug} does not accept {language}", returncode=EXIT_USAGE)
    try:
        return path.read_text(encoding="utf-8"), language
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"Cannot read {path}: {error}", returncode=EXIT_USAGE) from error


def _language_of(path: Path, problem: Problem) -> Language:
    """The language of the file name. If the problem does not accept Triton, .py means PyTorch."""
    language = Language.of_file(path.name)
    if language is Language.TRITON and Language.TRITON not in problem.languages:
        return Language.PYTHON
    if language:
        return language
    endings = " nor ".join(language.suffix for language in Language)
    raise CommandError(f"{path.name} ends in neither {endings}. Use --language.", returncode=EXIT_USAGE)
