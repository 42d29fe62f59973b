"""Tests the sweeper as a separate process: it sweeps until it is asked to stop."""

import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from django.conf import LazySettings

from testing.services import free_port
from worker import sweep, sweeper


@pytest.fixture(autouse=True)
def _handlers() -> Iterator[None]:
    """Signals as they were, afterwards."""
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in kept.items():
        signal.signal(number, handler)


def test_it_sweeps_until_sigterm(settings: LazySettings, monkeypatch: pytest.MonkeyPatch) -> None:
    port = free_port()
    settings.WARPCOURT = replace(settings.WARPCOURT, sweep_s=1, metrics_port=port)
    asked: list[int] = []

    def sweep_once() -> None:
        with urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5) as answer:
            asked.append(answer.status)
        if len(asked) == 3:
            os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(sweeper, "sweep_once", sweep_once)
    assert sweep.main([]) == 0
    assert asked == [200, 200, 200]


def test_a_sweep_that_hangs_shows(settings: LazySettings, monkeypatch: pytest.MonkeyPatch) -> None:
    port = free_port()
    settings.WARPCOURT = replace(settings.WARPCOURT, sweep_s=1, metrics_port=port)
    clock = [0.0]
    monkeypatch.setattr(sweeper, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    statuses: list[int] = []

    def sweep_once() -> None:
        clock[0] = 1000.0
        with pytest.raises(HTTPError) as refused:
            urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5)
        statuses.append(refused.value.code)
        os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(sweeper, "sweep_once", sweep_once)
    assert sweep.main([]) == 0
    assert statuses == [503]
