"""Puts the load of a class on a site: latency of pages, throughput of submissions, and the bottleneck.

    python -m benchmarks.load                        # seven minutes; --students 30 --paces 1:10 for a try

Starts PostgreSQL, Redis, a site of two processes, and a worker with the scripted judge, which takes about as
long as a GPU and no processor time. Fills the site with problems, users and submissions. Then locust
simulates a class (`benchmarks.load_class`), at a realistic pace and faster. After that, it simulates users
who only submit, at two rates with a ratio of ten and without a limit. All processes share the processors of
this machine, including the client. There is no proxy.

For each phase, the benchmark prints the accepted submissions per second, the times of pages, the share of the
processors that each part used, and the bottleneck. The exit status is 1 if a request failed.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.judging import print_table
from benchmarks.site_load import ROOT, answers
from testing.services import free_port, postgresql, redis_server, wait_until

ARRIVING_PER_S = 10
SUBMITTERS = 40
WEB_PROCESSES = 2
PAGES = ("problems", "problem", "leaderboard", "my submissions", "report")
VERDICT = "from submission to verdict"
_HAND_IN = ("post a run", "post a submit")
OTHERS = "others"  # other processes of the machine
_DISTURBED = 0.15  # share of all processors that others may use; above it, the figures are unreliable
_BUSY = 0.85  # share of all processors above which they are the bottleneck
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Row:
    """One kind of request: how many, how many of them failed, and times in milliseconds."""

    name: str
    count: int
    failures: int
    p50: float
    p95: float
    p99: float


@dataclass(frozen=True, slots=True)
class Phase:
    """The results of a phase. `used_s` is the CPU time of each part."""

    name: str
    seconds: float
    rows: Mapping[str, Row]
    used_s: Mapping[str, float]
    errors: tuple[str, ...]

    @property
    def accepted(self) -> int:
        """Return the number of accepted submissions."""
        return sum(self.rows[name].count - self.rows[name].failures for name in _HAND_IN if name in self.rows)

    @property
    def page_p95_ms(self) -> float:
        """Return the 95th percentile of the slowest kind of page."""
        return max((self.rows[name].p95 for name in PAGES if name in self.rows), default=0.0)

    @property
    def failures(self) -> int:
        """Return the number of failed requests."""
        return sum(row.failures for row in self.rows.values())

    def share(self, part: str) -> float:
        """Return the share of all processors that `part` used."""
        return self.used_s[part] / self.seconds / (os.cpu_count() or 1)

    @property
    def bottleneck(self) -> str:
        """Return the bottleneck in words."""
        greatest = max(self.used_s, key=lambda part: self.used_s[part])
        if self.share(OTHERS) > _DISTURBED:
            return "not known: other work on this machine"
        if sum(self.used_s.values()) / self.seconds > _BUSY * (os.cpu_count() or 1):
            return f"processors, most of them {greatest}"
        if self.used_s["web"] / self.seconds > _BUSY * WEB_PROCESSES:
            return "web processes"
        return "none yet: the submitters"


class Parts:
    """The processes of an installation by part, and the processor time that they have used."""

    def __init__(self, roots: Mapping[str, int]) -> None:
        self._roots = roots

    def used_s(self) -> dict[str, float]:
        """Return the seconds by part, including those of ended children."""
        stats = dict(_stats())
        used = {part: _tree_s(pid, stats) for part, pid in self._roots.items()}
        return used | {OTHERS: _machine_s() - sum(used.values())}


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load", description=main.__doc__)
    parser.add_argument("--students", type=int, default=300)
    parser.add_argument("--paces", default="1:60,2:60,4:60", help="of the class, PACE:SECONDS,...")
    parser.add_argument("--rates", default="1:60,10:60,0:30", help="of users who only submit; 0: no limit")
    parser.add_argument("--submissions", type=int, default=100_000, help="that the site has before")
    parser.add_argument("--children", type=int, default=24, help="of the worker; they mostly wait")
    options = parser.parse_args()
    with installation(options) as (url, parts, slugs):
        phases = play("Student", options.students, options.paces, url, parts, slugs)
        report_class(phases)
        alone = play("Submitter", min(SUBMITTERS, options.students), options.rates, url, parts, slugs)
        report_submissions(alone)
    failed = [phase for phase in (*phases, *alone) if phase.failures]
    for phase in failed:
        print(f"{phase.name}: {phase.failures} requests failed: {'; '.join(phase.errors)}", file=sys.stderr)
    return int(bool(failed))


@contextmanager
def installation(options: argparse.Namespace) -> Iterator[tuple[str, "Parts", str]]:
    """Run a filled site with a worker. Yield its address, its parts, and the problems to solve."""
    with ExitStack() as ends:
        folder = Path(ends.enter_context(tempfile.TemporaryDirectory(prefix="warpcourt-load-")))
        database, broker = ends.enter_context(postgresql()), ends.enter_context(redis_server())
        port = free_port()
        environment = os.environ | {
            "DJANGO_SETTINGS_MODULE": "web.settings",
            "WARPCOURT_DATA_DIR": str(folder),
            "WARPCOURT_DATABASE_URL": database,
            "WARPCOURT_BROKER_URL": broker,
            "WARPCOURT_TARGET": "scripted",
            "WARPCOURT_TRUSTED_PROXIES": "1",  # each student has a separate address
            "WARPCOURT_SUBMITS_PER_MINUTE": "100000",
            "WARPCOURT_SUBMITS_PER_DAY": "1000000",
        }
        sizes = f"--problems=100 --users={options.students} --submissions={options.submissions}".split()
        password = "--password=correct horse battery"
        for argv in (["manage.py", "migrate", "-v0"], ["-m", "benchmarks.site_data", *sizes, password]):
            subprocess.run([sys.executable, *argv], cwd=ROOT, env=environment, check=True)
        serve = f"-m uvicorn web.asgi:application --port {port} --workers {WEB_PROCESSES} --lifespan off"
        serve += " --no-access-log --no-proxy-headers --log-level warning --timeout-graceful-shutdown 1"
        work = f"-m celery -q -A worker.app worker --concurrency {options.children} -l info"
        log = folder / "log"
        web, worker = (
            ends.enter_context(_running([sys.executable, *words.split()], environment, log))
            for words in (serve, work)
        )
        url = f"http://127.0.0.1:{port}"
        wait_until(lambda: answers(url), "the site's start", 120)
        wait_until(lambda: " ready." in log.read_text(), "the worker's start", 120)
        children = _children(os.getpid())
        roots = {"web": web, "worker": worker}
        roots |= {"database": children["postgres"], "broker": children["redis-server"]}
        yield url, Parts(roots), "vector-add,softmax,histogram"


@contextmanager
def _running(argv: list[str], environment: Mapping[str, str], log: Path) -> Iterator[int]:
    with log.open("a") as said:
        process = subprocess.Popen(argv, cwd=ROOT, env=environment, stdout=said, stderr=said)
    try:
        yield process.pid
    finally:
        process.terminate()
        process.wait(60)


def play(kind: str, people: int, phases: str, url: str, parts: Parts, slugs: str) -> list[Phase]:
    """Run `phases` with `people` users of a kind."""
    play = f"-m locust -f benchmarks/load_class.py --headless --only-summary --loglevel ERROR --host {url}"
    play += f" -u {people} -r {ARRIVING_PER_S} --phases {phases} --problems {slugs} {kind}"
    locust = subprocess.Popen(
        [sys.executable, *play.split()],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert locust.stdout is not None
    with_client = Parts({**parts._roots, "client": locust.pid})  # noqa: SLF001 - the same class
    done: list[Phase] = []
    before, began = with_client.used_s(), time.monotonic()
    for line in locust.stdout:
        if not line.startswith('{"what"'):
            continue
        told = json.loads(line)
        if told["what"] == "begun":
            before, began = with_client.used_s(), time.monotonic()
            continue
        used = {part: after - before[part] for part, after in with_client.used_s().items()}
        done.append(_phase(told, time.monotonic() - began, used))
        print(f"{kind} {told['phase']}: {done[-1].accepted} submissions", flush=True)
    locust.wait()
    return done


def report_class(phases: list[Phase]) -> None:
    """Print the pages, then the bottlenecks."""
    arriving, *others = phases
    for phase in (arriving, *others):
        print()
        rows = [(f"class, pace {phase.name}", "requests", "a second", "p50 ms", "p95 ms", "p99 ms")]
        rows += [
            (
                row.name,
                f"{row.count}",
                f"{row.count / phase.seconds:.1f}",
                f"{row.p50:.0f}",
                f"{row.p95:.0f}",
                f"{row.p99:.0f}",
            )
            for row in phase.rows.values()
        ]
        print_table(rows)
    print()
    _print_load("class, pace and seconds", others)


def report_submissions(phases: list[Phase]) -> None:
    """Print the cost of submitting alone."""
    others = phases[1:]
    print()
    _print_load("submitting alone, per second and seconds", others)
    print()
    parts = [part for part in others[0].used_s if part != OTHERS]
    rows = [("processor time of a submission, ms", *parts, "without client", "ratio")]
    first = None
    for phase in others:
        each = {part: 1000 * phase.used_s[part] / max(1, phase.accepted) for part in parts}
        ours = sum(ms for part, ms in each.items() if part != "client")
        first = first or ours
        rows.append(
            (phase.name, *(f"{each[part]:.1f}" for part in parts), f"{ours:.1f}", f"{ours / first:.2f}")
        )
    print_table(rows)


def _print_load(title: str, phases: list[Phase]) -> None:
    parts = list(phases[0].used_s)
    rows = [(title, "accepted a second", "page p95 ms", "verdict p95 ms", *parts, "bottleneck")]
    for phase in phases:
        verdict = phase.rows.get(VERDICT)
        rows.append(
            (
                phase.name,
                f"{phase.accepted / phase.seconds:.1f}",
                f"{phase.page_p95_ms:.0f}",
                f"{verdict.p95:.0f}" if verdict else "",
                *(f"{100 * phase.share(part):.0f} %" for part in parts),
                phase.bottleneck,
            )
        )
    print_table(rows)


def _phase(told: Mapping[str, Any], seconds: float, used_s: Mapping[str, float]) -> Phase:
    rows = {row["name"]: Row(**row) for row in sorted(told["rows"], key=lambda row: row["name"])}
    return Phase(told["phase"], seconds, rows, used_s, tuple(told["errors"]))


def _machine_s() -> float:
    """Return the processor time of all processes since boot: user, nice, system, and interrupts."""
    fields = Path("/proc/stat").read_text().splitlines()[0].split()
    return sum(int(fields[index]) for index in (1, 2, 3, 6, 7)) / _TICKS_PER_S


def _stats() -> Iterator[tuple[int, tuple[str, int, float]]]:
    """Yield the name, the parent and the processor seconds of each process.

    The seconds include ended children.
    """
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = path.read_text()
        except OSError:
            continue  # the process has ended
        fields = text.rpartition(")")[2].split()
        name = text.partition("(")[2].rpartition(")")[0]
        used_s = sum(map(int, fields[11:15])) / _TICKS_PER_S
        yield int(path.parent.name), (name, int(fields[1]), used_s)


def _tree_s(root: int, stats: Mapping[int, tuple[str, int, float]]) -> float:
    family, grown = {root}, True
    while grown:
        more = {pid for pid, (_, parent, _) in stats.items() if parent in family} - family
        family |= more
        grown = bool(more)
    return sum(stats[pid][2] for pid in family if pid in stats)


def _children(parent: int) -> dict[str, int]:
    return {name: pid for pid, (name, whose, _) in _stats() if whose == parent}


if __name__ == "__main__":
    sys.exit(main())
