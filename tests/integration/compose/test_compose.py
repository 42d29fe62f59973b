"""Tests the deployment by Compose: it starts healthy, is confined, and stays available during a restart."""

import json
import threading
import time

import httpx
import pytest

from benchmarks.rolling_restart import measure
from testing.services import wait_until
from tests.integration.compose.site import HOST, LONG_RUNNING, WEB, ComposeSite

pytestmark = [pytest.mark.integration, pytest.mark.xdist_group("images"), pytest.mark.timeout(900)]


def test_the_doctor_finds_nothing_to_mend(site: ComposeSite) -> None:
    findings = json.loads(site.admin("doctor", "--json"))
    levels = {(finding["check"], finding["level"]) for finding in findings}
    assert {name for name, level in levels if level in {"missing", "refused"}} == set()
    # On a busy machine, the database is also reported as slow.
    for check in ("database", "broker", "migrations", "problems", "workers", "queue", "sweeps"):
        assert (check, "ok") in levels, findings
    (certificate,) = (finding for finding in findings if finding["check"] == "certificate")
    assert certificate["found"] == "unable to get local issuer certificate", "the proxy answered"


def test_pages_come_over_tls(site: ComposeSite) -> None:
    with site.visitor().client() as http:
        page = http.get("/problems/vector-add")
        assert page.status_code == 200
        assert "max-age" in page.headers["strict-transport-security"]
        assert http.get("/metrics").status_code == 404, "what the site counts is for the inside"
    plain = httpx.get(f"http://127.0.0.1:{site.http_port}/tracks", headers={"Host": HOST})
    assert (plain.status_code, plain.headers["location"]) == (308, f"https://{HOST}:{site.port}/tracks")


def test_it_is_confined(site: ComposeSite) -> None:
    found = site.containers()
    containers = {name: found[name] for name in LONG_RUNNING}
    for name, container in containers.items():
        host, config = container["HostConfig"], container["Config"]
        assert int(config["User"].partition(":")[0]) >= 10001, f"{name} is not root"
        assert host["ReadonlyRootfs"], name
        assert host["CapDrop"] == ["ALL"], name
        assert host["CapAdd"] is None, name
        assert "no-new-privileges:true" in host["SecurityOpt"], name
        assert not host["Privileged"], name
        assert host["PidMode"] == "", name
        assert not any("docker.sock" in mount.get("Source", "") for mount in container["Mounts"]), name
        assert bool(host["PortBindings"]) == (name == "proxy"), (
            f"{name}: only the proxy is reached from outside"
        )
    networks = {
        name: {network.rpartition("_")[2] for network in container["NetworkSettings"]["Networks"]}
        for name, container in containers.items()
    }
    assert networks == {
        "proxy": {"front"},
        **{name: {"front", "data"} for name in (*WEB, "sweeper")},
        **{name: {"data"} for name in ("postgres", "redis", "worker")},
    }


def test_secrets_are_in_files_alone(site: ComposeSite) -> None:
    values = {
        path.name: path.read_text().strip()
        for path in (site.folder / "secrets").iterdir()
        if path.name.endswith(("key", "password", "token"))
    }
    assert len(values) == 4
    containers = site.containers()
    for name in LONG_RUNNING:
        told = json.dumps(containers[name]["Config"])
        assert [secret for secret, value in values.items() if value in told] == [], name
    mode = (site.folder / "secrets").stat().st_mode
    assert mode & 0o777 == 0o700, "nobody else on this host enters the folder"


def test_images_do_not_say_what_the_package_index_is_called(site: ComposeSite) -> None:
    format_ = "{{.CreatedBy}}"
    for image in ("web", "worker"):
        history = site.run(
            (
                "docker",
                "history",
                "--no-trunc",
                "--format",
                format_,
                f"{site.environment['IMAGE_PREFIX']}/{image}",
            )
        )
        assert "warpcourt" in history
        assert "PIP_INDEX_URL" not in history


def test_programs_are_isolated_in_the_container_of_the_worker(site: ComposeSite) -> None:
    probe = "from sandbox.bubblewrap import Bubblewrap; Bubblewrap().verify(); print('isolated')"
    said = site.compose("exec", "-T", "worker", "python3", "-c", probe)
    assert "isolated" in said
    hidden = site.compose("exec", "-T", "worker", "ls", "/opt/proc/own", check=False)
    assert "Permission denied" in hidden, "the whole /proc that sandboxes need can be seen by nobody"


