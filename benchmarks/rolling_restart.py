"""Checks whether requests fail during a restart: `python -m benchmarks.rolling_restart URL -- COMMAND...`.

COMMAND restarts the site, usually `deploy/rolling-restart web`. From shortly before COMMAND until shortly
after it, simulated users request pages over kept connections. The benchmark counts failed requests (no
answer, or a status of 500 or more) and prints the time of the slowest request. With --token, the users also
submit programs, each with a different source. At the end, every accepted submission must exist. The exit
status is 0 if nothing failed.
"""

import argparse
import itertools
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median

import httpx

PATHS = ("/", "/problems/vector-add", "/api/v1/problems", "/leaderboards", "/accounts/login/")
SETTLE_S = 2.0
TIMEOUT_S = 30.0
_PACE_S = 0.02


@dataclass(slots=True)
class Tally:
    """The results of the requests."""

    took_s: list[float] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    handed_in: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        """Return a readable summary."""
        took_ms = sorted(1000 * each for each in self.took_s) or [0.0]
        return (
            f"{len(self.took_s)} requests, {len(self.failed)} failed, "
            f"{len(self.handed_in)} programs submitted; "
            f"median {median(took_ms):.0f} ms, p99 {took_ms[int(0.99 * (len(took_ms) - 1))]:.0f} ms, "
            f"slowest {took_ms[-1]:.0f} ms"
        )


@dataclass(frozen=True, slots=True)
class Site:
    """The site to measure.

    If set, `address` is used instead of resolving the host name. `root` signed its certificate.
    """

    url: str
    address: str = ""
    root: str = ""
    token: str = ""

    def client(self) -> httpx.Client:
        """Return the client of a user, with separate connections."""
        trust = ssl.create_default_context(cafile=self.root or None)
        return httpx.Client(
            base_url=self.url,
            transport=_At(self.address, verify=trust) if self.address else None,
            verify=trust,
            headers={"Authorization": f"Bearer {self.token}"} if self.token else {},
            timeout=TIMEOUT_S,
        )


class _At(httpx.HTTPTransport):
    """A transport that connects to a fixed address instead of resolving host names.

    It tells the server the host name.
    """

    def __init__(self, address: str, *, verify: ssl.SSLContext) -> None:
        super().__init__(verify=verify)
        self._address = address

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send the request to the fixed address. Its header `Host` is already set."""
        request.extensions = {**request.extensions, "sni_hostname": request.url.host}
        request.url = request.url.copy_with(host=self._address)
        return super().handle_request(request)


def measure(site: Site, during: Callable[[], object], *, people: int = 6) -> Tally:
    """Send requests continuously while `during` runs."""
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
    with site.client() as http:
        for turn in itertools.count(number):
            if stop.is_set():
                return
            began = time.monotonic()
            try:
                if site.token and turn % (len(PATHS) + 1) == 0:
                    what = "POST a program"
                    source = f"accepted // {number} {turn}"
                    program = {"problem": "vector-add", "language": "cuda", "source": source}
                    answer = http.post("/api/v1/submissions", json=program)
                    if answer.status_code == 201:
                        tally.handed_in.append(answer.json()["id"])
                else:
                    what = f"GET {PATHS[turn % len(PATHS)]}"
                    answer = http.get(PATHS[turn % len(PATHS)])
                if answer.status_code >= 500:
                    said, took_s = answer.text[:120], time.monotonic() - began
                    tally.failed.append(f"{what}: {answer.status_code} after {took_s:.1f} s: {said}")
            except httpx.HTTPError as error:
                tally.failed.append(f"{what}: {type(error).__name__} {error}")
            tally.took_s.append(time.monotonic() - began)
            stop.wait(_PACE_S)


def main() -> int:
    """Measure, and print the results of the requests."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rolling_restart", description=__doc__)
    parser.add_argument("url", help="where the site is, as https://court.example.org")
    parser.add_argument("--address", default="", help="ask this address instead of looking the host up")
    parser.add_argument("--root", default="", metavar="FILE", help="certificate of the authority to trust")
    parser.add_argument("--token", default="", help="token of an account that may submit programs")
    parser.add_argument("--people", type=int, default=6)
    parser.add_argument("command", nargs="+", help="what restarts the site")
    options = parser.parse_args()
    site = Site(options.url, options.address, options.root, options.token)
    tally = measure(site, lambda: subprocess.run(options.command, check=True), people=options.people)
    print(tally)
    with site.client() as http:
        paths = (f"/api/v1/submissions/{public_id}" for public_id in tally.handed_in)
        tally.failed += [f"{path} is not there" for path in paths if http.get(path).status_code != 200]
    for failure in tally.failed[:20]:
        print(f"  {failure}")
    return int(bool(tally.failed))


if __name__ == "__main__":
    sys.exit(main())
