"""`manage.py doctor`: is all well, and what mends what is not?"""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from deploy.audit.finding import Finding, Level
from web.doctor import examine


class Command(BaseCommand):
    help = "Look at everything that the site needs, and print the fix beside what is not well. Status 1 then."
    requires_system_checks = ()  # a site that is ill is what this is for

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print the findings as JSON")
        parser.add_argument("--judging", action="store_true", help="isolate and compile on this host too")

    def handle(self, *_: object, **options: Any) -> None:
        findings = []
        for finding in examine(settings.WARPCOURT, judging=options["judging"]):
            findings.append(finding)
            if not options["json"]:
                self.stdout.write(_line(finding))
        if options["json"]:
            self.stdout.write(json.dumps([asdict(finding) for finding in findings], indent=2))
        else:
            self.stdout.write(_summary(findings))
        if any(finding.stops for finding in findings):
            raise SystemExit(1)


def _line(finding: Finding) -> str:
    line = f"{finding.level:8}{finding.check:16}{finding.found}"
    return line + (f"\n{'':24}fix: {finding.fix}" if finding.fix and finding.level is not Level.OK else "")


def _summary(findings: list[Finding]) -> str:
    ill = sum(finding.stops for finding in findings)
    weak = sum(finding.level is Level.WEAK for finding in findings)
    if ill:
        return f"{ill} to mend before the site can work, {weak} more to look at."
    return f"The site works; {weak} to look at." if weak else "All is well."
