"""`manage.py usage`: print the GPU and CPU seconds of a period as CSV."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from web.staff.usage_views import KINDS, PeriodForm, moments, write_csv


class Command(BaseCommand):
    help = "Print the GPU seconds and CPU seconds of judged submissions as CSV. /staff/usage shows the same."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--by", choices=[*KINDS], default="class", help="what to sum over; default: %(default)s"
        )
        parser.add_argument("--from", dest="begin", metavar="YYYY-MM-DD", default="", help="first day (UTC)")
        parser.add_argument(
            "--to", dest="end", metavar="YYYY-MM-DD", default="", help="last day (UTC); default: today"
        )

    def handle(self, *_: object, **options: Any) -> None:
        form = PeriodForm({"begin": options["begin"], "end": options["end"]})
        if not form.is_valid():
            raise CommandError(f"--from and --to: {form.error}")
        period = moments(form.cleaned_data["begin"], form.cleaned_data["end"])
        write_csv(self.stdout, options["by"], KINDS[options["by"]].read(*period))
