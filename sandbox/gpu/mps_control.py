"""Sends commands to an MPS daemon through NVIDIA's control program.

Theory of operation. `nvidia-cuda-mps-control` starts a daemon with `-d`, and without arguments it sends the
commands of its standard input to the daemon of its pipe directory, which takes two milliseconds each. It only
gets the environment variables that it needs, because the daemon must not have the worker's secrets. Every
wait has a limit.
"""

import contextlib
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

BINARY = "nvidia-cuda-mps-control"
PIPE_VARIABLE = "CUDA_MPS_PIPE_DIRECTORY"
_HANDED_ON = ("PATH", "LD_LIBRARY_PATH")  # all that the daemon gets of our environment
_ANSWER_BYTES = 1 << 20
_NUMBER = re.compile(r"[0-9]{1,10}")
_NOBODY_THERE = "cannot find mps control daemon process"
_MISSING = (
    f"{BINARY} is not on the PATH: it comes with the driver (package nvidia-compute-utils-<version> on "
    "Ubuntu, nvidia-cuda-mps on Debian). Without MPS, GPUs can be shared by time slicing: set "
    "WARPCOURT_MPS=no"
)
NOT_ROOT = (
    "containers run as other users, and MPS accepts them only if root started it. Run the worker as root, "
    "or share GPUs by time slicing: set WARPCOURT_MPS=no"
)


class MpsUnavailable(Exception):
    """Raised when a GPU cannot be shared through MPS now. The message has the cause and the fix."""


class MpsRefused(MpsUnavailable):
    """Raised when the daemon refuses a command: it belongs to another user."""


@dataclass(frozen=True, slots=True)
class Control:
    """The control program `binary`, with `patience_s` for a command, for the daemon of the GPU `uuid`."""

    uuid: str
    pipe_directory: Path
    log_directory: Path
    binary: str
    patience_s: float

    def ask(self, command: str, *, limit_s: float | None = None) -> str:
        """Return the daemon's answer to `command`. Raises MpsUnavailable."""
        try:
            self.pipe_directory.joinpath("control").stat()
        except PermissionError as error:
            raise MpsRefused(f"{error}: another user started MPS; {NOT_ROOT}") from error
        except OSError as error:
            raise MpsUnavailable(f"no MPS daemon is running in {self.pipe_directory}") from error
        said = self.run([self.program()], command + "\n", limit_s=limit_s or self.patience_s)
        if "insufficient privileges" in said.lower():
            raise MpsRefused(
                f"the MPS daemon in {self.pipe_directory} refuses {command!r}: it belongs to another user. "
                "Run the worker as the user that started the daemon (root, as a rule)"
            )
        return said

    def run(self, argv: list[str], said: str = "", *, limit_s: float) -> str:
        """Return the program's output.

        Raises MpsUnavailable, with the end of the daemon's log, if it fails.
        """
        environment = {name: os.environ[name] for name in _HANDED_ON if name in os.environ} | {
            "CUDA_VISIBLE_DEVICES": self.uuid,
            PIPE_VARIABLE: str(self.pipe_directory),
            "CUDA_MPS_LOG_DIRECTORY": str(self.log_directory),
        }
        what = said.strip() or "starting MPS"
        with tempfile.TemporaryFile() as answer:  # a pipe would be held open by the daemon that this starts
            try:
                done = subprocess.run(
                    argv,
                    input=said.encode(),
                    env=environment,
                    stdout=answer,
                    stderr=subprocess.STDOUT,
                    timeout=limit_s,
                    check=False,
                    cwd="/",
                )
            except subprocess.TimeoutExpired as error:
                raise MpsUnavailable(f"{what} took more than {limit_s:g} s{self.log_end()}") from error
            except OSError as error:
                raise MpsUnavailable(f"{argv[0]} cannot be run: {error}") from error
            answer.seek(0)
            text = answer.read(_ANSWER_BYTES).decode(errors="replace")
        if _NOBODY_THERE in text.lower():
            raise MpsUnavailable(f"no MPS daemon is running in {self.pipe_directory}{self.log_end()}")
        if done.returncode:
            raise MpsUnavailable(f"{what} failed: {text.strip()}{self.log_end()}")
        return text

    def program(self) -> str:
        """Return the path of the control program. Raises MpsUnavailable."""
        found = shutil.which(self.binary)
        if found is None:
            raise MpsUnavailable(_MISSING)
        return found

    def log_end(self) -> str:
        """Return the end of the daemon's log, to append to a message; empty if there is none."""
        with contextlib.suppress(OSError):
            lines = (self.log_directory / "control.log").read_text(errors="replace").splitlines()
            return "; its log ends: " + " / ".join(lines[-3:])
        return ""


def numbers(said: str) -> tuple[int, ...]:
    """The process ids in an answer, one a line. Raises MpsUnavailable for anything else."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    strange = [line for line in lines if not _NUMBER.fullmatch(line)]
    if strange:
        raise MpsUnavailable(f"the MPS daemon answered {strange[0][:200]!r} where process ids were expected")
    return tuple(map(int, lines))


def is_number(said: str) -> bool:
    """Whether an answer is a process id."""
    return bool(_NUMBER.fullmatch(said))
