"""`manage.py smoketest`: submit a shipped solution and wait for its verdict."""

import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from problems.loader import load_problem
from problems.schema import Solution
from problems.vocabulary import Mode, Verdict
from web.accounts.services import system_account
from web.catalog.models import Problem
from web.packages.folders import folder_of
from web.submissions import queries, services
from web.submissions.models import Submission

_ACCOUNT = "site:smoketest"
_POLL_S = 0.5


class Command(BaseCommand):
    help = (
        "Submit a solution that ships with a problem, as a run that never ranks, and wait for its verdict. "
        "Status 1: no worker judged it in time, or the verdict is not accepted."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "slug",
            metavar="SLUG",
            nargs="?",
            default="vector-add",
            help="slug of a problem; default: %(default)s",
        )
        parser.add_argument(
            "--patience-s", type=float, default=300.0, help="seconds to wait; default: %(default)s"
        )

    def handle(self, *_: object, **options: Any) -> None:
        started = time.monotonic()
        submission = _submit(options["slug"])
        while (verdict := queries.verdict_of(submission)) is None:
            if time.monotonic() - started > options["patience_s"]:
                raise CommandError(
                    f"{submission.public_id} has no verdict after {options['patience_s']:.0f} s. "
                    "Check that a worker runs: warpcourt-admin doctor"
                )
            time.sleep(_POLL_S)
            submission = Submission.objects.select_related("job", "report").get(pk=submission.pk)
        took_s = time.monotonic() - started
        self.stdout.write(f"{options['slug']}: {verdict} after {took_s:.1f} s")
        if verdict != Verdict.ACCEPTED:
            raise CommandError(submission.report.message or f"The verdict is {verdict}.")


def _submit(slug: str) -> Submission:
    problem = Problem.objects.filter(slug=slug).first()
    if problem is None:
        raise CommandError(f"Problem {slug} not found. Run loadproblems first.")
    solution = _solution(problem)
    try:
        return services.submit(
            system_account(_ACCOUNT),
            problem,
            language=solution.language,
            source=solution.path.read_text(encoding="utf-8"),
            mode=Mode.RUN,
        )
    except services.SubmissionRefused as refusal:
        raise CommandError(str(refusal)) from refusal


def _solution(problem: Problem) -> Solution:
    for solution in load_problem(folder_of(problem, None)).solutions:
        if solution.verdict is Verdict.ACCEPTED:
            return solution
    raise CommandError(f"Problem {problem.slug} has no accepted solution.")
