"""Locust users for `benchmarks.load`: a class at work, or users who only submit.

A `Student` signs in, looks at the problems, opens one, and then repeats these steps: write, while the draft
is saved as by the editor; run the program and watch; sometimes submit, watch, and look at the leaderboard and
at earlier submissions. The pauses in between are realistic ones, divided by the pace. A `Submitter` only
submits and watches, at a given rate, or again as soon as it has a verdict.

All users sign in first. Then each phase of `--phases PACE:SECONDS,...` is measured separately.
`benchmarks.load` reads the results as lines of JSON on standard output: one when a phase begins, and one with
its figures.
"""

import json
import random
import re
import secrets
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from http.cookiejar import Cookie
from itertools import count
from operator import attrgetter
from typing import Any

import gevent
import gevent.queue
from locust import FastHttpUser, constant, events, task
from locust.env import Environment

PASSWORD = "correct horse battery"
ARRIVED_S = 120.0  # checking a password is slow on purpose
SETTLE_S = 5.0
TICK_S = 1.0  # interval at which users check the pace
LANGUAGE = "cuda"
SAVES = (1, 4)  # times that the draft is saved before each run; the editor saves when the user pauses
RUNS_PER_SUBMIT = 3
# Pauses of users in seconds, drawn from a uniform distribution. They are guesses, not measurements;
# `--phases` makes them shorter.
LOOKING_S, READING_S, WRITING_S = (3.0, 10.0), (20.0, 60.0), (3.0, 12.0)
# About the time of one of 9 cases on the GPU of docs/measurements.md.
JUDGED = "cases=9 pace=0.03"
VERDICTS = ("accepted", "accepted score={score:.2f}", "wrong_answer mismatches", "compile_error log")
PROGRAM = """#include <cuda_runtime.h>

__global__ void add(const float* a, const float* b, float* c, long long n) {{
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}}

extern "C" void solve(const float* a, const float* b, float* c, long long n) {{
    add<<<(n + 255) / 256, 256>>>(a, b, c, n);
}}
// {words} {mark}
"""

_numbers = count(1)
_arrived: list[int] = []  # the numbers of the users who are signed in
_turns: gevent.queue.Queue[None] = gevent.queue.Queue()
_pace = 1.0


@events.init_command_line_parser.add_listener  # type: ignore[untyped-decorator]  # locust has no types
def _add_options(parser: ArgumentParser) -> None:
    parser.add_argument("--phases", default="1:60", help="PACE:SECONDS, with commas between")
    parser.add_argument("--problems", default="vector-add", help="slugs, with commas between")


@events.test_start.add_listener  # type: ignore[untyped-decorator]  # as above
def _begin(environment: Environment, **_: Any) -> None:
    gevent.spawn(_measure, environment)


def _measure(environment: Environment) -> None:
    """Print the figures of signing in, then those of each phase."""
    global _pace  # noqa: PLW0603 - what all users go by
    options, runner = environment.parsed_options, environment.runner
    assert options is not None
    assert runner is not None
    began, people = time.monotonic(), options.num_users
    while len(_arrived) < people and time.monotonic() < began + ARRIVED_S:
        gevent.sleep(0.1)
    _tell("figures", "arriving", environment)
    for phase in options.phases.split(","):
        pace, seconds = map(float, phase.split(":"))
        _pace = pace
        gevent.spawn(_give_turns, pace, people)
        gevent.sleep(SETTLE_S)
        environment.stats.reset_all()
        _tell("begun", phase, environment)
        gevent.sleep(seconds)
        _tell("figures", phase, environment)
    runner.quit()


def _give_turns(pace: float, people: int) -> None:
    """Let submitters submit `pace` times a second until the pace changes."""
    while pace and pace == _pace:
        _turns.put(None)
        gevent.sleep(1 / pace)
    for _ in range(0 if pace else people):  # without a limit, release the users who wait for a turn
        _turns.put(None)


def _tell(what: str, phase: str, environment: Environment) -> None:
    rows = []
    for entry in filter(attrgetter("num_requests"), environment.stats.entries.values()):
        times = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
        row = {"name": entry.name, "count": entry.num_requests, "failures": entry.num_failures}
        rows.append(row | {name: entry.get_response_time_percentile(part) for name, part in times.items()})
    errors = [
        f"{error.name}: {error.error} ({error.occurrences})" for error in environment.stats.errors.values()
    ]
    print(json.dumps({"what": what, "phase": phase, "rows": rows, "errors": errors[:5]}), flush=True)


