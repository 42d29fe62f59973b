"""Tests the compose file and related files without running them."""

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from web.config import Config
from web.observability.middleware import REQUEST_ID
from web.serve import FINISH_S, KEEP_IDLE_S

ROOT = Path(__file__).resolve().parents[3]
DEPLOY = ROOT / "deploy"
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
CADDYFILE = DEPLOY / "images" / "services" / "Caddyfile"
DOCKERFILES = sorted((DEPLOY / "images" / "services").glob("*.Dockerfile"))
JUDGES_ON_GPUS = "gpu-worker"


def seconds(duration: str) -> int:
    return int(duration.removesuffix("s"))


def volumes(service: dict[str, Any]) -> list[str]:
    return service.get("volumes", [])


@pytest.mark.parametrize("name", SERVICES)
def test_every_service_is_confined(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"]
    assert service["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in service["security_opt"]
    assert "privileged" not in service
    assert service["networks"] in (["data"], ["front", "data"], ["data", "front"]) or name == "proxy"
    if name != JUDGES_ON_GPUS:
        assert not {"user", "pid", "ipc", "cap_add", "network_mode"} & set(service)


def test_one_service_alone_commands_the_engine() -> None:
    with_engine = [
        name for name, service in SERVICES.items() if any("engine.sock" in v for v in volumes(service))
    ]
    assert with_engine == [JUDGES_ON_GPUS]
    gpu_worker = SERVICES[JUDGES_ON_GPUS]
    assert gpu_worker["profiles"] == ["gpu"], "it starts only when it is asked for"
    assert gpu_worker["networks"] == ["data"]
    assert COMPOSE["networks"]["data"] == {"internal": True}
    assert "ports" not in gpu_worker


def test_only_the_proxy_is_reached_from_outside() -> None:
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["proxy"]


def test_what_runs_on_says_whether_it_is_well() -> None:
    for name, service in SERVICES.items():
        assert ("healthcheck" in service) == (service["restart"] != "no"), name


def test_nothing_of_ours_starts_before_the_migrations() -> None:
    for name in ("web-a", "web-b", "sweeper", "worker", JUDGES_ON_GPUS):
        condition = SERVICES[name]["depends_on"]["migrate"]["condition"]
        assert condition == "service_completed_successfully", name


def test_variables_are_settings() -> None:
    known = {setting.variable for setting in Config.settings()}
    known |= {f"{setting.variable}_FILE" for setting in Config.settings() if setting.secret}
    example = re.findall(r"^#?(WARPCOURT_\w+)=", (DEPLOY / ".env.example").read_text(), re.MULTILINE)
    used = {name for service in SERVICES.values() for name in service.get("environment", {})} | set(example)
    assert {name for name in used if name.startswith("WARPCOURT_")} <= known


def test_a_server_has_time_to_drain() -> None:
    web = SERVICES["web-a"]
    drain_s = int(web["environment"]["WARPCOURT_DRAIN_S"])
    assert seconds(web["stop_grace_period"]) > drain_s + FINISH_S
    caddy = CADDYFILE.read_text()
    asked_every_s = int(re.findall(r"health_interval (\d+)s", caddy)[0])
    patience_s = int(re.findall(r"health_timeout (\d+)s", caddy)[0])
    assert drain_s > asked_every_s + patience_s, "the proxy knows before the server goes"
    assert int(re.findall(r"keepalive (\d+)s", caddy)[0]) < KEEP_IDLE_S, "the proxy closes idle connections"


def test_the_proxy_gives_no_server_up_for_what_a_visitor_sends() -> None:
    # A body that is cut off at the limit is a failed request to Caddy, of which one would be enough.
    settings = re.findall(r"^\s*(fail_duration|max_fails|unhealthy_\w+)", CADDYFILE.read_text(), re.MULTILINE)
    assert settings == []


def test_clients_choose_no_ids_of_requests_and_traces() -> None:
    # The site takes them from a trusted proxy, and Caddy passes on what it does not remove.
    assert int(SERVICES["web-a"]["environment"]["WARPCOURT_TRUSTED_PROXIES"]) > 0
    removed = re.findall(r"^\s*header_up -(\S+)$", CADDYFILE.read_text(), re.MULTILINE)
    assert set(removed) == {REQUEST_ID, "Traceparent"}


def test_a_worker_has_time_to_finish() -> None:
    for name in ("worker", JUDGES_ON_GPUS):
        default = re.findall(r":-(\d+)", SERVICES[name]["environment"]["WARPCOURT_STOP_GRACE_S"])
        assert seconds(SERVICES[name]["stop_grace_period"]) > int(default[0])


def test_the_proxy_knows_the_web_servers() -> None:
    upstreams = re.findall(r"reverse_proxy (.+) {", CADDYFILE.read_text())[0].split()
    assert upstreams == [f"{name}:8000" for name in SERVICES if name.startswith("web-")]


@pytest.mark.parametrize("path", DOCKERFILES, ids=lambda path: path.stem)
def test_bases_are_pinned_and_users_are_not_root(path: Path) -> None:
    text = path.read_text()
    assert text.index("ARG BASE=") < text.index("FROM ${BASE}")
    base = re.findall(r"^ARG BASE=(.+)$", text, re.MULTILINE)
    assert len(base) == 1
    assert re.fullmatch(r"debian:bookworm-slim@sha256:[0-9a-f]{64}", base[0])
    assert base[0] in (DEPLOY / "compose.yaml").read_text()
    users = re.findall(r"^USER (\d+):\d+$", text, re.MULTILINE)
    assert users
    assert all(int(user) >= 10001 for user in users)


def test_what_the_package_index_is_called_is_in_no_image() -> None:
    text = (DEPLOY / "images" / "services" / "app.Dockerfile").read_text()
    stages = re.split(r"^FROM ", text, flags=re.MULTILINE)[1:]
    told = {re.findall(r"AS ([\w-]+)", stage)[0] for stage in stages if "PIP_INDEX_URL" in stage}
    assert told == {"packages"}
    bases = {re.findall(r"AS ([\w-]+)", stage)[0]: stage.split()[0] for stage in stages}
    for shipped in ("web", "worker", "gpu-worker"):
        stage = shipped
        while stage in bases:
            assert stage not in told, f"{shipped} is made from a stage that is told"
            stage = bases[stage]


def test_the_builder_gets_no_secrets() -> None:
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    assert "*" in ignored, "everything is left out that is not named"
    assert not any("secret" in line or ".env" in line for line in ignored if line.startswith("!"))
    for name in (".env", "secrets/", "tls/"):
        assert f"/deploy/{name}" in (ROOT / ".gitignore").read_text().splitlines()


def new_site(folder: Path, *argv: str) -> str:
    """Run `new-site` and return what it says on standard error."""
    environment = {"PATH": os.environ["PATH"], "SITE_FOLDER": str(folder)}
    command = [str(DEPLOY / "new-site"), *argv]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stderr


@pytest.mark.parametrize(
    "argv",
    [
        [],
        ["--help"],
        ["https://court.example.org"],
        *(["court.example.org", port] for port in ("https", "0", "65536", "99999", "1000000", "")),
    ],
)
def test_a_new_site_needs_a_host_name_and_a_port(tmp_path: Path, argv: list[str]) -> None:
    with pytest.raises(subprocess.CalledProcessError) as failure:
        new_site(tmp_path, *argv)
    assert failure.value.stderr.strip().endswith("usage: deploy/new-site HOST [HTTPS_PORT]")
    assert not failure.value.stderr.startswith(str(DEPLOY)), "the message is ours, not the shell's"
    assert not any(tmp_path.iterdir())


def test_a_new_site_gets_secrets_once(tmp_path: Path) -> None:
    new_site(tmp_path, "court.example.org")
    first = {path.name: path.read_text() for path in (tmp_path / "secrets").iterdir()}
    assert set(first) == set(COMPOSE["secrets"])
    assert first["database_password"].strip() in first["database_url"]
    assert first["broker_password"].strip() in first["broker_url"]
    assert all(
        len(first[name].strip()) >= 64 for name in ("secret_key", "metrics_token", "database_password")
    )
    settings = (tmp_path / ".env").read_text()
    assert "WARPCOURT_PUBLIC_URL=https://court.example.org\n" in settings
    assert (tmp_path / ".env").stat().st_mode & 0o777 == 0o600
    assert not new_site(tmp_path, "court.example.org")
    assert "so it was not changed" in new_site(tmp_path, "other.example.org")
    assert (tmp_path / ".env").read_text() == settings, "what is there stays"
    assert {path.name: path.read_text() for path in (tmp_path / "secrets").iterdir()} == first


def test_another_port_is_part_of_the_address(tmp_path: Path) -> None:
    new_site(tmp_path, "court.example.org", "8443")
    settings = (tmp_path / ".env").read_text()
    assert "WARPCOURT_PUBLIC_URL=https://court.example.org:8443\n" in settings
    assert "HTTPS_PORT=8443\n" in settings


def test_commands_run_from_anywhere(tmp_path: Path) -> None:
    link = tmp_path / "warpcourt-admin"
    link.symlink_to(DEPLOY / "warpcourt-admin")
    environment = {"PATH": os.environ["PATH"], "WARPCOURT_DATA_DIR": str(tmp_path)}
    said = subprocess.run(
        [str(link), "doctor", "--help"], cwd="/", env=environment, capture_output=True, text=True, check=True
    )
    assert "Print a fix" in said.stdout
