"""A personal node: a folder in which a user joins the site and runs the node, as documented."""

import os
import shlex
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from testing.services import wait_until
from web.config import ROOT

_JOIN_S = 120
_START_S = 300  # on a new machine, the node first builds the runtime
_STOP_S = 30


@dataclass(slots=True)
class OwnNode:
    """A machine with a checkout of the site's version. `folder` holds its data."""

    folder: Path
    _process: subprocess.Popen[bytes] | None = field(default=None, init=False)
    _output: IO[bytes] | None = field(default=None, init=False)

    @property
    def settings(self) -> Path:
        """The file that `node join` writes."""
        return self.folder / "node.env"

    @property
    def key(self) -> str:
        """The key of the node."""
        lines = self.settings.read_text().splitlines()
        (key,) = [line.partition("=")[2] for line in lines if line.startswith("WARPCOURT_NODE_KEY=")]
        return key

    @property
    def log(self) -> str:
        """The log of the node since its last start."""
        return self._log.read_text()

    @property
    def pid(self) -> int:
        """The process of the node."""
        assert self._process is not None
        return self._process.pid

    def join(self, token: str, *options: str) -> subprocess.CompletedProcess[str]:
        """Run `warpcourt-admin node join -` and paste `token`."""
        return subprocess.run(
            [ROOT / "deploy" / "warpcourt-admin", "node", "join", "-", *options],
            input=f"{token}\n",
            env=self._environ(),
            capture_output=True,
            text=True,
            timeout=_JOIN_S,
            check=False,
        )

    def start(self, **environ: str) -> None:
        """Start the node with its settings, and wait until it asks the site for runs."""
        self.spawn(**environ)
        wait_until(lambda: "personal_node_started" in self.log or self.ended, "The node's start", _START_S)
        assert not self.ended, self.log

    def spawn(self, **environ: str) -> None:
        """Start the node as `node join` says. `environ` replaces settings."""
        assert self._process is None or self.ended
        own = "".join(f"{name}={shlex.quote(value)}; " for name, value in environ.items())
        program = (
            f"set -a; . {shlex.quote(str(self.settings))}; {own}exec {sys.executable} -m worker.personal"
        )
        self._close()
        self._output = self._log.open("wb")
        self._process = subprocess.Popen(
            ["sh", "-c", program], cwd=ROOT, env=self._environ(), stdout=self._output, stderr=self._output
        )

    @property
    def ended(self) -> bool:
        """Whether the process has ended."""
        return self._process is not None and self._process.poll() is not None

    def wait(self) -> int:
        """Wait until the node has ended, and return its exit status."""
        assert self._process is not None
        return self._process.wait(_STOP_S)

    def stop(self) -> int:
        """Ask the node to stop, as Ctrl-C does, and return its exit status."""
        assert self._process is not None
        self._process.send_signal(signal.SIGINT)
        return self.wait()

    def kill(self) -> None:
        """End the node without a warning, as a power failure does."""
        if self._process is not None and not self.ended:
            self._process.kill()
            self._process.wait()
        self._close()

    @property
    def _log(self) -> Path:
        return self.folder / "node.log"

    def _close(self) -> None:
        if self._output is not None:
            self._output.close()

    def _environ(self) -> dict[str, str]:
        own = {name: value for name, value in os.environ.items() if not name.startswith("WARPCOURT_")}
        own.pop("DJANGO_SETTINGS_MODULE", None)
        places = {"WARPCOURT_DATA_DIR": self.folder, "WARPCOURT_RUNTIME_DIR": self.folder / "run"}
        return own | {name: str(place) for name, place in places.items()}