class Visitor(FastHttpUser):
    """A user with an account, in a browser that keeps its connections."""

    abstract = True
    network_timeout = ARRIVED_S
    wait_time = constant(0)  # the tasks make their own pauses

    def __init__(self, environment: Environment) -> None:
        self.number = next(_numbers)
        self.rng = random.Random(self.number)
        self.default_headers = {"X-Forwarded-For": f"10.0.{self.number // 250}.{self.number % 250}"}
        super().__init__(environment)

    def on_start(self) -> None:
        """Sign in on the page, from a separate address."""
        slugs = self.environment.parsed_options.problems.split(",")
        self.slug = slugs[self.number % len(slugs)]
        self.revision = 0
        page = self.see("/accounts/login/", "sign in, page")
        for asset in sorted(set(re.findall(r'(?:src|href)="(/static/[^"]+)"', page))):
            self.client.get(asset, name="assets of a page")
        form = {"login": f"user{self.number:05}", "password": PASSWORD, "remember": "on"}
        self.send("/accounts/login/", "sign in", form, allow_redirects=False)
        self.see("/problems", "problems")
        _arrived.append(self.number)

    def see(self, path: str, name: str, **options: Any) -> str:
        """Return the text of a page."""
        return str(self.client.get(path, name=name, **options).text or "")

    def send(self, path: str, name: str, form: dict[str, str], **options: Any) -> str:
        """Submit a form, and return the response."""
        return str(self.client.post(path, name=name, data=form, headers=self.token(), **options).text or "")

    def token(self) -> dict[str, str]:
        """Return the headers that a script sends with a POST."""
        cookies: Iterator[Cookie] = iter(self.client.cookiejar)
        values = {cookie.name: cookie.value or "" for cookie in cookies}
        return {"X-CSRFToken": values.get("csrftoken", ""), "HX-Request": "true"}

    def write(self) -> str:
        """Return a program that is in no cache, with the words that the scripted judge reads."""
        words = self.rng.choice(VERDICTS).format(score=self.rng.uniform(20, 200))
        return PROGRAM.format(words=f"{words} {JUDGED}", mark=secrets.token_hex(8))

    def hand_in(self, source: str, mode: str) -> None:
        """Submit, watch the events until the last one, and read the report."""
        started = time.perf_counter()
        form = {"language": LANGUAGE, "mode": mode, "source": source}
        answer = self.send(f"/problems/{self.slug}/submissions", f"post a {mode}", form)
        if not (found := re.search(r'data-events="(/submissions/(\w+)/events[^"]*)"', answer)):
            return  # refused, which locust has counted, or already judged
        self.watch(found[1])
        took_ms = 1000 * (time.perf_counter() - started)
        self.environment.events.request.fire(
            request_type="SSE",
            name="from submission to verdict",
            response_time=took_ms,
            response_length=0,
        )
        self.see(f"/s/{found[2]}/report", "report", headers={"HX-Request": "true"})

    def watch(self, path: str) -> None:
        """Follow an event stream to its end. Reconnect each time it is closed before."""
        while True:
            response = self.client.get(path, name="event stream, until it is open", stream=True)
            if response.status_code != 200:
                return
            with response.stream as stream:
                while line := stream.readline(b"\n"):
                    if line.startswith(b"event: finished"):
                        return


class Student(Visitor):
    """A user who works on problems, like a student of a class."""

    def on_start(self) -> None:
        """Sign in and begin to read."""
        super().on_start()
        # Users who signed in at the same time do not work in step.
        self.runs = self.rng.randint(0, RUNS_PER_SUBMIT)
        self.pause(0, READING_S[1])

    def pause(self, least_s: float, most_s: float) -> None:
        """Pause for a while. The pause ends earlier if the pace increases."""
        left_s = self.rng.uniform(least_s, most_s)
        while left_s > 0:
            step_s = min(left_s / _pace, TICK_S)
            gevent.sleep(step_s)
            left_s -= step_s * _pace

    @task
    def solve(self) -> None:
        """Open the problem and write until it is submitted."""
        page = self.see(f"/problems/{self.slug}?language={LANGUAGE}", "problem")
        found = re.search(r'data-revision="(\d+)"', page)
        self.revision = int(found[1]) if found else 0
        self.pause(*READING_S)
        runs, self.runs = self.runs, RUNS_PER_SUBMIT
        for _ in range(runs):
            self.hand_in(self.edit(), "run")
            self.pause(*LOOKING_S)
        self.hand_in(self.edit(), "submit")
        self.pause(*LOOKING_S)
        for path, name in (
            (f"/problems/{self.slug}/leaderboard", "leaderboard"),
            ("/submissions", "my submissions"),
            ("/problems", "problems"),
        ):
            self.see(path, name)
            self.pause(*LOOKING_S)

    def edit(self) -> str:
        """Write, with pauses in which the editor saves the draft."""
        source = self.write()
        for _ in range(self.rng.randint(*SAVES)):
            self.pause(*WRITING_S)
            body = {"source": source, "expected": self.revision, "keep": False}
            path = f"/problems/{self.slug}/drafts/{LANGUAGE}"
            with self.client.put(
                path, name="save a draft", json=body, headers=self.token(), catch_response=True
            ) as answer:
                self.revision = (answer.json() or {}).get("revision", self.revision)
        return source


class Submitter(Visitor):
    """Submits without writing. The pace is the rate of all submitters together per second, 0 for no limit."""

    @task
    def submit(self) -> None:
        """Wait for a turn, submit and watch."""
        if _pace:
            _turns.get()
        self.hand_in(self.write(), "submit")
