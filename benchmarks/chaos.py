"""Injects random faults and counts lost submissions: `python -m benchmarks.chaos --seconds 300`.

Theory of operation. On a cluster of real services and hosts (`tests.cluster`), users submit programs through
the API. Each submission has an idempotency key. Like the command line, users retry with the same key until
the site accepts the submission. Another user requests previews, proofs, imports and rejudges. At the same
time, faults from the list in `benchmarks.chaos_faults` occur, sometimes two at once. A watcher records
submissions without a verdict five times a second. A fault counts as recovered when every submission that was
unfinished when it struck has its verdict. The recovery time includes the duration of the fault.

After the given time, and once enough programs are submitted, the benchmark repairs all faults and looks up
each accepted submission. It is *lost* if it has no verdict, *duplicated* if it has two verdicts or its key
has two submissions, and *wrong* if its verdict is not the expected one. *Given up* means an `internal_error`
after three failed tries. This is a verdict, so the submission is not lost. Then the benchmark checks the
invariants of `tests.cluster.invariants`. The exit status is 1 if a submission is lost, duplicated or wrong,
an invariant is violated, a recovery took longer than RECOVERY_S, or a fault could not be repaired.
"""

import argparse
import contextlib
import random
import secrets
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from threading import Event, Lock, Thread

import httpx
import psycopg

from benchmarks.chaos_faults import ENGINE, FAULTS, FREE_MIB, Fault, Scene, Upkeep, furnish
from benchmarks.chaos_programs import programs
from benchmarks.judging import print_table
from tests.cluster import KINDS, Cluster

PEOPLE = 12
RECOVERY_S = 30.0
PATIENCE_S = 60.0
OTHERS_EVERY_S = 1.0
LOOK_S = 0.2
AT_ONCE = 2
_UNDONE = "SELECT submission_id FROM submissions_job WHERE state <> 'done'"
_LEASED = "SELECT COUNT(*) FROM submissions_job WHERE state = 'leased'"
_OTHERS_OPEN = """
SELECT 1 FROM authoring_proofrun WHERE state IN ('queued', 'leased') UNION ALL
SELECT 1 FROM importing_importrun WHERE state IN ('queued', 'leased') UNION ALL
SELECT 1 FROM rejudges_hiddenrun WHERE state IN ('queued', 'leased')
"""
_OUTCOMES = """
SELECT s.idempotency_key, s.public_id, COALESCE(MIN(r.verdict), ''), COUNT(r.submission_id), COUNT(*)
  FROM submissions_submission s LEFT JOIN submissions_report r ON r.submission_id = s.id
 GROUP BY s.idempotency_key, s.public_id
"""
# The order of the steps is always correct. Their times are correct only if the clock of the worker was.
_STEPS = """
SELECT s.public_id, STRING_AGG(
           e.kind || ' ' || ROUND(EXTRACT(EPOCH FROM e.created - s.created), 1), ', ' ORDER BY e.sequence
       )
  FROM submissions_submission s JOIN submissions_event e ON e.submission_id = s.id
 WHERE e.kind IN ('queued', 'claimed', 'retried', 'finished') AND s.id = %s
 GROUP BY s.public_id
"""
_SLOWEST = 5
_BY_HOST = "SELECT COUNT(*) FROM submissions_job WHERE worker LIKE %s"
_RETRIES = "SELECT COUNT(*) FROM submissions_event WHERE kind = 'retried'"


@dataclass(slots=True)
class Struck:
    """A fault that struck. `pending` are the submissions that were unfinished at that time and still are."""

    fault: str
    at_s: float
    pending: set[int]
    recovered_s: float | None = None


@dataclass(slots=True)
class Ledger:
    """Submissions by key: the id from the site, and the expected verdict."""

    taken: dict[str, str] = field(default_factory=dict)
    verdicts: dict[str, str] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)
    again: int = 0
    others: int = 0
    _lock: Lock = field(default_factory=Lock)

    def take(self, key: str, public_id: str, verdict: str) -> None:
        """Record that the site accepted the submission."""
        with self._lock:
            self.taken[key] = public_id
            self.verdicts[public_id] = verdict


