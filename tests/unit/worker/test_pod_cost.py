"""Tests that a worker tells Kubernetes whether it judges. It works regardless of the API server's answer."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from tests.unit.worker.fake_api_server import Answer, FakeApiServer, cut, drip, fake_api_server, hold, refuse
from tests.unit.worker.test_node import until
from worker.pod_cost import ANNOTATION, IDLE, JUDGING, LONGEST_PAUSE_S, PodApi, PodCost, PodNotPatched
from worker.pulse import Pulse, PulseKind

PATIENCE_S = 0.5


@pytest.fixture
def api(tmp_path: Path) -> Iterator[FakeApiServer]:
    with fake_api_server(tmp_path) as server:
        yield server


@pytest.fixture
def pod(api: FakeApiServer) -> PodApi:
    return PodApi(api.url, api.folder)


class Clocked:
    """A cost whose clock and jobs the test sets."""

    def __init__(self, *, quiet_s: float = 10.0) -> None:
        self.now_s, self.jobs = 100.0, 0
        self.written: list[int] = []
        self.tries = 0
        self.refusal: str = ""
        self.cost = PodCost(self.write, held=lambda: self.jobs, quiet_s=quiet_s, clock=lambda: self.now_s)

    def write(self, cost: int) -> None:
        self.tries += 1
        if self.refusal:
            raise PodNotPatched(self.refusal)
        self.written.append(cost)

    def look(self, *, jobs: int, after_s: float = 1.0) -> None:
        self.now_s += after_s
        self.jobs = jobs
        self.cost.look()


def test_the_pod_is_patched_with_the_account_of_the_worker(api: FakeApiServer, pod: PodApi) -> None:
    pod.write(JUDGING)
    assert api.asked == [
        (
            "/api/v1/namespaces/courts/pods/court-worker-cpu-7x",
            "Bearer first",
            "application/merge-patch+json",
            {"metadata": {"annotations": {ANNOTATION: "100"}}},
        )
    ]
    assert api.annotations == {ANNOTATION: str(JUDGING)}


def test_a_token_that_kubernetes_replaced_is_used(api: FakeApiServer, pod: PodApi) -> None:
    pod.write(JUDGING)
    (api.folder / "token").write_text("second")
    pod.write(IDLE)
    assert [token for _, token, _, _ in api.asked] == ["Bearer first", "Bearer second"]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (refuse(401), "answers 401: set deletionCost"),
        (refuse(403), "answers 403: set deletionCost"),
        (refuse(409), "answers 409"),
        (refuse(410), "answers 410"),
        (refuse(429), "answers 429"),
        (refuse(503), "answers 503"),
        (refuse(302), "answers 302"),  # followed, it would send the token elsewhere
        (cut, "https://127.0.0.1:"),
        (drip, "did not answer within 0.5 s"),
        (hold, "did not answer within 0.5 s"),
    ],
)
def test_an_answer_that_stores_nothing_is_reported_and_the_next_try_succeeds(
    api: FakeApiServer, pod: PodApi, answer: Answer, reason: str
) -> None:
    api.answers.append(answer)
    with pytest.raises(PodNotPatched, match=reason):
        pod.write(JUDGING, patience_s=PATIENCE_S)
    assert api.annotations == {}
    pod.write(JUDGING)
    assert api.annotations == {ANNOTATION: str(JUDGING)}


def test_a_server_that_is_away_or_files_that_are_missing_are_reported(tmp_path: Path, pod: PodApi) -> None:
    with pytest.raises(PodNotPatched):
        PodApi("https://127.0.0.1:1", pod.folder).write(IDLE, patience_s=PATIENCE_S)
    with pytest.raises(PodNotPatched, match="namespace"):
        PodApi(pod.url, tmp_path / "nothing").write(IDLE)


def test_no_token_is_sent_to_a_server_with_another_certificate(
    api: FakeApiServer, pod: PodApi, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with fake_api_server(tmp_path_factory.mktemp("other")) as other, pytest.raises(PodNotPatched):
        PodApi(other.url, pod.folder).write(JUDGING)
    assert other.asked == []


def test_a_proxy_of_the_environment_is_not_used(pod: PodApi, api: FakeApiServer, monkeypatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:1")
    pod.write(JUDGING)
    assert len(api.asked) == 1


@pytest.mark.parametrize(
    ("host", "url"), [("10.0.0.1", "https://10.0.0.1:6443"), ("fd00::1", "https://[fd00::1]:6443")]
)
def test_kubernetes_names_its_api_server(monkeypatch, tmp_path: Path, host: str, url: str) -> None:
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", host)
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", "6443")
    assert PodApi.of_this_pod(tmp_path) == PodApi(url, tmp_path)


def test_a_new_worker_is_idle_and_the_first_job_is_told_at_once() -> None:
    worker = Clocked()
    worker.look(jobs=0)
    worker.look(jobs=1)
    worker.look(jobs=2)
    assert worker.written == [IDLE, JUDGING]


def test_a_worker_is_idle_only_after_a_quiet_while() -> None:
    worker = Clocked(quiet_s=10)
    for jobs in [1, 0, 0, 1, 0, 0, 0] * 5:
        worker.look(jobs=jobs)
    assert worker.written == [JUDGING]
    worker.look(jobs=0, after_s=10)
    assert worker.written == [JUDGING, IDLE]


def test_failures_are_repeated_with_growing_pauses_and_logged_once() -> None:
    worker = Clocked()
    worker.refusal = "the server answers 503"
    with capture_logs() as logs:
        for _ in range(600):
            worker.look(jobs=1)
        # 1 + 2 + 4 + ... + 32 s, and then every LONGEST_PAUSE_S
        assert worker.tries == 7 + (600 - 64) // LONGEST_PAUSE_S
        worker.refusal = ""
        worker.look(jobs=1, after_s=LONGEST_PAUSE_S)
    assert worker.written == [JUDGING]
    assert [entry["event"] for entry in logs] == ["pod_cost_not_written", "pod_cost_written"]
    assert logs[0]["fix"] == "the server answers 503"


def test_a_cost_whose_write_failed_may_be_stored_and_is_written_over() -> None:
    worker = Clocked(quiet_s=10)
    worker.look(jobs=0)
    worker.refusal = "did not answer within 5 s"
    worker.look(jobs=1)
    worker.refusal = ""
    worker.look(jobs=0, after_s=100)
    assert worker.written == [IDLE, IDLE]


def test_claims_of_children_count(monkeypatch) -> None:
    page = Pulse(slots=2)
    monkeypatch.setattr("worker.pod_cost.pulse", page)
    stop = page.start(1, every_s=0.01)
    until(lambda: any(page.signs()))
    seen: list[int] = []
    cost = PodCost(seen.append, quiet_s=0)
    cost.look()
    with page.holding(PulseKind.PROOFS, 7, 1):
        cost.look()
    cost.look()
    stop.set()
    assert seen == [IDLE, JUDGING, IDLE]
