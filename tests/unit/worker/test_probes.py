"""Tests the small server next to a worker: its answers, and that nothing depends on it."""

import os
from collections.abc import Iterator

import httpx
import pytest

from testing.services import free_port
from worker.probes import Probes


@pytest.fixture
def trouble() -> list[str]:
    """The current faults of the worker."""
    return []


@pytest.fixture
def probes(trouble: list[str]) -> Iterator[Probes]:
    found = Probes("127.0.0.1", free_port(), token="", folder=None, trouble=lambda: "; ".join(trouble))
    found.start()
    yield found
    found.stop()


def ask(probes: Probes, path: str, **headers: str) -> httpx.Response:
    return httpx.get(f"http://{probes.host}:{probes.port}{path}", headers=headers)


def test_ready_means_that_nothing_is_wrong(probes: Probes, trouble: list[str]) -> None:
    assert ask(probes, "/readyz").status_code == 200
    trouble.append("bubblewrap is missing: apt-get install bubblewrap")
    answer = ask(probes, "/readyz")
    assert (answer.status_code, answer.text) == (503, "bubblewrap is missing: apt-get install bubblewrap\n")
    assert ask(probes, "/healthz").status_code == 200, "to start it again would not help"


def test_metrics_are_for_this_host_and_for_no_proxy(probes: Probes) -> None:
    assert "warpcourt_claims" in ask(probes, "/metrics?x=1").text
    assert ask(probes, "/metrics", **{"X-Forwarded-For": "192.0.2.7"}).status_code == 403


def test_with_a_token_metrics_are_for_who_has_it() -> None:
    probes = Probes("127.0.0.1", 9, token="secret", folder=None, trouble=str)

    def status(path: str, authorization: str) -> int:
        answer = probes.answer(path, client="10.0.0.1", authorization=authorization, forwarded=False)
        return answer[0]

    assert status("/metrics", "Bearer secret") == 200
    assert status("/metrics", "Bearer other") == 403
    assert status("/readyz", "") == 200


def test_a_port_that_is_taken_costs_the_metrics_alone(probes: Probes) -> None:
    second = Probes(probes.host, probes.port, token="", folder=None, trouble=str)
    second.start()
    second.stop()
    assert ask(probes, "/healthz").status_code == 200


def test_without_a_port_nobody_listens() -> None:
    probes = Probes("127.0.0.1", 0, token="", folder=None, trouble=str)
    probes.start()
    probes.stop()


def test_a_child_does_not_keep_the_port(probes: Probes) -> None:
    ready, tell = os.pipe()
    stay, leave = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(leave)
        os.write(tell, b"x")
        os.read(stay, 1)
        os._exit(0)
    os.read(ready, 1)
    probes.stop()
    again = Probes(probes.host, probes.port, token="", folder=None, trouble=str)
    again.start()
    assert ask(again, "/healthz").status_code == 200
    again.stop()
    os.close(leave)
    os.waitpid(child, 0)
    for descriptor in (ready, tell, stay):
        os.close(descriptor)
