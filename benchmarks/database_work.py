"""Measures the work of the database for one submission, and its growth with the size of the database.

    python -m benchmarks.database_work             # ten minutes; --submissions 1000,10000 takes one

For each number of submissions, the benchmark fills a new PostgreSQL database (`benchmarks.site_data`). Then
it takes 40 more submissions through all stages: pages, draft, submit, claim, heartbeat, steps, verdict,
report. Their users and problems are drawn from those of the stored submissions, so active users and popular
problems occur often. The client counts the statements, and PostgreSQL counts the rows
(`pg_stat_user_tables`). The rows read are those that a scan visited or an index led to. Milliseconds are
measured at the caller, which uses a single connection. Bytes are the size of the tables of submissions with
their indexes, per submission that the database was filled with. The source of such a submission is one line
of text, and it has no events.
"""

import argparse
import json
import os
import random
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

from benchmarks.judging import print_table
from benchmarks.site_load import ROOT
from testing.services import postgresql

SAMPLE = 40
PROBLEMS, SUBMISSIONS_EACH = 100, 100
WORDS = "accepted score={score:.2f} cases=9 log"
# The stages that every submission goes through once. The other stages are page views and background work.
ONCE = ("submit", "claim", "heartbeat", "steps", "verdict")
_COUNTERS = """
SELECT SUM(seq_tup_read + COALESCE(idx_tup_fetch, 0)), SUM(n_tup_ins + n_tup_upd + n_tup_del)
  FROM pg_stat_user_tables
"""
_STORED = """
SELECT SUM(pg_total_relation_size(relid)) / (SELECT COUNT(*) FROM submissions_submission)
  FROM pg_stat_user_tables WHERE starts_with(relname, 'submissions_')
"""


@dataclass(frozen=True, slots=True)
class Work:
    """The costs of a stage, per pass: statements, rows read and written, milliseconds."""

    statements: float
    read: float
    written: float
    ms: float

    def plus(self, other: "Work") -> "Work":
        """Return the sum of both."""
        mine, others = asdict(self), asdict(other)
        return Work(**{name: mine[name] + others[name] for name in mine})


