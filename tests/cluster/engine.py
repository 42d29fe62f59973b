"""The container engine of a worker host."""

import os
import signal
from pathlib import Path

from sandbox.containers.engine import Engine
from sandbox.containers.orphans import OWNER_LABEL, Owner
from testing.services import need, wait_until
from tests.cluster.hosts import ROOT, Host

# Programs with containers as descendants. The first process of a container may have lost its parent.
ENGINE_PROGRAMS = {"dockerd", "containerd", "containerd-shim", "runc"}


class ContainerEngine:
    """An engine on `host`. Its processes are in the host's process table and end with the host."""

    def __init__(self, host: Host, folder: Path) -> None:
        self._host, self._folder = host, folder
        self.address = f"unix://{folder}/docker.sock"

    def start(self) -> None:
        """Start it and wait until it answers."""
        try:
            self._host.run(str(ROOT / "deploy" / "start-docker"), str(self._folder))
        except RuntimeError as error:
            need(False, "a container engine", f"apt-get install docker.io ({error})")

    def stop(self) -> None:
        """Stop it, with all containers, as a restart of its service does."""
        inside = int((self._folder / "docker.pid").read_text())
        pid = self._host.processes()[inside]
        os.kill(pid, signal.SIGTERM)
        wait_until(lambda: inside not in self._host.processes(), "the engine's end")

    def orphans(self) -> list[str]:
        """Return our containers, running or not, without a living worker."""
        engine, alive = Engine(self.address), self._host.processes()
        try:
            return [
                container.id
                for container in engine.containers(OWNER_LABEL)
                if Owner.parse(container.labels[OWNER_LABEL]).process not in alive
            ]
        finally:
            engine.close()
