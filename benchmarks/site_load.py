"""Measures how many pages per second the site serves, their latency, and their size.

Run with `python -m benchmarks.site_load`.

Fills a new PostgreSQL database with `benchmarks.site_data`, which takes minutes, or uses the database at
`--database-url` as it is. Serves the site with two processes and requests the problem page: first as fast as
possible, over kept connections like a proxy, then at half of the required rate, with a new connection for
each view. The client runs on the same machine and uses part of its processors, so two cores for the site
alone would give better figures. Prints each figure with its ratio to the budget.
"""

import argparse
import asyncio
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.request import urlopen

from playwright.sync_api import sync_playwright

from testing.services import free_port, postgresql, wait_until

ROOT = Path(__file__).resolve().parent.parent
VIEWS_PER_S = 200.0
P95_MS = 100.0
HTML_KB = 60.0
ASSETS_KB = 300.0
CONNECTIONS = 32
PAGES = ("/problems", "/problems/{slug}/leaderboard", "/ranking", "/tracks", "/")


@dataclass(frozen=True, slots=True)
class Load:
    """The results of a series of requests: answers per second, and the sorted milliseconds of the answers."""

    per_s: float
    times_ms: list[float]

    def percentile(self, percent: int) -> float:
        """Return the time within which that part of the answers arrived."""
        return self.times_ms[min(len(self.times_ms) - 1, len(self.times_ms) * percent // 100)]


def main() -> int:
    """Measure and print. Return 1 if a budget is exceeded."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.site_load", description=main.__doc__)
    parser.add_argument("--problems", type=int, default=1000)
    parser.add_argument("--users", type=int, default=10_000)
    parser.add_argument("--submissions", type=int, default=1_000_000)
    parser.add_argument("--database-url", help="a PostgreSQL that benchmarks.site_data has filled")
    parser.add_argument("--seconds", type=float, default=10.0, help="for each series of requests")
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        filled(options, Path(folder)) as database,
        serving(Path(folder), database) as url,
    ):
        slug = first_problem(url)
        page = f"/problems/{slug}"
        rows = weights(url, page)
        full = asyncio.run(load(url, page, seconds=options.seconds, per_s=None))
        half = asyncio.run(load(url, page, seconds=options.seconds, per_s=VIEWS_PER_S / 2))
        rows += [
            ("problem pages a second", full.per_s, VIEWS_PER_S, False),
            (f"p95 at {VIEWS_PER_S / 2:.0f} a second, ms", half.percentile(95), P95_MS, True),
        ]
        print(f"{'':44} {'measured':>9} {'budget':>8} {'ratio':>6}")
        for name, value, budget, _ in rows:
            print(f"{name:44} {value:9.1f} {budget:8.0f} {value / budget:6.2f}")
        print(f"\n{'one at a time':44} {'median ms':>9} {'p95 ms':>8}")
        for other in (page, *(path.format(slug=slug) for path in PAGES)):
            alone = asyncio.run(
                load(url, other, seconds=min(options.seconds, 3.0), per_s=None, connections=1)
            )
            print(f"{other:44} {alone.percentile(50):9.1f} {alone.percentile(95):8.1f}")
    return int(any(value > budget if most else value < budget for _, value, budget, most in rows))


@contextmanager
def filled(options: argparse.Namespace, folder: Path) -> Iterator[str]:
    """Yield the URL of a database with the requested users and submissions."""
    if options.database_url:
        yield options.database_url
        return
    sizes = [f"--{name}={getattr(options, name)}" for name in ("problems", "users", "submissions")]
    with postgresql() as url:
        for argv in (["manage.py", "migrate", "-v0"], ["-m", "benchmarks.site_data", *sizes]):
            subprocess.run([sys.executable, *argv], cwd=ROOT, env=environment(folder, url), check=True)
        yield url


@contextmanager
def serving(folder: Path, database: str) -> Iterator[str]:
    """Serve a site on `database` with two processes. Yield its address."""
    port = free_port()
    serve = (
        f"-m uvicorn web.asgi:application --port {port} --workers 2 --lifespan off --no-access-log".split()
    )
    process = subprocess.Popen(
        [sys.executable, *serve, "--log-level", "warning"], cwd=ROOT, env=environment(folder, database)
    )
    try:
        url = f"http://127.0.0.1:{port}"
        wait_until(lambda: answers(url), "the site's start", 120)
        yield url
    finally:
        process.terminate()
        process.wait(30)


def environment(folder: Path, database: str) -> dict[str, str]:
    """Return the environment of the measured site."""
    return os.environ | {
        "WARPCOURT_DATA_DIR": str(folder),
        "WARPCOURT_DATABASE_URL": database,
        "WARPCOURT_TARGET": "scripted",
        "DJANGO_SETTINGS_MODULE": "web.settings",
    }


def answers(url: str) -> bool:
    """Return whether the site is ready."""
    try:
        with urlopen(f"{url}/readyz", timeout=1) as response:
            return bool(response.status == 200)
    except OSError:
        return False


def first_problem(url: str) -> str:
    """Return the slug of a problem."""
    with urlopen(f"{url}/problems") as response:
        found = re.search(r'href="/problems/([a-z0-9-]+)"', response.read().decode())
    if found is None:
        raise SystemExit("the list of problems is empty")
    return found[1]


def weights(url: str, page: str) -> list[tuple[str, float, float, bool]]:
    """Return the kilobytes that Chromium transfers for the page, and for all that a first view loads."""
    loaded: dict[str, float] = {}
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(
            executable_path="/usr/bin/chromium-headless-shell", args=["--no-sandbox", "--disable-gpu"]
        ) as browser,
    ):
        opened = browser.new_page()
        names: dict[str, str] = {}
        session = opened.context.new_cdp_session(opened)
        session.on(
            "Network.responseReceived",
            lambda event: names.update({event["requestId"]: event["response"]["url"]}),
        )
        session.on(
            "Network.loadingFinished",
            lambda event: loaded.update({names[event["requestId"]]: event["encodedDataLength"]}),
        )
        session.send("Network.enable")
        opened.goto(url + page)
        opened.locator(".workbench[data-ready]").wait_for()
        opened.wait_for_load_state("networkidle")
        html = len(opened.request.get(url + page).body())
    assets = [size for address, size in loaded.items() if "/static/" in address]
    return [
        ("problem page, KB of HTML", html / 1000, HTML_KB, True),
        (f"its {len(assets)} assets, KB as they travel", sum(assets) / 1000, ASSETS_KB, True),
    ]


async def load(
    url: str, path: str, *, seconds: float, per_s: float | None, connections: int = CONNECTIONS
) -> Load:
    """Request `path` for `seconds`.

    Send `per_s` requests per second, or as many as possible over kept connections if `per_s` is None.
    """
    host, port = url.removeprefix("http://").split(":")
    request = f"GET {path} HTTP/1.1\r\nHost: {host}\r\nAccept-Encoding: gzip\r\n\r\n".encode()
    times: list[float] = []
    started = time.perf_counter()
    slots = iter(range(10**9))

    async def ask() -> None:
        streams = None
        while (now := time.perf_counter()) - started < seconds:
            due = now
            if per_s is not None:
                due = started + next(slots) / per_s
                await asyncio.sleep(max(0.0, due - now))
            reader, writer = streams = streams or await asyncio.open_connection(host, int(port))
            writer.write(request)
            await _read_answer(reader)
            # Measure from the time at which the request was due, so that waiting behind a slow answer counts.
            times.append(1000 * (time.perf_counter() - due))
            if per_s is not None:
                writer.close()
                streams = None

    await asyncio.gather(*(ask() for _ in range(connections)))
    return Load(len(times) / (time.perf_counter() - started), sorted(times))


async def _read_answer(reader: asyncio.StreamReader) -> None:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    if not head.startswith("HTTP/1.1 200"):
        raise SystemExit(f"the site answers: {head.splitlines()[0]}")
    if length := re.search(r"(?im)^content-length: (\d+)", head):
        await reader.readexactly(int(length[1]))
        return
    while size := int(await reader.readline(), 16):
        await reader.readexactly(size + 2)
    await reader.readline()


if __name__ == "__main__":
    sys.exit(main())
