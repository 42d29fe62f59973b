"""Checks that an upgrade from a release, and the way back, neither lose nor duplicate work.

    python -m benchmarks.upgrade_rehearsal

    --release COMMIT    the release before; default: 0.2.0
    --rounds N          rounds of each phase and program, of six submissions each

Runs programs of two checkouts on one PostgreSQL database: this checkout, and the release from git with the
packages of its own lock (this virtual environment, if the locks are equal). In each checkout, two programs
act continuously as users and workers: they submit, cancel, read pages, claim, extend and record. They print
what the site acknowledged. The phases:

    release     the release alone
    migration   this checkout migrates while the release goes on
    both        both versions at a time, as in a rolling restart
    present     the release is killed in the middle of its work; this checkout goes on
    back        this checkout is killed in the middle of its work; the release goes on with the new tables
    end         the release judges all that is left

At the end, each acknowledged submission must be in the database with one report. Each verdict that a program
recorded must be the verdict in the database. No submission may have been recorded twice, and the counts must
match the reports. Otherwise the exit status is 1.
"""

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock, Thread
from typing import Any

from testing.services import postgresql
from web.setting import ROOT

RELEASE = "c82d686c"  # version 0.2.0
LOCK = Path("deploy", "requirements", "run.txt")
PATIENCE_S = 300.0
_BEGIN = "import os, django\nos.environ['DJANGO_SETTINGS_MODULE'] = 'web.settings'\ndjango.setup()\n"
_PREPARE = """
import sys
from django.core.management import call_command
call_command("migrate", verbosity=0)
call_command("loadproblems", stdout=sys.stderr)
from web.accounts.services import create_user
for name in sys.argv[1:]:
    create_user(name, "correct horse battery")
"""
# Prints acknowledged submissions as `made ID`, and recorded verdicts as `judged ID VERDICT`.
_AT_WORK = """
import sys, time
from django.test import Client
from judge.report import Report
from problems.vocabulary import Language, Mode, Verdict
from web.accounts.models import User
from web.catalog.models import Problem
from web.submissions import services
name, worker = sys.argv[1:]
user, problem = User.objects.get(username=name), Problem.objects.get(slug="vector-add")
browser = Client(SERVER_NAME="localhost")
browser.force_login(user)

def say(*words):
    print(*words, flush=True)

def judge(verdict):
    claim = services.claim(worker)
    if claim:
        services.extend_lease(claim)
        if services.record(claim, Report(verdict)):
            say("judged", claim.submission.public_id, verdict)

while True:
    for mode in (Mode.SUBMIT, Mode.RUN):
        for verdict in (Verdict.ACCEPTED, Verdict.WRONG_ANSWER):
            made = services.submit(user, problem, language=Language.CUDA, source="// x", mode=mode)
            say("made", made.public_id)
            judge(verdict)
    made = services.submit(user, problem, language=Language.CUDA, source="// x", mode=Mode.SUBMIT)
    say("made", made.public_id)
    if services.cancel(made, message="Cancelled."):
        say("cancelled", made.public_id)
    made = services.submit(user, problem, language=Language.CUDA, source="// waits", mode=Mode.SUBMIT)
    say("made", made.public_id)
    services.sweep()
    for page in ("/problems", "/problems/vector-add", "/submissions", f"/s/{made.public_id}", "/readyz"):
        assert browser.get(page).status_code == 200, page
    say("round")
"""
_END = """
import json
from datetime import timedelta
from django.utils import timezone
from judge.report import Report
from problems.vocabulary import Verdict
from web.submissions import services
from web.submissions.models import Job, Progress, Submission, Tally
from web.submissions.models import Report as Stored
leased = Job.objects.filter(state="leased").update(lease_until=timezone.now() - timedelta(seconds=1))
services.sweep()
left = {}
while claim := services.claim("end"):
    if services.record(claim, Report(Verdict.ACCEPTED)):
        left[claim.submission.public_id] = "accepted"
def counts():
    progress = Progress.objects.values_list("user", "problem", "runs", "judged", "accepted")
    tallies = Tally.objects.filter(judged__gt=0).values_list("problem", "judged", "accepted", "solvers")
    return sorted(map(repr, progress)), sorted(map(repr, tallies))
before = counts()
services.recount()
print(json.dumps({
    "in_flight": leased,
    "left": left,
    "unfinished": Job.objects.exclude(state="done").count(),
    "counts": before == counts(),
    "verdicts": dict(Stored.objects.values_list("submission__public_id", "verdict")),
    "submissions": list(Submission.objects.values_list("public_id", flat=True)),
}))
"""


