"""Whether requests fail while a site is restarted: `python -m benchmarks.rolling_restart URL -- COMMAND...`.

People ask for pages and hand programs in, over connections that they keep, as long as COMMAND runs and a
little before and after it, as a rule `deploy/rolling-restart web`. Counts what failed (no answer, or a
status from 500 on) and tells how long the slowest took; exit status 0 when nothing failed. With --token
programs are handed in too, each with its own source, and at the end every one that was accepted has to be
there.
"""

import argparse
import itertools
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import median
from urllib.parse import urlsplit

import httpx

PATHS = ("/", "/problems/vector-add", "/api/v1/problems", "/leaderboards", "/accounts/login/")
SETTLE_S = 2.0
TIMEOUT_S = 30.0
_PACE_S = 0.02


@dataclass(slots=True)
class Tally:
    """What became of the requests."""

    took_s: list[float] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    handed_in: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        """For people."""
        took_ms = sorted(1000 * each for each in self.took_s) or [0.0]
        return (
            f"{len(self.took_s)} requests, {len(self.failed)} failed, "
            f"{len(self.handed_in)} programs handed in; "
            f"median {median(took_ms):.0f} ms, p99 {took_ms[int(0.99 * (len(took_ms) - 1))]:.0f} ms, "
            f"slowest {took_ms[-1]:.0f} ms"
        )


@dataclass(frozen=True, slots=True)
class Site:
    """Where the site is. `address` is asked instead of its host name; `root` signed its certificate."""

    url: str
    address: str = ""
    root: str = ""
    token: str = ""

    @contextmanager
    def client(self) -> Iterator[Callable[..., httpx.Response]]:
        """`ask(method, path, ...)` of somebody with connections of their own."""
        parts = urlsplit(self.url)
        host = self.address or parts.hostname
        base = f"{parts.scheme}://{host}:{parts.port or (443 if parts.scheme == 'https' else 80)}"
        trust = ssl.create_default_context(cafile=self.root or None)
        headers = {"Host": parts.netloc, "Authorization": f"Bearer {self.token}"}
        if not self.token:
            del headers["Authorization"]
        with httpx.Client(base_url=base, verify=trust, headers=headers, timeout=TIMEOUT_S) as http:

            def ask(method: str, path: str, **body: object) -> httpx.Response:
                extensions = {"sni_hostname": parts.hostname}
                return http.request(method, path, extensions=extensions, json=body or None)

            yield ask


def measure(site: Site, during: Callable[[], object], *, people: int = 6) -> Tally:
    """Ask all the time while `during` runs."""
    tally, stop = Tally(), threading.Event()
    threads = [
        threading.Thread(target=_ask_until, args=(site, number, tally, stop)) for number in range(people)
    ]
    for thread in threads:
        thread.start()
    try:
        time.sleep(SETTLE_S)
        during()
        time.sleep(SETTLE_S)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    return tally


def _ask_until(site: Site, number: int, tally: Tally, stop: threading.Event) -> None:
    with site.client() as ask:
        for turn in itertools.count(number):
            if stop.is_set():
                return
            began = time.monotonic()
            try:
                if site.token and turn % (len(PATHS) + 1) == 0:
                    what = "POST a program"
                    source = f"accepted // {number} {turn}"
                    answer = ask(
                        "POST", "/api/v1/submissions", problem="vector-add", language="cuda", source=source
                    )
                    if answer.status_code == 201:
                        tally.handed_in.append(answer.json()["id"])
                else:
                    what = f"GET {PATHS[turn % len(PATHS)]}"
                    answer = ask("GET", PATHS[turn % len(PATHS)])
                if answer.status_code >= 500:
                    tally.failed.append(f"{what}: {answer.status_code}")
            except httpx.HTTPError as error:
                tally.failed.append(f"{what}: {type(error).__name__} {error}")
            tally.took_s.append(time.monotonic() - began)
            stop.wait(_PACE_S)


def main() -> int:
    """Measure, and print what became of the requests."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rolling_restart", description=__doc__)
    parser.add_argument("url", help="where the site is, as https://court.example.org")
    parser.add_argument("--address", default="", help="ask this address instead of looking the host up")
    parser.add_argument("--root", default="", metavar="FILE", help="certificate of the authority to trust")
    parser.add_argument("--token", default="", help="of an account that hands programs in")
    parser.add_argument("--people", type=int, default=6)
    parser.add_argument("command", nargs="+", help="what restarts the site")
    options = parser.parse_args()
    site = Site(options.url, options.address, options.root, options.token)
    tally = measure(site, lambda: subprocess.run(options.command, check=True), people=options.people)
    print(tally)
    with site.client() as ask:
        paths = (f"/api/v1/submissions/{public_id}" for public_id in tally.handed_in)
        tally.failed += [f"{path} is not there" for path in paths if ask("GET", path).status_code != 200]
    for failure in tally.failed[:20]:
        print(f"  {failure}")
    return int(bool(tally.failed))


if __name__ == "__main__":
    sys.exit(main())
