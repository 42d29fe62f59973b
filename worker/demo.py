"""A demonstration of Warpcourt: `python -m worker.demo [--once]`.

Starts everything, submits shipped solutions through the REST API, shows how they are judged, and serves until
Ctrl-C. With --once it ends after the table; the exit status is 0 only if every verdict is the expected one.
"""

import argparse
import math
import secrets
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TextIO

import httpx
from django.db import DatabaseError
from rich.console import Console
from rich.live import Live
from rich.table import Table

from judge.languages import languages_here
from problems.libraries import Library, refused_include
from problems.loader import load_sound
from problems.schema import Problem, Solution
from problems.vocabulary import Difficulty, Verdict
from web.config import Config
from web.setting import ConfigError
from worker import readiness
from worker.supervise import PortTaken, Supervisor, check_port, prepare, running

USERNAME = "demo"
POLL_S = 0.5
PLAIN_WIDTH = 120  # characters of a table in a file
PATIENCE_S = 900.0
_PROBLEMS = 12  # which one page of submissions in the API can show
# One program for each verdict. Programs that exceed time limits are left out, because they mostly wait.
_FAILURES = (
    Verdict.WRONG_ANSWER,
    Verdict.ILLEGAL_ACCESS,
    Verdict.RUNTIME_ERROR,
    Verdict.REJECTED,
    Verdict.COMPILE_ERROR,
)


@dataclass(slots=True)
class Sample:
    """A shipped solution, and the progress of its submission."""

    problem: Problem
    solution: Solution
    public_id: str = ""
    state: str = ""
    verdict: str = ""
    seconds: float | None = None

    @property
    def expected(self) -> bool:
        """Return whether it got the expected verdict."""
        return self.verdict == self.solution.verdict


def choose(problems: Iterable[Problem], most: int = _PROBLEMS) -> list[Sample]:
    """Return accepted solutions of the first `most` problems, and a failing one of each kind.

    The accepted one of a problem is the first in each language that compiles fast. The failing ones come from
    different problems as far as possible, also from later ones.
    """
    chosen, missing = [], list(_FAILURES)
    for at, problem in enumerate(problems):
        for language in languages_here() if at < most else ():
            of_language = [s for s in problem.solutions if s.language is language]
            accepted = [s for s in of_language if s.verdict is Verdict.ACCEPTED]
            chosen += [Sample(problem, min(accepted, key=_compiles_slowly))] if accepted else []
        possible = (s for s in problem.solutions if s.language in languages_here())
        failing = next((s for s in possible if s.verdict in missing), None)
        if failing is not None:
            missing.remove(failing.verdict)
            chosen.append(Sample(problem, failing))
    return chosen


def _compiles_slowly(solution: Solution) -> bool:
    """Return whether it includes CUB or Thrust, whose headers compile for tens of seconds."""
    return bool(refused_include(solution.path.read_text(), set(Library) - {Library.CUB, Library.THRUST}))


class DemoVisitor:
    """A user of the REST API."""

    def __init__(self, url: str, password: str) -> None:
        self._http = httpx.Client(base_url=f"{url}/api/v1", timeout=30)
        made = self._http.post("/tokens", json={"username": USERNAME, "password": password, "name": "demo"})
        made.raise_for_status()
        self._http.headers["Authorization"] = f"Bearer {made.json()['token']}"

    def submit(self, sample: Sample) -> bool:
        """Submit `sample`. Return False if the site asks to wait."""
        answer = self._http.post(
            "/submissions",
            json={
                "problem": sample.problem.slug,
                "language": sample.solution.language.value,
                "source": sample.solution.path.read_text(),
            },
        )
        if answer.status_code == httpx.codes.TOO_MANY_REQUESTS:
            return False
        answer.raise_for_status()
        sample.public_id, sample.state = answer.json()["id"], "queued"
        return True

    def refresh(self, samples: Sequence[Sample]) -> None:
        """Fetch the progress of `samples`, unless the site asks to wait."""
        by_id = {sample.public_id: sample for sample in samples}
        answer = self._http.get("/submissions")
        if answer.status_code == httpx.codes.TOO_MANY_REQUESTS:
            return
        answer.raise_for_status()
        for row in answer.json()["submissions"]:
            sample = by_id.get(row["id"])
            if sample is not None:
                sample.state, sample.verdict = row["state"], row["verdict"] or ""
                if row["finished"]:
                    took = datetime.fromisoformat(row["finished"]) - datetime.fromisoformat(row["created"])
                    sample.seconds = took.total_seconds()