@dataclass(frozen=True, slots=True)
class Checkout:
    """A checkout with the Python of its packages, on the database of the rehearsal."""

    name: str
    root: Path
    python: Path
    folder: Path
    database_url: str

    def start(self, program: str, *arguments: str) -> subprocess.Popen[str]:
        """Start a program that has Django set up."""
        environment = {
            "PATH": os.environ["PATH"],
            "WARPCOURT_DATA_DIR": str(self.folder),
            "WARPCOURT_DATABASE_URL": self.database_url,
            "WARPCOURT_SECRET_KEY": "of a rehearsal",
            "WARPCOURT_TARGET": "scripted",
            "WARPCOURT_LOG_LEVEL": "ERROR",
            "WARPCOURT_LEASE_S": "600",
            **dict.fromkeys(("WARPCOURT_SUBMITS_PER_MINUTE", "WARPCOURT_SUBMITS_PER_DAY"), "1000000"),
            "WARPCOURT_MAX_IN_FLIGHT": "1000000",
        }
        argv = [str(self.python), "-c", _BEGIN + program, *arguments]
        return subprocess.Popen(argv, cwd=self.root, env=environment, stdout=subprocess.PIPE, text=True)

    def run(self, program: str, *arguments: str) -> str:
        """Return what a program printed.

        Raises:
            RuntimeError: it failed.
        """
        with self.start(program, *arguments) as process:
            said = process.stdout.read() if process.stdout else ""
        if process.returncode:
            raise RuntimeError(f"a program of {self.name} failed with status {process.returncode}")
        return said


@dataclass(slots=True)
class Ledger:
    """The acknowledged submissions and verdicts, by the output of the programs."""

    made: set[str] = field(default_factory=set)
    verdicts: dict[str, str] = field(default_factory=dict)
    times: Counter[str] = field(default_factory=Counter)
    lock: Lock = field(default_factory=Lock)

    def note(self, line: str) -> None:
        """Record a line of output of a program."""
        with self.lock:
            match line.split():
                case ["made", public_id]:
                    self.made.add(public_id)
                case ["judged", public_id, verdict]:
                    self.verdicts[public_id] = verdict
                    self.times[public_id] += 1
                case ["cancelled", public_id]:
                    self.verdicts[public_id] = "cancelled"
                    self.times[public_id] += 1


class AtWork:
    """The users and workers of one version."""

    def __init__(self, checkout: Checkout, ledger: Ledger) -> None:
        self.rounds: list[list[float]] = [[], []]
        self.failed = False
        self._ledger = ledger
        self._processes = [
            checkout.start(_AT_WORK, user, f"{checkout.name}-{user}:1") for user in ("ada", "grace")
        ]
        for process, ended in zip(self._processes, self.rounds, strict=True):
            Thread(target=self._read, args=(process, ended), daemon=True).start()

    def more(self, count: int) -> float:
        """Wait for `count` more rounds of each program. Return the longest round of them, in seconds.

        Raises:
            RuntimeError: a program ended, or takes too long.
        """
        before, deadline = [len(ended) for ended in self.rounds], time.monotonic() + PATIENCE_S
        began = time.monotonic()
        while any(len(ended) < old + count for ended, old in zip(self.rounds, before, strict=True)):
            if self.failed or time.monotonic() > deadline:
                raise RuntimeError("a program at work failed or takes too long")
            time.sleep(0.05)
        moments = [[began, *ended[old:]] for ended, old in zip(self.rounds, before, strict=True)]
        return max(b - a for each in moments for a, b in itertools.pairwise(each))

    def kill(self) -> None:
        """Kill the programs while they work."""
        processes, self._processes = self._processes, []
        for process in processes:
            process.kill()
            process.wait()

    def _read(self, process: subprocess.Popen[str], ended: list[float]) -> None:
        for line in process.stdout or ():
            self._ledger.note(line)
            if line == "round\n":
                ended.append(time.monotonic())
        self.failed = self.failed or bool(self._processes)


