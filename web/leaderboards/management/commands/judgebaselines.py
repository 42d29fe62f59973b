"""`manage.py judgebaselines`: submit the baselines that come with the problems."""

import time
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from problems import schema
from problems.loader import load_problem
from problems.vocabulary import BaselineKind
from web.accounts.models import User
from web.catalog.models import Problem
from web.fleet.queries import offered_gpu_models
from web.leaderboards.models import Baseline
from web.leaderboards.services import baseline_author, set_baseline
from web.packages.folders import folder_of
from web.submissions import services
from web.submissions.models import Submission

_POLL_S = 1.0


class Command(BaseCommand):
    help = (
        "Submit the solutions that problem packages mark as baselines, once for each GPU model. The "
        "leaderboards show them as soon as they are timed. Baselines that were submitted before are skipped."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "slugs", metavar="SLUG", nargs="*", help="slug of a problem; default: all problems"
        )
        parser.add_argument(
            "--gpu", action="append", metavar="MODEL", help="a GPU model; default: all models in use"
        )
        parser.add_argument(
            "--again", action="store_true", help="also submit baselines that were submitted before"
        )
        parser.add_argument(
            "--patience-s",
            type=float,
            default=600.0,
            help="seconds to wait for room in the queue; default: %(default)s",
        )

    def handle(self, *_: Any, **options: Any) -> None:
        models = options["gpu"] or offered_gpu_models()
        if not models:
            raise CommandError(
                "No GPU is in use, so nothing would be timed. Start a worker on a GPU node and try again."
            )
        author = baseline_author()
        made = kept = 0
        for problem, solution, kind in _marked(options["slugs"]):
            for model in models:
                if not options["again"] and _handed_in(problem, solution, model):
                    kept += 1
                    continue
                submission = _submit(author, problem, solution, model, options["patience_s"])
                services.share(submission)
                set_baseline(None, submission, kind=kind, label=solution.label)
                self.stdout.write(
                    f"{problem.slug}: {solution.path.name} on {model}, /s/{submission.public_id}"
                )
                made += 1
        self.stdout.write(f"{made} submitted, {kept} skipped. Leaderboards show them when they are judged.")


def _submit(
    author: User, problem: Problem, solution: schema.Solution, model: str, patience_s: float
) -> Submission:
    """Submit it as soon as the queue has room. The site's limits also apply to this account."""
    deadline = time.monotonic() + patience_s
    while True:
        try:
            return services.submit(
                author,
                problem,
                language=solution.language,
                source=solution.path.read_text(encoding="utf-8"),
                gpu_model=model,
            )
        except services.LimitReached as full:
            if time.monotonic() > deadline:
                raise CommandError(
                    f"The queue was full for {patience_s:.0f} s ({full}). Submitted baselines stay in it. "
                    "To continue, run this command again."
                ) from full
            time.sleep(_POLL_S)
        except services.SubmissionRefused as refusal:
            raise CommandError(f"{problem.slug}: {solution.path.name}: {refusal}") from refusal


def _marked(slugs: list[str]) -> Iterator[tuple[Problem, schema.Solution, BaselineKind]]:
    """Yield the solutions of these problems, or of all, that are marked as baselines."""
    problems = {problem.slug: problem for problem in Problem.objects.filter(published=True).order_by("slug")}
    if unknown := sorted(set(slugs) - set(problems)):
        raise CommandError(f"Problem {', '.join(unknown)} not found. Known problems: {', '.join(problems)}")
    for slug, problem in problems.items():
        if slugs and slug not in slugs:
            continue
        package = load_problem(folder_of(problem, None))
        if package.version != problem.version:
            raise CommandError(
                f"The package of {slug} on disk is not the version in the database. Run loadproblems."
            )
        for solution in package.solutions:
            if solution.baseline:
                yield problem, solution, solution.baseline


def _handed_in(problem: Problem, solution: schema.Solution, model: str) -> bool:
    return Baseline.objects.filter(
        problem=problem,
        label=solution.label,
        submission__version=problem.version,
        submission__language=solution.language.value,
        submission__gpu_model=model,
        submission__source=solution.path.read_text(encoding="utf-8"),
    ).exists()
