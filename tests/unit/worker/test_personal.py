"""Tests the process of a personal node: it judges the site's runs, and survives an unreachable site."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any

import httpx
import pytest
from django.conf import settings as site_settings

from judge.errors import JudgementCancelled
from judge.report import Report
from problems.vocabulary import Verdict
from worker import personal
from worker.personal import KeyRefused, Site, SiteAway, judge_next, serve
from worker.shutdown import GracefulShutdown

RUN = {
    "id": "abc",
    "attempt": 2,
    "lease_s": 20,
    "language": "cuda",
    "source": "int x;",
    "sizes": None,
    "values": None,
    "seed": None,
    "problem": "vector-add",
    "files": {"problem.toml": "title", "reference.py": "pass"},
}


class TheSite:
    """A site with one run, which notes what it is sent."""

    def __init__(self, run: dict[str, Any] | None = RUN) -> None:
        self.run = run
        self.sent: list[tuple[str, dict[str, Any]]] = []

    def answer(self, request: httpx.Request) -> httpx.Response:
        assert request.headers["authorization"] == "Bearer wcn_key"
        path = request.url.path.removeprefix("/api/v1/personal/")
        self.sent.append((path, json.loads(request.content)))
        answers = {"claim": {"run": self.run}, "extend": {"hold": "held"}}
        return httpx.Response(200, json=answers.get(path.rpartition("/")[2], {"recorded": True}))

    def open(self, answer: Callable[[httpx.Request], httpx.Response] | None = None) -> Site:
        config = replace(site_settings.WARPCOURT, site_url="https://court.example.org", node_key="wcn_key")
        return personal.open_site(config, "CPU", httpx.MockTransport(answer or self.answer))

    @property
    def last(self) -> tuple[str, dict[str, Any]]:
        return self.sent[-1]


def accept(folder: Path, run: Any, cancelled: Event) -> Report:
    assert folder.name == "vector-add"
    assert (folder / "reference.py").read_text() == "pass"
    assert not cancelled.is_set()
    return Report(Verdict.ACCEPTED, listings={"ptx": "x" * 100})


def test_a_run_is_judged_and_reported_without_listings() -> None:
    site = TheSite()
    assert judge_next(site.open(), accept, GracefulShutdown())
    assert site.sent[0][1]["hardware"] == "CPU"
    path, body = site.last
    assert path == "runs/abc/2/report"
    assert (body["verdict"], body["listings"]) == ("accepted", {})
    assert not judge_next(TheSite(None).open(), accept, GracefulShutdown())


@pytest.mark.parametrize(("error", "failed"), [(RuntimeError("broken"), True), (JudgementCancelled(), False)])
def test_what_cannot_be_judged_is_returned(error: Exception, failed: bool) -> None:
    def fail(*_: object) -> Report:
        raise error

    site = TheSite()
    assert judge_next(site.open(), fail, GracefulShutdown())
    assert site.last == ("runs/abc/2/return", {"failed": failed})


def test_a_package_that_leads_elsewhere_is_not_written() -> None:
    site = TheSite({**RUN, "files": {"../../escape": "x"}})
    assert judge_next(site.open(), accept, GracefulShutdown())
    assert site.last == ("runs/abc/2/return", {"failed": True})


def test_a_report_that_is_too_large_is_shortened() -> None:
    site = TheSite()
    judge_next(site.open(), lambda *_: Report(Verdict.ACCEPTED, log="x" * 2**21), GracefulShutdown())
    assert (site.last[1]["verdict"], site.last[1]["log"]) == ("accepted", "")


def test_a_report_that_is_refused_is_sent_as_a_verdict() -> None:
    site = TheSite()

    def answer(request: httpx.Request) -> httpx.Response:
        taken = site.answer(request)
        return httpx.Response(422) if json.loads(request.content).get("log") else taken

    assert judge_next(site.open(answer), lambda *_: Report(Verdict.ACCEPTED, log="x"), GracefulShutdown())
    assert (site.last[1]["verdict"], site.last[1]["log"]) == ("accepted", "")


@pytest.mark.parametrize(
    "run", [7, {}, {**RUN, "id": 7}, {**RUN, "files": []}, {**RUN, "attempt": "1"}, {**RUN, "lease_s": 0}]
)
def test_an_answer_of_another_form_does_not_end_the_node(run: Any) -> None:
    with pytest.raises(SiteAway, match="not a run"):
        judge_next(TheSite(run).open(), accept, GracefulShutdown())


def test_the_key_is_sent_to_the_site_only() -> None:
    asked: list[httpx.Request] = []

    def redirect(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return httpx.Response(307, headers={"location": "https://elsewhere.example.org/"})

    site = TheSite({**RUN, "id": "../../../elsewhere"})
    with pytest.raises(SiteAway):
        site.open(redirect).claim()
    assert [request.url.host for request in asked] == ["court.example.org"]
    judge_next(site.open(), accept, GracefulShutdown())
    assert all(path.startswith(("claim", "runs/")) for path, _ in site.sent)


@pytest.mark.parametrize(
    ("site", "safe"),
    [
        ("https://court.example.org", True),
        ("http://localhost:8000", True),
        ("http://court.example.org", False),
    ],
)
def test_the_key_is_not_sent_in_the_clear(site: str, safe: bool, monkeypatch, capsys) -> None:
    config = replace(site_settings.WARPCOURT, site_url=site, node_key="wcn_key", target="scripted")
    monkeypatch.setattr(site_settings, "WARPCOURT", config)
    monkeypatch.setattr("worker.personal.signal.signal", lambda *_: None)
    monkeypatch.setattr(personal, "serve", lambda *_, **__: 0)
    assert personal.main() == (0 if safe else 1)
    assert ("is not encrypted" in capsys.readouterr().err) is not safe


def test_on_the_same_host_the_key_goes_to_no_proxy(monkeypatch) -> None:
    heard: list[str] = []

    class TheHost(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            heard.append(self.path)
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *_: object) -> None:
            """Write nothing."""

    with HTTPServer(("127.0.0.1", 0), TheHost) as here, HTTPServer(("127.0.0.1", 0), TheHost) as proxy:
        for server in (here, proxy):
            Thread(target=server.serve_forever, daemon=True).start()
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.server_port}")
        url = f"http://127.0.0.1:{here.server_port}"
        config = replace(site_settings.WARPCOURT, site_url=url, node_key="wcn_key")
        assert personal.open_site(config, "CPU").claim() is None
        for server in (here, proxy):
            server.shutdown()
    assert heard == ["/api/v1/personal/claim"]  # a proxy gets the whole address


def test_a_site_of_another_version_ends_the_node_with_its_message(capsys) -> None:
    body = {"error": {"message": "Update the checkout to 9.9.9.\x1b[2J"}}
    site = TheSite().open(lambda _: httpx.Response(409, json=body))
    step = partial(judge_next, site, accept, GracefulShutdown())
    assert serve(step, stopping=lambda: False, pause=lambda _: None) == 1
    assert capsys.readouterr().err == "Update the checkout to 9.9.9.[2J\n"
    with pytest.raises(SiteAway):
        TheSite().open(lambda _: httpx.Response(409, json=[])).claim()


def _without_the_run(site: TheSite, request: httpx.Request) -> httpx.Response:
    return httpx.Response(404) if "/runs/" in request.url.path else site.answer(request)


@pytest.mark.parametrize("error", [None, RuntimeError("broken"), JudgementCancelled()])
def test_a_run_that_was_lost_is_not_a_site_that_is_away(error: Exception | None) -> None:
    def judge(*_: object) -> Report:
        if error:
            raise error
        return Report(Verdict.ACCEPTED)

    assert judge_next(TheSite().open(partial(_without_the_run, TheSite())), judge, GracefulShutdown())


def test_a_node_that_is_removed_stops_judging() -> None:
    site = TheSite()

    def answer(request: httpx.Request) -> httpx.Response:
        return site.answer(request) if request.url.path.endswith("claim") else httpx.Response(401)

    def judge(_folder: Path, _run: Any, cancelled: Event) -> Report:
        assert cancelled.wait(60)
        raise JudgementCancelled

    with pytest.raises(KeyRefused):
        judge_next(site.open(answer), judge, GracefulShutdown())


def _constant(answer: httpx.Response, _request: httpx.Request) -> httpx.Response:
    return answer


def test_a_key_that_is_refused_ends_the_node_and_a_site_that_is_away_does_not(capsys) -> None:
    site = TheSite()
    with pytest.raises(KeyRefused):
        site.open(lambda _: httpx.Response(401)).claim()
    for wrong in (httpx.Response(502), httpx.Response(200, content=b"<html>"), httpx.Response(200, json=[])):
        with pytest.raises(SiteAway):
            site.open(partial(_constant, wrong)).claim()
    steps: Iterator[bool | Exception] = iter([SiteAway("down"), SiteAway("down"), True, False, KeyRefused()])
    paused: list[float] = []

    def step() -> bool:
        found = next(steps)
        if isinstance(found, Exception):
            raise found
        return found

    assert serve(step, stopping=lambda: False, pause=paused.append) == 1
    assert paused == [personal.AWAY_S, personal.AWAY_S, personal.POLL_S]
    assert "invite it again" in capsys.readouterr().err
    assert serve(step, stopping=lambda: True, pause=paused.append) == 0


def test_without_settings_it_says_how_to_join(capsys) -> None:
    assert personal.main() == 1
    assert "node join" in capsys.readouterr().err