def rehearse(release: Checkout, present: Checkout, rounds: int) -> dict[str, Any]:
    """Run all phases, and return the figures. The list `wrong` names lost and duplicated work."""
    ledger, took = Ledger(), {}
    release.run(_PREPARE, "ada", "grace")
    old = AtWork(release, ledger)
    try:
        took["release"] = old.more(rounds)
        began = time.monotonic()
        with present.start(_PREPARE) as upgrade:
            took["migration"] = old.more(1)
            if upgrade.wait(PATIENCE_S):
                raise RuntimeError("the migration failed")
        migrated_s = time.monotonic() - began
        new = AtWork(present, ledger)
        try:
            took["both"] = max(old.more(rounds), new.more(rounds))
            old.kill()
            took["present"] = new.more(rounds)
        finally:
            new.kill()
        old = AtWork(release, ledger)
        took["back"] = old.more(rounds)
    finally:
        old.kill()
    time.sleep(1)  # time for the readers to read the last lines
    found = json.loads(release.run(_END).splitlines()[-1])
    return {
        "submissions": len(found["submissions"]),
        "acknowledged": len(ledger.made),
        "in_flight_at_the_end": found["in_flight"],
        "judged_at_the_end": len(found["left"]),
        "migration_s": round(migrated_s, 1),
        "longest_round_s": {phase: round(seconds, 1) for phase, seconds in took.items()},
        "wrong": _wrong(ledger, found),
    }


def _wrong(ledger: Ledger, found: dict[str, Any]) -> list[str]:
    stored, verdicts = set(found["submissions"]), {**ledger.verdicts, **found["left"]}
    times = ledger.times + Counter(found["left"].keys())
    differing = {one for one, verdict in verdicts.items() if found["verdicts"].get(one) != verdict}
    doubled = {one for one, count in times.items() if count > 1}
    complaints = {
        "lost submissions": ledger.made - stored,
        "submissions without a report": stored - found["verdicts"].keys(),
        "verdicts that are not those recorded": differing,
        "submissions that were recorded twice": doubled,
    }
    wrong = [f"{text}: {', '.join(sorted(ids)[:5])}" for text, ids in complaints.items() if ids]
    wrong += ["unfinished jobs"] if found["unfinished"] else []
    return wrong + ([] if found["counts"] else ["counts that do not follow from the reports"])


def _check_out(commit: str, folder: Path) -> Path:
    """Write the files of `commit` to a new folder, and return the Python of its packages."""
    folder.mkdir()
    archive = subprocess.run(["git", "archive", commit], cwd=ROOT, check=True, capture_output=True).stdout
    subprocess.run(["tar", "-x"], cwd=folder, input=archive, check=True)
    if (folder / LOCK).read_bytes() == (ROOT / LOCK).read_bytes():
        return Path(sys.executable)
    subprocess.run([sys.executable, "-m", "venv", folder / ".venv"], check=True)
    python = folder / ".venv" / "bin" / "python"
    words = "-m pip install -q --no-deps --require-hashes -r"
    subprocess.run([python, *words.split(), folder / LOCK], check=True)
    return python


def main(argv: Sequence[str] | None = None) -> int:
    """Rehearse, and print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--release", default=RELEASE, help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=10, help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="warpcourt-rehearsal-") as name, postgresql() as url:
        folder = Path(name)
        python = _check_out(options.release, folder / "release")
        release = Checkout("release", folder / "release", python, folder / "data", url)
        present = Checkout("present", ROOT, Path(sys.executable), folder / "data", url)
        figures = rehearse(release, present, options.rounds)
    print(json.dumps({"release": options.release, "rounds": options.rounds, **figures}, indent=2))
    return 1 if figures["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
