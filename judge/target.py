"""Where programs are judged: a sandbox backend, toolchains and warm pools behind one name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from judge.errors import RunnerUnusable
from problems.schema import Problem
from problems.vocabulary import Language, Verdict
from sandbox.backend import Process


@dataclass(frozen=True, slots=True)
class Built:
    """What compiling yields: the `contents` that a runner loads, or a `failure` with its `message`."""

    contents: tuple[bytes, ...] = ()
    log: str = ""
    failure: Verdict | None = None
    message: str = ""


class Target:
    """A place to judge on. Open one per process, close it at the end.

    `ranks` says whether times measured here count; on a CPU they never do.
    """

    name: str = "cpu"
    ranks: bool = False

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

    def environment(self, language: Language) -> Mapping[str, str]:
        """What produces the results for `language` here: target, toolchain and versions."""
        raise NotImplementedError

    def build(
        self, problem: Problem, source: str, language: Language, cancelled: Callable[[], bool]
    ) -> Built:
        """Compile `source`, isolated, or take it from the cache. Raises JudgementCancelled."""
        raise NotImplementedError

    def start_runner(self, problem: Problem, language: Language) -> Process:
        """A fresh runner that has reported ready. Raises RunnerUnusable."""
        raise RunnerUnusable

    def start_oracle(self) -> Process:
        """A fresh oracle that has reported ready. Raises RunnerUnusable."""
        raise RunnerUnusable

    def close(self) -> None:
        """End the warm sandboxes."""
