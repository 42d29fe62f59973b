"""Tests what an administrator sees of a request through two web processes, a broker and a worker.

Everything except the judge is real: the ids in the log, the counts of all processes, the probes, the trace.
"""

import json
import os
import re
import signal
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from testing.services import free_port, wait_until
from tests.integration.web.collector import Collector, collecting
from tests.integration.web.installation import Installation

pytestmark = [pytest.mark.integration, pytest.mark.xdist_group("observability")]


@pytest.fixture(scope="module")
def collector() -> Iterator[Collector]:
    with collecting() as found:
        yield found


@pytest.fixture(scope="module")
def site(
    tmp_path_factory: pytest.TempPathFactory, redis_url: str, collector: Collector
) -> Iterator[Installation]:
    """A site that has judged three submissions, with two web processes and two children of a worker."""
    installation = Installation(
        tmp_path_factory.mktemp("observed"),
        broker_url=redis_url,
        web_processes="2",
        metrics_port=str(free_port()),
        log_format="json",
        otlp_url=collector.url,
        public_url="",
    )
    installation.start_site()
    installation.start_worker(concurrency=2)
    for verdict in ("accepted", "wrong_answer", "accepted"):
        installation.wait_for(installation.submit(verdict))
    yield installation
    installation.stop()


def lines(site: Installation, event: str, **fields: object) -> list[dict[str, Any]]:
    """The lines of the log that say `event` with these fields."""
    found = [json.loads(line) for line in site.log if line.startswith("{")]
    return [line for line in found if line["event"] == event and fields.items() <= line.items()]


def worker_url(site: Installation, path: str) -> str:
    return f"http://127.0.0.1:{site.environment['WARPCOURT_METRICS_PORT']}{path}"


def value(text: str, series: str) -> float:
    found = re.findall(rf"^{re.escape(series)} (\S+)$", text, re.MULTILINE)
    assert len(found) == 1, series
    return float(found[0])


def test_the_log_follows_a_submission_from_its_request_to_its_verdict(site: Installation) -> None:
    answer = site.http.post(
        "/api/v1/submissions", json={"problem": "vector-add", "language": "cuda", "source": "accepted"}
    )
    public_id, request_id = answer.json()["id"], answer.headers["X-Request-ID"]
    site.wait_for(public_id)
    wait_until(lambda: bool(lines(site, "verdict_recorded", submission_id=public_id)), "the line in the log")
    (submitted,) = lines(site, "submitted", submission_id=public_id)
    (judged,) = lines(site, "verdict_recorded", submission_id=public_id)
    assert submitted["request_id"] == judged["request_id"] == request_id
    assert isinstance(submitted["user_id"], int)
    assert submitted["user_id"] == judged["user_id"]
    assert judged["attempt"] == 1
    assert "learner" not in "".join(site.log), "people are numbers in the log"
    assert [line for line in site.log if not line.startswith("{")] == [], "every line is JSON"


def test_web_processes_tell_the_same_whichever_is_asked(site: Installation) -> None:
    series = 'warpcourt_submissions_total{mode="submit",queue="cpu"}'
    told = set()
    for _ in range(6):  # by a connection each, so that both processes are asked
        text = httpx.get(f"http://127.0.0.1:{site.port}/metrics").text
        told.add(value(text, series))
    assert len(told) == 1
    assert told.pop() >= 3
    assert value(text, "warpcourt_database_up") == 1
    assert value(text, 'warpcourt_queue_jobs{queue="cpu",state="queued"}') == 0


def test_a_worker_tells_what_its_children_count(site: Installation) -> None:
    text = httpx.get(worker_url(site, "/metrics")).text
    accepted = value(text, 'warpcourt_verdicts_total{verdict="accepted"}')
    assert accepted >= 2
    judged = accepted + value(text, 'warpcourt_verdicts_total{verdict="wrong_answer"}')
    assert value(text, 'warpcourt_claims_total{queue="cpu"}') == judged
    assert value(text, 'warpcourt_wait_seconds_count{queue="cpu"}') == judged
    assert value(text, 'warpcourt_judging_seconds_count{queue="cpu"}') == judged
    assert value(text, "warpcourt_judges_ready") == 2
    assert value(text, "warpcourt_judging") == 0
    assert value(text, 'warpcourt_sweeps_total{outcome="done"}') >= 1


def test_a_trace_goes_from_the_request_over_the_ring_to_the_judge(
    site: Installation, collector: Collector
) -> None:
    wait_until(
        lambda: len(collector.named("judge")) >= 3 and len(collector.named("POST api:submit")) >= 3,
        "three traces",
    )
    judged = collector.named("judge")[0]
    (asked,) = (span for span in collector.named("POST api:submit") if span.span == judged.parent)
    assert (asked.service, judged.service) == ("warpcourt-web", "warpcourt-worker")
    assert asked.trace == judged.trace
    assert judged.attributes["warpcourt.submission_id"]

    def heard() -> list[str]:
        """The spans of wake-up messages of this request. They end after the job and arrive after its span."""
        wakeups = {span.span for span in collector.named("send wake-up") if span.parent == asked.span}
        return [span.span for span in collector.named("receive wake-up") if span.parent in wakeups]

    wait_until(lambda: bool(heard()), "the wake-up message of the submission")
    assert heard() == list(judged.links)
    assert not any("accepted" in str(span.attributes) for span in collector.spans), "no source in a trace"


def test_a_worker_says_whether_it_is_ready_and_stops_saying_so(site: Installation) -> None:
    assert httpx.get(worker_url(site, "/healthz")).status_code == 200
    assert httpx.get(worker_url(site, "/readyz")).text == "ok\n"
    assert httpx.get(worker_url(site, "/nothing")).status_code == 404
    forwarded = {"X-Forwarded-For": "192.0.2.7"}
    assert httpx.get(worker_url(site, "/metrics"), headers=forwarded).status_code == 403
    site.start_worker()  # on the same port, which costs the metrics alone
    wait_until(lambda: bool(lines(site, "metrics_not_served")), "the line in the log")
    public_id = site.submit("sleep=3")
    site.wait_for(public_id, state="judging")
    os.kill(site._processes[1].pid, signal.SIGTERM)
    wait_until(lambda: not ready(site), "the worker's not being ready")
    site.wait_for(public_id)


def ready(site: Installation) -> bool:
    try:
        return httpx.get(worker_url(site, "/readyz")).status_code == 200
    except httpx.TransportError:
        return False
