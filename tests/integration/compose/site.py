"""A site by deploy/compose.yaml: real images on a base that is built here, and the scripted judge."""

import json
import os
import shutil
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.rolling_restart import Site
from testing.services import ROOT, free_port

HOST = "court.localhost"
PASSWORD = "correct horse battery"
PROJECT = "warpcourt-test"
BASE = f"{PROJECT}/debian:bookworm"
WEB = ("web-a", "web-b")
LONG_RUNNING = (*WEB, "proxy", "postgres", "redis", "sweeper", "worker")
_BUILD_S = 900
_READY_S = 240.0


class ComposeSite:
    """The site in `folder`, on the engine at `engine`. Every port is on the loopback address."""

    def __init__(self, folder: Path, engine: str | None) -> None:
        self.port, self.folder = free_port(), folder
        self.http_port = free_port()
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": os.environ.get("HOME", "/root"),
            **({"DOCKER_HOST": engine} if engine else {}),
            "DOCKER_BUILDKIT": "0",  # the engine's own builder suffices, and needs no other packages
            "COMPOSE_DOCKER_CLI_BUILD": "0",
            "COMPOSE_PROJECT_NAME": PROJECT,
            "BASE_IMAGE": BASE,
            "BUILD_NETWORK": "host",  # the engine for tests has no bridge
            "IMAGE_PREFIX": PROJECT,
            "PACKAGES": "no",
            "WORKER_TARGET": "scripted",
            "ENV_FILE": str(folder / ".env"),
            "COMPOSE": f"docker-compose --env-file {folder / '.env'}",
        }
        new = [str(ROOT / "deploy" / "new-site"), HOST, str(self.port)]
        subprocess.run(new, env={**self.environment, "SITE_FOLDER": str(folder)}, check=True)
        chosen = {
            "COMPOSE_PROJECT_NAME": PROJECT,
            "BIND_ADDRESS": "127.0.0.1",
            "HTTP_PORT": str(self.http_port),
            "TLS_DIR": str(folder / "tls"),
            "SECRETS_DIR": str(folder / "secrets"),
            "WARPCOURT_SUBMITS_PER_MINUTE": "10000",
            "WARPCOURT_MAX_IN_FLIGHT": "1000",
            "WARPCOURT_API_PER_MINUTE": "100000",
        }
        kept = [
            line
            for line in (folder / ".env").read_text().splitlines()
            if line.partition("=")[0] not in chosen
        ]
        lines = [*kept, *(f"{name}={value}" for name, value in chosen.items())]
        (folder / ".env").write_text("\n".join(lines) + "\n")

    def build(self) -> None:
        """Build the base, if it is missing, and the images."""
        options = ["--prefix", PROJECT, "--base-from-debootstrap", "--base-only"]
        self.run([str(ROOT / "deploy" / "build-images"), *options], timeout_s=_BUILD_S)
        self.run([str(ROOT / "deploy" / "fetch-wheels"), "run", "otel"], timeout_s=_BUILD_S)
        self.compose("build", timeout_s=_BUILD_S)

    def start(self) -> None:
        """Remove leftovers of an interrupted run, start the site, and wait until all parts are healthy."""
        self.stop()
        self.compose("up", "-d", timeout_s=_BUILD_S)
        deadline = time.monotonic() + _READY_S
        while ill := {name: state for name, state in self.health().items() if state != "healthy"}:
            assert time.monotonic() < deadline, f"{ill}\n{self.compose('logs', '--tail', '30', *ill)}"
            time.sleep(0.5)

    def stop(self) -> None:
        """Remove its containers, networks and volumes. The images stay, for the next time."""
        self.compose("down", "--volumes", "--timeout", "1", timeout_s=_BUILD_S)

    def compose(self, *argv: str, timeout_s: float = 120, check: bool = True, **variables: str) -> str:
        """Return the output of a Compose command."""
        argv = ("docker-compose", "--env-file", str(self.folder / ".env"), *argv)
        return self.run(argv, timeout_s=timeout_s, check=check, **variables)

    def admin(self, *argv: str, service: str = "web-a", check: bool = True) -> str:
        """Return the output of `warpcourt-admin` in a container of the site."""
        return self.compose("exec", "-T", service, "warpcourt-admin", *argv, check=check)

    def containers(self) -> dict[str, dict[str, Any]]:
        """Return the engine's data about the container of each service."""
        ours = f"label=com.docker.compose.project={PROJECT}"
        found = self.run(("docker", "ps", "--all", "--quiet", "--filter", ours)).split()
        described = json.loads(self.run(("docker", "inspect", *found))) if found else []
        return {each["Config"]["Labels"]["com.docker.compose.service"]: each for each in described}

    def health(self) -> dict[str, str]:
        """Return the health of each long-running part."""
        found = self.containers()
        return {
            name: found[name]["State"]["Health"]["Status"] if name in found else "absent"
            for name in LONG_RUNNING
        }

    def visitor(self, token: str = "") -> Site:
        """Return a client that reaches the site like a browser and trusts the proxy's own authority."""
        root = self.folder / "root.crt"
        if not root.exists():
            path = "/var/lib/proxy/caddy/pki/authorities/local/root.crt"
            root.write_text(self.compose("exec", "-T", "proxy", "cat", path))
        return Site(f"https://{HOST}:{self.port}", "127.0.0.1", str(root), token)

    def sign_in(self) -> str:
        """Return the token of a user who submits programs."""
        code = f"from web.accounts.services import create_user; create_user('learner', {PASSWORD!r})"
        self.admin("shell", "-c", code)
        with self.visitor().client() as http:
            person = {"username": "learner", "password": PASSWORD}
            return str(http.post("/api/v1/tokens", json=person).json()["token"])

    def rolling_restart(self, what: str) -> None:
        """Restart the web servers or the workers, one after the other."""
        self.run([str(ROOT / "deploy" / "rolling-restart"), what], timeout_s=_BUILD_S)

    def run(self, argv: Any, *, timeout_s: float = 120, check: bool = True, **variables: str) -> str:
        """Return the output of a command that runs in the folder of the compose file."""
        environment: Mapping[str, str] = {**self._inherited(), **self.environment, **variables}
        done = subprocess.run(
            argv,
            cwd=ROOT / "deploy",
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=timeout_s,
            check=False,
        )
        assert not check or done.returncode == 0, f"{' '.join(map(str, argv))}\n{done.stdout[-6000:]}"
        return done.stdout

    @staticmethod
    def _inherited() -> dict[str, str]:
        """Return the variables for pip and the network, and a TMPDIR with space for debootstrap."""
        names = ("PIP_", "DOCKER_HOST", "SSL_CERT", "http_proxy", "https_proxy", "no_proxy")
        found = {name: value for name, value in os.environ.items() if name.startswith(names)}
        if shutil.disk_usage("/dev/shm").free > 4 << 30:
            found["TMPDIR"] = "/dev/shm"
        return found
