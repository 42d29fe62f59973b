"""Measures the delay of events with many watchers: `python -m benchmarks.event_streams [--streams 1000]`.

Starts one uvicorn process against the configured database, or a fresh SQLite file with --fresh, opens the
streams, and appends events. Prints the time of an event from its transaction to a watcher, with one stream
and with all streams, and the memory of the process per stream. The benchmark creates users for the watchers,
with a few streams each. At the end, it deletes these users and their submissions.
"""

import argparse
import asyncio
import contextlib
import json
import os
import random
import resource
import secrets
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from statistics import median, quantiles
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PREFIX = "watcher-"
START_S = 60.0
OPEN_AT_ONCE = 50
APPENDED_PER_S = 100
REQUEST = "GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: sessionid={session}\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Watched:
    """A submission, and the session of a user who may watch it."""

    pk: int
    public_id: str
    session: str


@dataclass(slots=True)
class Delays:
    """Delays of events in milliseconds, and the number of missing events."""

    ms: list[float] = field(default_factory=list)
    sent: int = 0

    @property
    def row(self) -> str:
        """Return a readable row."""
        p95 = quantiles(self.ms, n=20)[-1] if len(self.ms) > 1 else self.ms[0]
        return (
            f"median {median(self.ms):6.0f} ms   p95 {p95:6.0f} ms   worst {max(self.ms):6.0f} ms   "
            f"{len(self.ms)} of {self.sent} events"
        )


