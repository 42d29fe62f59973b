"""A real worker in a pod: it tells a fake API server whether it judges, and a preemption notice drains it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from testing.services import wait_until
from tests.integration.web.installation import Installation
from tests.unit.worker.fake_api_server import FakeApiServer, fake_api_server, hold
from worker.pod_cost import ANNOTATION, IDLE, JUDGING

pytestmark = [pytest.mark.integration, pytest.mark.xdist_group("installation")]


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FakeApiServer]:
    with fake_api_server(tmp_path_factory.mktemp("account")) as server:
        yield server


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, api: FakeApiServer) -> Iterator[Installation]:
    """Leases last longer than any test, so only the worker that has a job can finish it."""
    folder = tmp_path_factory.mktemp("pods")
    installation = Installation(
        folder,
        lease_s="600",
        stop_grace_s="60",
        runtime_dir=str(folder),
        pod_account_dir=str(api.folder),
    )
    installation.environment |= {
        "KUBERNETES_SERVICE_HOST": "127.0.0.1",
        "KUBERNETES_SERVICE_PORT": str(api.port),
    }
    installation.start_site()
    yield installation
    installation.stop()


@pytest.fixture
def gate(site: Installation) -> Iterator[Path]:
    """Programs with `hold=checking` wait while this file exists."""
    path = Path(site.environment["WARPCOURT_RUNTIME_DIR"], "hold-checking")
    path.touch()
    yield path
    path.unlink(missing_ok=True)
    site.stop_workers()


def held(site: Installation) -> str:
    public_id = site.submit("hold=checking wrong_answer")
    site.wait_for(public_id, state="judging")
    return public_id


def has_cost(api: FakeApiServer, cost: int) -> bool:
    return api.annotations.get(ANNOTATION) == str(cost)


def test_a_preempted_worker_finishes_its_job_and_its_pod_has_the_cost(
    site: Installation, api: FakeApiServer, gate: Path
) -> None:
    worker = site.start_worker()
    wait_until(lambda: has_cost(api, IDLE), "the cost of an idle pod")
    public_id = held(site)
    wait_until(lambda: has_cost(api, JUDGING), "the cost of a pod that judges")
    said = len(site.log)
    worker.terminate()  # as the kubelet does on a notice
    wait_until(lambda: any("Warm shutdown" in line for line in site.log[said:]), "the worker's answer")
    assert worker.poll() is None
    gate.unlink()
    assert worker.wait(timeout=60) == 0
    assert site.show(public_id)["verdict"] == "wrong_answer"
    assert sum("claimed" in event for event in site.events(public_id)) == 1


def test_a_worker_judges_while_the_api_server_does_not_answer(
    site: Installation, api: FakeApiServer, gate: Path
) -> None:
    api.answers = [hold] * 100
    gate.unlink()
    site.start_worker()
    wait_until(lambda: len(api.answers) < 100, "a request to the API server")
    for _ in range(3):
        assert site.wait_for(site.submit("wrong_answer"))["verdict"] == "wrong_answer"