def test_a_worker_that_is_stopped_finishes_what_it_judges(site: ComposeSite, token: str) -> None:
    with site.visitor(token).client() as http:
        program = {"problem": "vector-add", "language": "cuda", "source": "sleep=4 accepted"}
        public_id = http.post("/api/v1/submissions", json=program).json()["id"]

        def state() -> str:
            return str(http.get(f"/api/v1/submissions/{public_id}").json()["state"])

        wait_until(lambda: state() not in {"queued", "waiting"}, "a claim", 60)
        site.compose("stop", "worker")
        shown = http.get(f"/api/v1/submissions/{public_id}").json()
        assert (shown["state"], shown["verdict"]) == ("done", "accepted")
        later = {"problem": "vector-add", "language": "cuda", "source": "wrong_answer"}
        public_id = http.post("/api/v1/submissions", json=later).json()["id"]
        doctor = site.admin("doctor", check=False)
        assert "missing workers" in doctor
        assert "docker compose up -d worker" in doctor
        site.compose("start", "worker")
        wait_until(lambda: state() == "done", "a verdict after the worker is back", 120)


def test_no_request_fails_while_the_site_is_restarted(site: ComposeSite, token: str) -> None:
    before = site.containers()
    visitor = site.visitor(token)
    tally = measure(visitor, lambda: site.rolling_restart("web"), people=4)
    after = site.containers()
    assert all(after[name]["Id"] != before[name]["Id"] for name in WEB)
    assert tally.failed == []
    assert len(tally.took_s) > 50
    with visitor.client() as http:
        for public_id in tally.handed_in:
            assert http.get(f"/api/v1/submissions/{public_id}").status_code == 200


def test_event_streams_go_on_across_a_restart(site: ComposeSite, token: str) -> None:
    """A watcher that is cut off resumes at the other server, and misses nothing."""
    names: list[str] = []
    with site.visitor(token).client() as http:
        program = {"problem": "vector-add", "language": "cuda", "source": "cases=10 pace=1 accepted"}
        public_id = http.post("/api/v1/submissions", json=program).json()["id"]
    stopping = threading.Thread(target=site.compose, args=("restart", "web-a"))
    stopping.start()
    last, deadline = "0", time.monotonic() + 120
    while "finished" not in names and time.monotonic() < deadline:
        last = follow(site, token, public_id, last, names)
    stopping.join()
    steps = [name for name in names if name != "queue"]
    assert steps == ["queued", "claimed", "compiling", "compiled", *["case"] * 10, "finished"]


def follow(site: ComposeSite, token: str, public_id: str, last: str, names: list[str]) -> str:
    """Watch until the stream ends or breaks; the number of the last event."""
    try:
        with (
            site.visitor(token).client() as http,
            http.stream(
                "GET", f"/api/v1/submissions/{public_id}/events", headers={"Last-Event-ID": last}
            ) as stream,
        ):
            for line in stream.iter_lines():
                if line.startswith("id: "):
                    last = line.removeprefix("id: ")
                if line.startswith("event: "):
                    names.append(line.removeprefix("event: "))
    except httpx.HTTPError:
        time.sleep(0.2)
    return last


@pytest.mark.parametrize("missing", ["SITE_HOST", "WARPCOURT_PUBLIC_URL", "TLS", "SECRETS_DIR"])
def test_what_is_not_set_is_named(site: ComposeSite, missing: str) -> None:
    kept = [
        line for line in (site.folder / ".env").read_text().splitlines() if not line.startswith(f"{missing}=")
    ]
    other = site.folder / "incomplete.env"
    other.write_text("\n".join(kept))
    argv = ("docker-compose", "--env-file", str(other), "config", "--quiet")
    said = site.run(argv, check=False, ENV_FILE=str(other))
    assert missing in said
    assert "is not set in .env" in said


def test_a_secret_that_is_missing_stops_it(site: ComposeSite) -> None:
    said = site.compose(
        "run", "--rm", "--no-deps", "redis", check=False, SECRETS_DIR=str(site.folder / "nowhere"),
        COMPOSE_PROJECT_NAME="warpcourt-test-none",
    )  # fmt: skip
    assert "nowhere/broker_password" in said
    site.compose("down", check=False, COMPOSE_PROJECT_NAME="warpcourt-test-none")