def prepare(count: int) -> list[Watched]:
    """Create users with `count` waiting submissions, one for each stream."""
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY  # noqa: PLC0415 - needs Django set up
    from django.contrib.sessions.backends.db import SessionStore  # noqa: PLC0415 - as above
    from django.utils import timezone  # noqa: PLC0415 - as above

    from web.accounts.models import User  # noqa: PLC0415 - as above
    from web.catalog.models import Problem  # noqa: PLC0415 - as above
    from web.submissions.models import Event, EventKind, Job, Submission  # noqa: PLC0415 - as above
    from web.submissions.streams import MAX_STREAMS_PER_USER  # noqa: PLC0415 - as above

    problem = Problem.objects.order_by("pk").first()
    if problem is None:
        raise SystemExit("there is no problem; run manage.py loadproblems")
    people = User.objects.bulk_create(
        User(username=f"{PREFIX}{secrets.token_hex(6)}", password="!")
        for _ in range(-(-count // MAX_STREAMS_PER_USER))
    )
    sessions = []
    for person in people:
        session = SessionStore()
        session[SESSION_KEY] = str(person.pk)
        session[BACKEND_SESSION_KEY] = "allauth.account.auth_backends.AuthenticationBackend"
        session[HASH_SESSION_KEY] = person.get_session_auth_hash()
        session.save()
        sessions.append(session.session_key or "")
    made = Submission.objects.bulk_create(
        Submission(
            user=people[number // MAX_STREAMS_PER_USER],
            problem=problem,
            version=problem.version,
            language="cuda",
            mode="submit",
            source="// watched",
        )
        for number in range(count)
    )
    # The jobs have waited for an hour, so that the watchers see no change during the measurement.
    queued = timezone.now() - timedelta(hours=1)
    Job.objects.bulk_create(
        Job(submission=submission, events=1, priority=-100, queued=queued) for submission in made
    )
    Event.objects.bulk_create(
        Event(submission=submission, sequence=1, kind=EventKind.QUEUED, payload={"text": ""})
        for submission in made
    )
    return [
        Watched(submission.pk, submission.public_id, sessions[number // MAX_STREAMS_PER_USER])
        for number, submission in enumerate(made)
    ]


def clean_up() -> None:
    """Delete the users of this benchmark with all their data."""
    from web.accounts.models import User  # noqa: PLC0415 - needs Django set up

    User.objects.filter(username__startswith=PREFIX).delete()


class Watchers:
    """The open streams, and the arrival times of their events."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._tasks: list[asyncio.Task[None]] = []
        self.opened = 0
        self.delays = Delays()

    async def open(self, watched: list[Watched]) -> None:
        """Open a stream for each of `watched`, a few at a time, and wait for the first event of each."""
        gate = asyncio.Semaphore(OPEN_AT_ONCE)
        began = [asyncio.Event() for _ in watched]
        for each, begun in zip(watched, began, strict=True):
            await gate.acquire()
            self._tasks.append(asyncio.create_task(self._watch(each, begun, gate)))
        await asyncio.wait_for(asyncio.gather(*(begun.wait() for begun in began)), START_S)

    async def close(self) -> None:
        """Close all streams."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _watch(self, watched: Watched, begun: asyncio.Event, gate: asyncio.Semaphore) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        path = f"/submissions/{watched.public_id}/events"
        writer.write(REQUEST.format(path=path, session=watched.session).encode())
        status = await reader.readline()
        if b" 200 " not in status:
            raise SystemExit(f"a stream was refused: {status.decode().strip()}")
        with contextlib.closing(writer):
            async for line in reader:
                if not line.startswith(b"data: "):
                    continue
                body = json.loads(line.removeprefix(b"data: "))
                if not begun.is_set():
                    begun.set()
                    self.opened += 1
                    gate.release()
                if "sent" in body:
                    self.delays.ms.append(1000 * (time.time() - body["sent"]))


def append_some(watched: list[Watched], seconds: float) -> int:
    """Append events to random submissions, and return the number of events."""
    from django.db import connections, transaction  # noqa: PLC0415 - needs Django set up

    from web.submissions.models import EventKind  # noqa: PLC0415 - as above
    from web.submissions.services.journal import append  # noqa: PLC0415 - as above

    sent, began = 0, time.monotonic()
    try:
        while time.monotonic() - began < seconds:
            each = random.choice(watched)
            with transaction.atomic():
                append(each.pk, EventKind.CASE, {"text": "", "index": 1, "total": 9, "sent": time.time()})
            sent += 1
            time.sleep(max(0.0, began + sent / APPENDED_PER_S - time.monotonic()))
    finally:
        connections.close_all()
    return sent


async def measure(port: int, watched: list[Watched], seconds: float) -> Delays:
    """Return the delays of events while all of `watched` are watched."""
    watchers = Watchers(port)
    started = time.monotonic()
    await watchers.open(watched)
    print(f"{watchers.opened} streams open after {time.monotonic() - started:.1f} s", flush=True)
    sent = await asyncio.to_thread(append_some, watched, seconds)
    await asyncio.sleep(3)
    delays = watchers.delays
    delays.sent = sent
    await watchers.close()
    return delays


def rss_mib(pid: int) -> float:
    """Return the resident memory of a process."""
    fields = Path(f"/proc/{pid}/statm").read_text().split()
    return int(fields[1]) * resource.getpagesize() / 2**20


def threads(pid: int) -> int:
    """Return the number of threads of a process."""
    return len(list(Path(f"/proc/{pid}/task").iterdir()))


@contextlib.contextmanager
def serving() -> Any:
    """Run one uvicorn process as the supervisor does. Yield the process and its port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    argv = [sys.executable, "-m", "uvicorn", "web.asgi:application", "--port", str(port)]
    argv += ["--lifespan", "off", "--log-level", "warning", "--timeout-graceful-shutdown", "1"]
    process = subprocess.Popen(argv, cwd=ROOT)
    try:
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield process, port
    finally:
        process.terminate()
        process.wait()


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.event_streams", description=__doc__)
    parser.add_argument("--streams", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=10.0, help="how long events are appended")
    parser.add_argument(
        "--fresh", action="store_true", help="on a new SQLite file instead of the configured database"
    )
    options = parser.parse_args()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 4 * options.streams + 512)), hard))
    with tempfile.TemporaryDirectory(prefix="warpcourt-streams-") as folder:
        if options.fresh:
            os.environ |= {"WARPCOURT_DATA_DIR": folder, "WARPCOURT_TARGET": "scripted"}
        run(options.streams, options.seconds)


def run(streams: int, seconds: float) -> None:
    """Measure with one stream, then with `streams`, and print both."""
    from worker.supervise import prepare as prepare_site  # noqa: PLC0415 - reads the environment

    prepare_site()
    # The submission of the single stream has events that a new stream would get again.
    alone, *watched = prepare(streams + 1)
    try:
        with serving() as (process, port):
            one = asyncio.run(measure(port, [alone], min(seconds, 5.0)))
            before_mib = rss_mib(process.pid)
            seen: dict[str, float] = {}
            many = asyncio.run(_sampled(port, watched, seconds, process.pid, seen))
            (median_one, p95_one), (median_many, p95_many) = (
                (median(delays.ms), quantiles(delays.ms, n=20)[-1]) for delays in (one, many)
            )
            ratios = f"median {median_many / median_one:.2f}, p95 {p95_many / p95_one:.2f}"
            print(f"\n{'1 stream':<14}{one.row}")
            print(f"{f'{streams} streams':<14}{many.row}")
            print(f"{'delay ratio':<14}{ratios}")
            per_stream = 1024 * (seen["rss_mib"] - before_mib) / streams
            print(f"{'memory':<14}{seen['rss_mib']:.0f} MiB, {per_stream:.0f} KiB a stream")
            print(f"{'threads':<14}{seen['threads']:.0f}")
            print(f"{'processor':<14}{seen['cpu_percent']:.0f} % of one core")
    finally:
        clean_up()


async def _sampled(
    port: int, watched: list[Watched], seconds: float, pid: int, into: dict[str, float]
) -> Delays:
    """Call `measure`, and record figures of the process while all streams are open."""

    async def look() -> None:
        await asyncio.sleep(1)
        while True:
            before, at = cpu_s(pid), time.monotonic()
            await asyncio.sleep(2)
            into["cpu_percent"] = 100 * (cpu_s(pid) - before) / (time.monotonic() - at)
            into["rss_mib"] = max(into.get("rss_mib", 0), rss_mib(pid))
            into["threads"] = threads(pid)

    looking = asyncio.create_task(look())
    try:
        return await measure(port, watched, seconds)
    finally:
        looking.cancel()


def cpu_s(pid: int) -> float:
    """Return the CPU seconds that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
