"""The part of `benchmarks.verdict_latency` with a site: from POST to verdict.

Starts a new site and a worker on a free port with an empty database, and warms up. Then submits vector
addition through the REST API, and waits for the verdict on the event stream, like a browser.
"""

import os
import secrets
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

ROOT = Path(__file__).resolve().parent.parent
SOLUTIONS = ROOT / "problems" / "vector-add" / "solutions"
PASSWORD = "verdict-latency-" + secrets.token_hex(8)


@dataclass(frozen=True, slots=True)
class Row:
    """One kind of submission, and the limit of its median time in seconds."""

    name: str
    language: str
    file: str
    fresh: bool
    limit_s: float


ROWS = (
    Row("CUDA, new source", "cuda", "plain.cu", True, 2.0),
    Row("CUDA, compiled before", "cuda", "plain.cu", False, 0.6),
    Row("Triton, new source", "triton", "plain.py", True, 2.5),
)


def measure(rounds: int) -> int:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as client:
        print(f"{'':24} {'median':>8} {'min':>8} {'max':>8} {'limit':>7} {'ratio':>6}")
        for row in ROWS:
            submit_and_wait(client, row)  # warms up the pool, the page cache and the compiler's files
            times = [submit_and_wait(client, row) for _ in range(rounds)]
            median = statistics.median(times)
            print(
                f"{row.name:24} {median:7.2f}s {min(times):7.2f}s {max(times):7.2f}s"
                f" {row.limit_s:6.1f}s {median / row.limit_s:6.2f}"
            )
    return 0


@contextmanager
def serving(folder: Path) -> Iterator[httpx.Client]:
    """Run a site with a worker on `folder`. Yield a client that is signed in."""
    port = free_port()
    environment = os.environ | {
        "WARPCOURT_DATA_DIR": str(folder),
        "WARPCOURT_PORT": str(port),
        "WARPCOURT_SUBMITS_PER_MINUTE": "1000",
    }
    manage(environment, "migrate", "--verbosity", "0")
    manage(environment, "loadproblems")
    create_user(environment)
    process = subprocess.Popen(
        [sys.executable, "-m", "worker.supervise"], cwd=ROOT, env=environment, stdout=subprocess.DEVNULL
    )
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}/api/v1", timeout=60) as client:
            sign_in(client)
            yield client
    finally:
        process.terminate()
        process.wait(30)


def submit_and_wait(client: httpx.Client, row: Row) -> float:
    """Return the seconds from the POST to the final event."""
    source = (SOLUTIONS / row.file).read_text()
    if row.fresh:
        comment = "//" if row.language == "cuda" else "#"
        source += f"\n{comment} {secrets.token_hex(8)}\n"
    started = time.perf_counter()
    body = {"problem": "vector-add", "language": row.language, "mode": "submit", "source": source}
    answer = client.post("/submissions", json=body).raise_for_status().json()
    verdict = follow(client, answer["id"])
    took = time.perf_counter() - started
    if verdict != "accepted":
        raise SystemExit(f"{row.name}: the verdict is {verdict}")
    return took


def follow(client: httpx.Client, identifier: str) -> str:
    """Read the event stream to its end and return the verdict."""
    with client.stream("GET", f"/submissions/{identifier}/events") as stream:
        for line in stream.iter_lines():
            if line == "event: finished":
                break
    verdict: str = client.get(f"/submissions/{identifier}").raise_for_status().json()["verdict"]
    return verdict


def sign_in(client: httpx.Client) -> None:
    """Create a token as soon as the site answers, and use it in `client`."""
    body = {"username": "latency", "password": PASSWORD, "name": "benchmark"}
    for _ in range(1800):  # the first start builds functional mode
        try:
            answer = client.post("/tokens", json=body)
            break
        except httpx.TransportError:
            time.sleep(0.1)
    else:
        raise SystemExit("the site does not answer")
    client.headers["Authorization"] = f"Bearer {answer.raise_for_status().json()['token']}"


def create_user(environment: Mapping[str, str]) -> None:
    """Create the user who submits."""
    code = f"from web.accounts.models import User; User.objects.create_user('latency', password={PASSWORD!r})"
    manage(environment, "shell", "--command", code)


def manage(environment: Mapping[str, str], *arguments: str) -> None:
    """Run a management command."""
    subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=dict(environment),
        check=True,
        stdout=subprocess.DEVNULL,
    )


def free_port() -> int:
    """Return a port on which no process listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