def judge_all(
    visitor: DemoVisitor, samples: Sequence[Sample], supervisor: Supervisor, console: Console
) -> bool:
    """Wait for all verdicts, print each, then a table. Return whether all were as expected."""
    deadline = time.monotonic() + PATIENCE_S
    waiting, judging = list(samples), list(samples)
    with Live(_progress(samples), console=console, transient=True) as live:
        while judging and not supervisor.stopping and time.monotonic() < deadline:
            while waiting and visitor.submit(waiting[0]):
                waiting.pop(0)
            supervisor.wait(POLL_S)
            visitor.refresh(samples)
            for sample in [sample for sample in judging if sample.verdict]:
                judging.remove(sample)
                live.console.print(_line(sample))
            live.update(_progress(samples))
    console.print(_table(samples))
    return all(sample.expected for sample in samples)


def _progress(samples: Sequence[Sample]) -> str:
    done = [sample for sample in samples if sample.verdict]
    return f"{len(done)} of {len(samples)} judged, {sum(s.expected for s in done)} as expected"


def _line(sample: Sample) -> str:
    colour = "green" if sample.expected else "red"
    name = f"{sample.problem.slug}/{sample.solution.path.name}"
    return f"  {name:<40} [{colour}]{sample.verdict:<16}[/] {sample.seconds or 0:5.1f} s"


def _table(samples: Sequence[Sample]) -> Table:
    table = Table(title="Sample submissions")
    for heading in ("Problem", "Solution", "Language", "Expected", "Verdict", "Time"):
        table.add_column(heading, overflow="fold")
    for sample in samples:
        colour = "yellow" if not sample.verdict else "green" if sample.expected else "red"
        table.add_row(
            sample.problem.slug,
            sample.solution.path.name,
            sample.solution.language.value,
            sample.solution.verdict.value,
            f"[{colour}]{sample.verdict or sample.state}[/]",
            f"{sample.seconds:.1f} s" if sample.seconds is not None else "",
        )
    table.caption = _progress(samples)
    return table


def _load(root: Path) -> list[Problem]:
    problems, _ = load_sound(root)  # `prepare` has reported broken packages
    return sorted(problems, key=lambda problem: (*_rank(problem), problem.slug))


def _rank(problem: Problem) -> tuple[int, float]:
    """Return the sort key of a problem in the demonstration: easy ones first, then by day of the track."""
    return list(Difficulty).index(problem.difficulty), problem.track_day or math.inf


def _demo_password() -> str:
    """Give the demo user a new password; create the user if necessary."""
    from web.accounts.queries import find_user  # noqa: PLC0415 - models need Django set up
    from web.accounts.services import create_user, set_password  # noqa: PLC0415 - as above

    password = secrets.token_urlsafe(9)
    user = find_user(USERNAME)
    if user is None:
        create_user(USERNAME, password)
    else:
        set_password(user, password)
    return password


def main() -> int:
    """Run the demo."""
    parser = argparse.ArgumentParser(prog="python -m worker.demo", description=main.__doc__)
    parser.add_argument(
        "--once", action="store_true", help="exit after the table; status 0 if all verdicts are as expected"
    )
    once = parser.parse_args().once
    console = Console() if sys.stdout.isatty() else Console(width=PLAIN_WIDTH)
    try:
        config = Config.from_env()
        check_port(config.host, config.port)
        prepare()
        if reason := readiness.readiness_error(config, console.print):
            console.print(f"This host cannot judge: {reason}", style="red", markup=False)
            return 1
        with (config.data_dir / "demo.log").open("a") as log:
            console.print(f"Starting Warpcourt; its log is {log.name}")
            return _demonstrate(config, console, log, once=once)
    except (ConfigError, PortTaken, TimeoutError, httpx.HTTPError, DatabaseError) as error:
        console.print(str(error), style="red", markup=False)
        return 1


def _demonstrate(config: Config, console: Console, log: TextIO, *, once: bool) -> int:
    password = _demo_password()
    with running(config, log=log) as supervisor:
        samples = choose(_load(config.problems_dir))
        right = judge_all(DemoVisitor(supervisor.local_url, password), samples, supervisor, console)
        if once:
            return 0 if right else 1
        console.print(f"\nWarpcourt serves [bold]{supervisor.url}[/] until Ctrl-C.")
        console.print(f"Sign in as [bold]{USERNAME}[/] with the password [bold]{password}[/]\n")
        supervisor.wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