@dataclass(frozen=True, slots=True)
class Result:
    """The result of the benchmark."""

    submissions: int
    lost: Sequence[str]
    duplicated: Sequence[str]
    wrong: Sequence[str]
    given_up: int
    violations: Sequence[str]
    retried: int
    in_containers: int = 0
    slowest: Sequence[str] = ()

    def is_sound(self, struck: Sequence[Struck]) -> bool:
        """Return whether no submission was lost, duplicated or wrong.

        All invariants must hold, and every recovery must have been in time.
        """
        late = [one for one in struck if one.recovered_s is None or one.recovered_s > RECOVERY_S]
        return not (self.lost or self.duplicated or self.wrong or self.violations or late)


class Watcher:
    """Watches submissions without a verdict. Records when every submission that a fault affected has one."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._undone: set[int] = set()
        self._lock = Lock()
        self._end = Event()
        self.struck: list[Struck] = []
        self.seen_s: dict[
            int, tuple[float, float]
        ] = {}  # when each submission was first and last seen without a verdict
        self.idle_s = 0.0  # the longest time in which jobs waited and no worker judged
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def strike(self, fault: str) -> Struck:
        """Record a fault with the unfinished submissions."""
        with self._lock:
            struck = Struck(fault, time.monotonic(), set(self._undone))
            self.struck.append(struck)
            return struck

    def end(self) -> None:
        """Stop watching."""
        self._end.set()
        self._thread.join()

    def _run(self) -> None:
        connection: psycopg.Connection | None = None
        busy_s = time.monotonic()
        while not self._end.wait(LOOK_S):
            try:
                connection = connection or self._cluster.postgres.connect()
                undone = {pk for (pk,) in connection.execute(_UNDONE).fetchall()}
                ((leased,),) = connection.execute(_LEASED).fetchall()
            except psycopg.Error:  # a fault stopped the database
                connection = None
                continue
            if leased or not undone:
                busy_s = time.monotonic()
            self.idle_s = max(self.idle_s, time.monotonic() - busy_s)
            now_s = time.monotonic()
            for pk in undone:
                self.seen_s[pk] = (self.seen_s.get(pk, (now_s, 0))[0], now_s)
            with self._lock:
                self._undone = undone
                for one in self.struck:
                    if one.recovered_s is None and not (one.pending & undone):
                        one.recovered_s = time.monotonic() - one.at_s
        if connection is not None:
            connection.close()


def main() -> int:
    """Run the benchmark and print the result."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.chaos", description=main.__doc__)
    parser.add_argument("--seconds", type=float, default=300.0, help="how long faults strike at least")
    parser.add_argument("--submissions", type=int, default=2000, help="the least number of submissions")
    parser.add_argument("--rate", type=float, default=8.0, help="submissions a second")
    parser.add_argument(
        "--every", type=float, default=3.0, help="seconds from one fault to the next, on average"
    )
    parser.add_argument(
        "--hosts", type=int, default=3, help="hosts with a worker each, of the scripted judge"
    )
    parser.add_argument("--no-engine", action="store_true", help="without a host that judges in containers")
    parser.add_argument("--faults", default="all", help="names, with commas between")
    parser.add_argument("--seed", type=int, default=0, help="0: another one each time")
    options = parser.parse_args()
    seed = options.seed or secrets.randbelow(10**6)
    faults = list(FAULTS) if options.faults == "all" else options.faults.split(",")
    if options.no_engine:
        faults = [fault for fault in faults if FAULTS[fault].needs != ENGINE]
    if unknown := set(faults) - FAULTS.keys():
        parser.error(f"no such fault: {', '.join(unknown)}. There are: {', '.join(FAULTS)}")
    print(f"seed {seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="warpcourt-chaos-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        folder.chmod(0o755)  # the user of the database needs access
        with Cluster(
            folder,
            hosts=options.hosts + (not options.no_engine),
            WARPCOURT_MIN_FREE_MIB=str(FREE_MIB),
            WARPCOURT_WORKER_CONCURRENCY="2",
        ) as cluster:
            scene = Scene(cluster, random.Random(seed))
            furnish(scene, engine=not options.no_engine)
            return _unleash(scene, options, [FAULTS[fault] for fault in faults])


def _unleash(scene: Scene, options: argparse.Namespace, faults: Sequence[Fault]) -> int:
    cluster, ledger = scene.cluster, Ledger(verdicts=scene.verdicts)
    watcher = Watcher(cluster)
    handed_in, calm = Event(), Event()
    began = time.monotonic()
    people = [
        Thread(target=_hand_in, args=(cluster, ledger, number, options.rate / PEOPLE, handed_in))
        for number in range(PEOPLE)
    ]
    # Proofs with the real judge take too long for this benchmark.
    kinds = KINDS if options.no_engine else ("preview", "rejudge")
    people.append(Thread(target=_ask_for_others, args=(cluster, ledger, kinds, handed_in)))
    injectors = [
        Thread(target=_inject, args=(scene, watcher, faults, options.every * AT_ONCE, calm))
        for _ in range(AT_ONCE)
    ]
    upkeep = Upkeep(scene)
    for thread in (*people, *injectors):
        thread.start()
    while time.monotonic() - began < options.seconds or len(ledger.taken) < options.submissions:
        time.sleep(1)
        passed_s = time.monotonic() - began
        if int(passed_s) % 15 == 0:
            _say(f"{passed_s:4.0f} s: {len(ledger.taken)} submissions, {len(watcher.struck)} faults")
    for ended, threads in ((handed_in, people), (calm, injectors)):
        ended.set()
        for thread in threads:
            thread.join()
    ended_s = time.monotonic()
    _await_verdicts(cluster)
    settled_s = time.monotonic() - ended_s
    time.sleep(2 * LOOK_S)
    scene.over.set()
    upkeep.end()
    watcher.end()
    result = examine(cluster, ledger, watcher)
    report(result, watcher, ledger, time.monotonic() - began, settled_s)
    for trouble in scene.troubles:
        print(f"not repaired: {trouble}", file=sys.stderr)
    return 0 if result.is_sound(watcher.struck) and not scene.troubles else 1


def _hand_in(cluster: Cluster, ledger: Ledger, number: int, per_s: float, ended: Event) -> None:
    """Submit programs as `learner<number>` until `ended`."""
    rng = random.Random(number)
    known = programs(rng)
    http = cluster.person(f"learner{number}").http
    http.timeout = httpx.Timeout(10)
    while not ended.wait(rng.expovariate(per_s)):
        program, key = rng.choice(known), secrets.token_hex(8)
        body = {"problem": program.problem, "source": program.source, "mode": program.mode.value}
        if public_id := _until_taken(http, ledger, body | {"language": "cuda"}, key):
            ledger.take(key, public_id, program.verdict.value)


def _ask_for_others(cluster: Cluster, ledger: Ledger, kinds: Sequence[str], ended: Event) -> None:
    """Request jobs of other kinds until `ended`. Requests fail while the database is down."""
    rng = random.Random(len(kinds))
    while not ended.wait(rng.expovariate(1 / OTHERS_EVERY_S)):
        judged = rng.choice([*ledger.taken.values(), ""])
        with contextlib.suppress(RuntimeError):
            cluster.ask("start_kind", rng.choice(kinds), "", judged)
            ledger.others += 1


def _until_taken(http: httpx.Client, ledger: Ledger, body: Mapping[str, str], key: str) -> str:
    """Retry a submission until the site accepts it. Return its id, or an empty string after PATIENCE_S."""
    deadline, last = time.monotonic() + PATIENCE_S, ""
    while time.monotonic() < deadline:
        try:
            answer = http.post("/api/v1/submissions", json=body, headers={"Idempotency-Key": key})
            if answer.is_success:
                return str(answer.json()["id"])
            last = f"{answer.status_code}: {answer.text[:200]}"
        except httpx.TransportError as error:
            last = repr(error)
        ledger.again += 1
        time.sleep(0.3)
    ledger.refused.append(last)
    return ""


def _inject(scene: Scene, watcher: Watcher, faults: Sequence[Fault], every_s: float, calm: Event) -> None:
    while not calm.wait(scene.rng.expovariate(1 / every_s)):
        fault, host = scene.rng.choice(faults), scene.rng.choice(scene.cluster.hosts)
        with scene.taken(*fault.things(host)) as ours:
            if ours:
                watcher.strike(fault.name)
                try:
                    fault.strike(scene, host)
                except Exception as error:  # noqa: BLE001 - the others go on, and the report says it
                    scene.troubles.append(f"{fault.name} on {host.name}: {error!r}")


def _await_verdicts(cluster: Cluster) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while (cluster.sql(_UNDONE) or cluster.sql(_OTHERS_OPEN)) and time.monotonic() < deadline:
        time.sleep(LOOK_S)


def examine(cluster: Cluster, ledger: Ledger, watcher: Watcher) -> Result:
    """Look up the verdicts of all submissions."""
    found: defaultdict[str, list[tuple[str, str, int]]] = defaultdict(list)
    for key, public_id, verdict, reports, _ in cluster.sql(_OUTCOMES):
        found[key].append((public_id, verdict, reports))
    lost, duplicated, wrong, given_up = [], [], [], 0
    for key, public_id in ledger.taken.items():
        rows = found.get(key, [])
        if not rows or any(not reports for *_, reports in rows):
            lost.append(public_id)
        elif len(rows) > 1 or rows[0][2] > 1 or rows[0][0] != public_id:
            duplicated.append(public_id)
        elif rows[0][1] == "internal_error":
            given_up += 1
        elif rows[0][1] != ledger.verdicts[public_id]:
            wrong.append(f"{public_id}: {rows[0][1]} instead of {ledger.verdicts[public_id]}")
    ((retried,),) = cluster.sql(_RETRIES)
    contained = 0
    if cluster.engines:
        ((contained,),) = cluster.sql(_BY_HOST, f"{cluster.hosts[-1].name}:%")
    waited_s = {pk: last_s - first_s for pk, (first_s, last_s) in watcher.seen_s.items()}
    slowest = [
        f"{public_id} took {waited_s[pk]:.1f} s: {steps}"
        for pk in sorted(waited_s, key=waited_s.__getitem__, reverse=True)[:_SLOWEST]
        for public_id, steps in cluster.sql(_STEPS, pk)
    ]
    return Result(
        len(found),
        lost,
        duplicated,
        wrong,
        given_up,
        cluster.violations(),
        retried,
        contained,
        slowest,
    )


def report(result: Result, watcher: Watcher, ledger: Ledger, took_s: float, settled_s: float) -> None:
    """Print the result."""
    struck = watcher.struck
    rows = [("fault", "times", "recovery median", "longest")]
    for name in FAULTS:
        times = [one.recovered_s for one in struck if one.fault == name]
        known = [time_s for time_s in times if time_s is not None]
        if times:
            longest = f"{max(known):.1f} s" if len(known) == len(times) else "never"
            rows.append((name, f"{len(times)}", f"{median(known):.1f} s" if known else "", longest))
    all_known = [one.recovered_s for one in struck if one.recovered_s is not None]
    if all_known:
        rows.append(("all", f"{len(struck)}", f"{median(all_known):.1f} s", f"{max(all_known):.1f} s"))
    print()
    print_table(rows)
    print()
    print_table(
        [
            ("what", "count"),
            ("seconds", f"{took_s:.0f}"),
            ("submissions in the database", f"{result.submissions}"),
            ("submissions that the site confirmed", f"{len(ledger.taken)}"),
            ("previews, proofs, imports and rejudges", f"{ledger.others}"),
            ("requests that had to be repeated", f"{ledger.again}"),
            ("programs that the site did not take within a minute", f"{len(ledger.refused)}"),
            ("faults", f"{len(struck)}"),
            ("judgements that another worker took over", f"{result.retried}"),
            ("verdicts from containers", f"{result.in_containers}"),
            ("lost", f"{len(result.lost)}"),
            ("duplicated", f"{len(result.duplicated)}"),
            ("wrong", f"{len(result.wrong)}"),
            ("given up after three tries", f"{result.given_up}"),
            ("invariants violated", f"{len(result.violations)}"),
            ("longest time with waiting jobs and no judging worker, s", f"{watcher.idle_s:.1f}"),
            ("seconds from the last submission to the last verdict", f"{settled_s:.1f}"),
        ]
    )
    print("\nwhat waited longest for its verdict, with the seconds of its steps (by workers' clocks)")
    print("\n".join(result.slowest))
    for text in (*result.lost, *result.duplicated, *result.wrong, *result.violations, *ledger.refused[:3]):
        print(text, file=sys.stderr)


def _say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main())
