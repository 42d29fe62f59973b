"""Where programs are judged: a sandbox backend, toolchains and warm pools behind one name."""

from collections.abc import Mapping
from pathlib import Path
from typing import Self


class Target:
    """A place to judge on. Open one per process, close it at the end."""

    name: str

    @classmethod
    def open(cls, name: str, *, backend: str, cache: Path, warm: Mapping[str, int]) -> Self:
        """Open the target `name` (`cpu`) on the isolation `backend` (`bubblewrap`).

        `cache` is a directory for compiled artifacts and the built runtime. `warm` says how many
        sandboxes to keep started ahead, by what runs in them: `triton`, `oracle`.

        Raises:
            sandbox.backend.IsolationUnavailable: with the fix.
            sandbox.toolchain.ToolchainMissing: with the install line.
        """
        raise NotImplementedError

    def close(self) -> None:
        """End the warm sandboxes."""
        raise NotImplementedError
