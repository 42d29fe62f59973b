"""Tests that the web server of a deployment announces its stop before it stops."""

import signal
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.test import Client

from testing.services import wait_until
from web import serve
from web.config import Config
from web.site import draining

IDLES = [sys.executable, "-c", "import signal; signal.pause()"]


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return replace(Config.from_env({}), runtime_dir=tmp_path / "run", drain_s=0, port=8123)


@pytest.fixture
def servers(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Every server that was started: a program that waits for a signal, or the one given as `argv`."""
    started: list[Any] = []
    real = subprocess.Popen

    def start(argv: list[str], **more: Any) -> Any:
        started.append(real(argv, **more))
        return started[-1]

    monkeypatch.setattr("web.serve.subprocess.Popen", start)
    monkeypatch.setattr("web.serve.uvicorn_argv", lambda _: IDLES)
    return started


def serving(config: Config) -> tuple[threading.Thread, threading.Event, threading.Event, list[int]]:
    stop, hurry, status = threading.Event(), threading.Event(), list[int]()
    thread = threading.Thread(target=lambda: status.append(serve.serve(config, stop, hurry)))
    thread.start()
    return thread, stop, hurry, status


def test_it_drains_before_it_stops(config: Config, servers: list[Any]) -> None:
    thread, stop, hurry, status = serving(replace(config, drain_s=600))
    wait_until(lambda: bool(servers), "a start")
    assert not draining.draining(config)
    stop.set()
    wait_until(lambda: draining.draining(config), "the mark")
    assert servers[0].poll() is None, "it serves on"
    hurry.set()
    thread.join(20)
    assert servers[0].poll() == -signal.SIGTERM
    assert status == [0]
    assert not draining.draining(config), "the next one starts without the mark"
    assert not draining.stopping(config)


def test_streams_are_told_before_the_server_waits_for_requests(
    config: Config, servers: list[Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The server exits with 41 if it finds the mark when it gets the signal."""
    ready = tmp_path / "ready"
    code = f"""\
import signal, sys
from pathlib import Path
mark = Path({str(draining.stopping_mark(config))!r})
signal.signal(signal.SIGTERM, lambda *_: sys.exit(40 + mark.exists()))
Path({str(ready)!r}).touch()
signal.pause()
"""
    monkeypatch.setattr("web.serve.uvicorn_argv", lambda _: [sys.executable, "-c", code])
    thread, stop, _, _ = serving(config)
    wait_until(ready.exists, "a start")
    assert not draining.stopping(config)
    stop.set()
    thread.join(20)
    assert servers[0].poll() == 41


def test_a_server_that_dies_takes_it_along(
    config: Config, servers: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("web.serve.uvicorn_argv", lambda _: [sys.executable, "-c", "raise SystemExit(3)"])
    assert serve.serve(config, threading.Event(), threading.Event()) == 3


def test_the_mark_of_one_that_was_killed_is_removed(config: Config, servers: list[Any]) -> None:
    draining.mark(config).parent.mkdir()
    draining.mark(config).touch()
    thread, stop, _, _ = serving(config)
    wait_until(lambda: bool(servers), "a start")
    assert not draining.draining(config)
    stop.set()
    thread.join(20)


def test_servers_on_one_host_have_marks_of_their_own(config: Config) -> None:
    assert draining.mark(config) != draining.mark(replace(config, port=8124))


@pytest.mark.django_db
def test_readiness_ends_when_draining_begins(client: Client, settings: LazySettings, tmp_path: Path) -> None:
    settings.WARPCOURT = replace(settings.WARPCOURT, runtime_dir=tmp_path)
    assert client.get("/readyz").status_code == 200
    draining.mark(settings.WARPCOURT).touch()
    refused = client.get("/readyz")
    assert (refused.status_code, refused.json()) == (503, {"status": "draining"})
    assert client.get("/healthz").status_code == 200, "it lives, and serves what still comes"


def test_idle_connections_outlive_those_of_a_proxy(config: Config) -> None:
    argv = serve.uvicorn_argv(config)
    assert argv[argv.index("--timeout-keep-alive") + 1] == str(serve.KEEP_IDLE_S)
    assert argv[argv.index("--port") + 1] == "8123"
