"""`manage.py doctor`: check the site and print a fix for each problem."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from deploy.audit.finding import Finding, Level
from web.doctor import examine
from web.doctor.production import State, Verified, verify


class Command(BaseCommand):
    help = (
        "Check everything that the site needs. Print a fix for each problem. Status 1: the site cannot work."
    )
    requires_system_checks = ()  # this command is for sites that fail them

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print the findings as JSON")
        parser.add_argument(
            "--judging", action="store_true", help="also isolate and compile a program on this host"
        )
        parser.add_argument(
            "--production",
            action="store_true",
            help="verify the checklist for production line by line (docs/production.md); "
            "status 1: a line must be fixed",
        )

    def handle(self, *_: object, **options: Any) -> None:
        if options["production"]:
            self._verify_production(judging=options["judging"], as_json=options["json"])
            return
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

    def _verify_production(self, *, judging: bool, as_json: bool) -> None:
        lines = list(verify(examine(settings.WARPCOURT, judging=judging, for_production=True)))
        if as_json:
            self.stdout.write(json.dumps([asdict(verified) for verified in lines], indent=2))
        else:
            self.stdout.write("\n".join(map(_checklist_line, lines)))
            fix, yours = (sum(v.state is state for v in lines) for state in (State.FIX, State.YOURS))
            self.stdout.write(f"{len(lines)} lines. To fix: {fix}. To check yourself: {yours}.")
        if any(verified.state is State.FIX for verified in lines):
            raise SystemExit(1)


def _checklist_line(verified: Verified) -> str:
    line = verified.line
    text = f"{verified.state:16}{line.id:20}{line.requirement}"
    indent = f"\n{'':36}"
    if verified.found and verified.state is not State.OK:
        text += f"{indent}found: {verified.found}"
    return text + (f"{indent}do: {verified.action}" if verified.action else "")


def _line(finding: Finding) -> str:
    line = f"{finding.level:8}{finding.check:16}{finding.found}"
    return line + (f"\n{'':24}fix: {finding.fix}" if finding.fix and finding.level is not Level.OK else "")


def _summary(findings: list[Finding]) -> str:
    ill = sum(finding.stops for finding in findings)
    weak = sum(finding.level is Level.WEAK for finding in findings)
    if ill:
        return f"The site cannot work. Problems to fix: {ill}. Warnings: {weak}."
    return f"The site works. Warnings: {weak}." if weak else "No problems found."