def main() -> int:
    """Measure and print; with --measure, measure the configured database and print JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.database_work", description=main.__doc__)
    parser.add_argument("--submissions", type=_numbers, default=(1000, 10_000, 1_000_000))
    parser.add_argument("--measure", action="store_true", help="for this program's own use")
    options = parser.parse_args()
    if options.measure:
        stages, stored = measure()
        print(json.dumps([{name: asdict(work) for name, work in stages.items()}, stored]))
        return 0
    found: dict[int, dict[str, Work]] = {}
    stored_bytes: dict[int, float] = {}
    for size in options.submissions:
        print(f"filling a database with {size:,} submissions", flush=True)
        found[size], stored_bytes[size] = in_database_of(size)
    report(found)
    print()
    rows = [("stored for each submission", "bytes")]
    print_table([*rows, *((f"{size:,} submissions", f"{each:,.0f}") for size, each in stored_bytes.items())])
    return 0


def in_database_of(size: int) -> tuple[dict[str, Work], float]:
    """Return the costs of the stages in a database with `size` submissions, and the bytes per submission."""
    people = max(SAMPLE, size // SUBMISSIONS_EACH)
    fill = f"-m benchmarks.site_data --problems {PROBLEMS} --users {people} --submissions {size}"
    with postgresql() as url, tempfile.TemporaryDirectory(prefix="warpcourt-work-") as folder:
        environment = os.environ | {
            "DJANGO_SETTINGS_MODULE": "web.settings",
            "WARPCOURT_DATA_DIR": folder,
            "WARPCOURT_DATABASE_URL": url,
            "WARPCOURT_TARGET": "scripted",
            "WARPCOURT_LOG_LEVEL": "ERROR",
        }
        run = {"cwd": ROOT, "env": environment, "check": True, "stdout": subprocess.PIPE, "text": True}
        subprocess.run([sys.executable, *fill.split()], **run)  # type: ignore[call-overload]  # noqa: PLW1510 - `run` has it
        done = subprocess.run([sys.executable, "-m", "benchmarks.database_work", "--measure"], **run)  # type: ignore[call-overload]  # noqa: PLW1510 - as above
        told, stored = json.loads(done.stdout.splitlines()[-1])
        return {name: Work(**work) for name, work in told.items()}, stored


def measure() -> tuple[dict[str, Work], float]:
    """Take submissions through all stages. Return the costs and the bytes per submission."""
    import django  # noqa: PLC0415 - needs the environment
    from django.conf import settings  # noqa: PLC0415 - as above

    # Use a single connection. PostgreSQL then publishes its row counts before they are read.
    settings.DATABASES["default"]["OPTIONS"].pop("pool", None)
    settings.DATABASES["default"]["CONN_MAX_AGE"] = None
    django.setup()
    from django.db import connection  # noqa: PLC0415 - needs Django set up

    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
        cursor.execute(_STORED)
        (stored,) = cursor.fetchone()
    stages = Stages()
    found: dict[str, Work] = {}
    for name, times, do in stages.in_order():
        with counted() as work:
            do()
        found[name] = Work(*(value / times for value in work))
    return found, float(stored)


class Stages:
    """Takes SAMPLE submissions through the stages."""

    def __init__(self) -> None:
        from django.conf import settings  # noqa: PLC0415 - needs Django set up
        from django.test import Client  # noqa: PLC0415 - as above

        from web.submissions.models import Submission  # noqa: PLC0415 - as above

        settings.ALLOWED_HOSTS.append("testserver")
        rng = random.Random(1)
        keys = rng.sample(
            list(Submission.objects.filter(mode="submit").values_list("pk", flat=True)), 8 * SAMPLE
        )
        rows = Submission.objects.filter(pk__in=keys).select_related("user", "problem")
        by_person = {row.user_id: row for row in rows}
        self._chosen = list(by_person.values())[:SAMPLE]
        self._clients = []
        for row in self._chosen:
            client = Client(headers={"HX-Request": "true"})
            client.force_login(row.user)
            self._clients.append(client)
        self._made: list[str] = []
        self._claims: list[Any] = []
        self._reports: list[Any] = []
        self._rng = rng

    def in_order(self) -> Iterator[tuple[str, int, Callable[[], None]]]:
        """Yield the name of each stage, the number of passes, and the function to call."""
        many = len(self._chosen)
        yield "problem page", many, lambda: self._see(f"/problems/{row.problem.slug}" for row in self._chosen)
        yield "save a draft", many, self._save
        yield "submit", many, self._hand_in
        yield "claim", many, self._claim
        yield "heartbeat", many, self._extend
        yield "steps", many, self._judge
        yield "one look for all who watch", 1, self._look
        yield "verdict", many, self._record
        yield "report", many, lambda: self._see(f"/s/{public_id}/report" for public_id in self._made)
        yield "my submissions", many, lambda: self._see(["/submissions"] * many)
        yield (
            "leaderboard",
            many,
            lambda: self._see(f"/problems/{row.problem.slug}/leaderboard" for row in self._chosen),
        )
        yield "one sweep", 1, self._sweep

    def _see(self, paths: Iterable[str]) -> None:
        for client, path in zip(self._clients, paths, strict=True):
            answer = client.get(path)
            assert answer.status_code == 200, f"{path}: {answer.status_code}"

    def _save(self) -> None:
        for client, row in zip(self._clients, self._chosen, strict=True):
            body = json.dumps({"source": WORDS, "expected": 0})
            path = f"/problems/{row.problem.slug}/drafts/cuda"
            assert client.put(path, body, content_type="application/json").status_code == 200

    def _hand_in(self) -> None:
        for client, row in zip(self._clients, self._chosen, strict=True):
            source = f"{WORDS.format(score=self._rng.uniform(5, 50))} {secrets.token_hex(8)}"
            form = {"language": "cuda", "mode": "submit", "source": source}
            answer = client.post(f"/problems/{row.problem.slug}/submissions", form)
            assert answer.status_code == 200, answer.content
            self._made.append(
                answer.content.decode().partition('data-events="/submissions/')[2].partition("/")[0]
            )

    def _claim(self) -> None:
        from web.submissions import services  # noqa: PLC0415 - needs Django set up

        self._claims = [services.claim("measured") for _ in self._chosen]

    def _extend(self) -> None:
        from web.submissions import services  # noqa: PLC0415 - as above

        for claim in self._claims:
            services.extend_lease(claim)

    def _judge(self) -> None:
        from threading import Event  # noqa: PLC0415 - as above

        from web.submissions import services  # noqa: PLC0415 - as above
        from web.submissions.models import EventKind  # noqa: PLC0415 - as above
        from worker.judges import ScriptedJudge  # noqa: PLC0415 - as above

        for claim in self._claims:

            def tell(progress: Any, claim: Any = claim) -> None:
                services.add_event(claim, EventKind(progress.kind), {"text": progress.text})

            report = ScriptedJudge().evaluate(claim.submission, on_progress=tell, cancelled=Event())
            self._reports.append(report)

    def _look(self) -> None:
        from web.submissions import queries  # noqa: PLC0415 - needs Django set up

        queries.follow_all({claim.submission.pk: 0 for claim in self._claims})

    def _record(self) -> None:
        from web.submissions import services  # noqa: PLC0415 - as above

        for claim, report in zip(self._claims, self._reports, strict=True):
            assert services.record(claim, report)

    def _sweep(self) -> None:
        from worker.sweeper import sweep_once  # noqa: PLC0415 - needs Django set up

        sweep_once()


@contextmanager
def counted() -> Iterator[list[float]]:
    """Yield a list. After the block, it has the fields of `Work` in order, summed over the block."""
    from django.db import connection  # noqa: PLC0415 - needs Django set up

    statements = 0

    def count(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        nonlocal statements
        statements += 1
        return execute(sql, params, many, context)

    found: list[float] = []
    before = _counters()
    began = time.perf_counter()
    with connection.execute_wrapper(count):
        yield found
    took_ms = 1000 * (time.perf_counter() - began)
    read, written = (after - earlier for earlier, after in zip(before, _counters(), strict=True))
    found += [statements, read, written, took_ms]


def _counters() -> tuple[float, float]:
    from django.db import connection  # noqa: PLC0415 - needs Django set up

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute(_COUNTERS)
        read, written = cursor.fetchone()
        return float(read), float(written)


def report(found: Mapping[int, Mapping[str, Work]]) -> None:
    """Print every stage for each number of submissions.

    Then print the sum of the stages that happen once, and its growth.
    """
    rows: list[tuple[str, ...]]
    for size, stages in found.items():
        print()
        rows = [(f"with {size:,} submissions", "statements", "rows read", "rows written", "ms")]
        rows += [(name, *_cells(work)) for name, work in stages.items()]
        rows.append(("a submission from submitting to verdict", *_cells(_once(stages))))
        print_table(rows)
    print()
    rows = [("a submission, growth", "statements", "rows read", "rows written", "ms")]
    first = asdict(_once(next(iter(found.values()))))
    for size, stages in found.items():
        each = asdict(_once(stages))
        rows.append((f"with {size:,} submissions", *(f"{each[name] / first[name]:.2f}" for name in first)))
    print_table(rows)


def _once(stages: Mapping[str, Work]) -> Work:
    first, *others = (stages[name] for name in ONCE)
    for work in others:
        first = first.plus(work)
    return first


def _cells(work: Work) -> Sequence[str]:
    counts = (work.statements, work.read, work.written)
    return *(f"{count:.1f}" for count in counts), f"{work.ms:.1f}"


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(","))


if __name__ == "__main__":
    sys.exit(main())
