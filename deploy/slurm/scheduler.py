"""The Slurm commands of the autoscaler. Slurm keeps the state; this module keeps none."""

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from deploy.slurm.scaling import Phase

COMMAND_S = 60.0
MOST_CHARACTERS = 10_000  # limit for a line of squeue and for a message
# sbatch stores its environment with the job: no secrets. With --export=NONE, nodes would run a login shell.
_PASSED_ON = {"PATH", "HOME", "USER", "LOGNAME", "LANG", "TZ", "SLURM_CONF", "SLURM_CLUSTERS"}
_WAITING = {"PENDING", "REQUEUED"}
_HELD = {"REQUEUE_HOLD", "SPECIAL_EXIT"}
_RUNNING = {"RUNNING", "CONFIGURING", "SUSPENDED", "RESIZING", "SIGNALING", "STOPPED"}


class SlurmUnavailable(Exception):
    """Raised when a Slurm command fails. The message is Slurm's."""


@dataclass(frozen=True, slots=True)
class QueuedJob:
    """A job of the pool in Slurm's queue. `node` is empty until it starts."""

    job_id: int
    phase: Phase
    node: str


@dataclass(frozen=True, slots=True)
class Slurm:
    """The Slurm jobs of one pool. `submission` is passed to sbatch: options, the script and its argument."""

    name: str
    submission: tuple[str, ...]

    def jobs(self) -> list[QueuedJob]:
        """Return this user's unfinished jobs of the pool.

        Raises:
            SlurmUnavailable: squeue fails.
        """
        options = ("--me", f"--name={self.name}", "--noheader", "--format=%i|%T|%B|%r")
        return [parse(line) for line in _run("squeue", *options).splitlines() if line.strip()]

    def submit(self) -> int:
        """Submit a worker, and return the id of its job.

        The worker gets no environment variable of this process, because its settings are in a file. Raises
        SlurmUnavailable.
        """
        answer = _run("sbatch", "--parsable", f"--job-name={self.name}", *self.submission)
        return _number(answer.strip().split(";")[0])  # the name of a cluster may follow the id

    def cancel(self, job_ids: Sequence[int]) -> None:
        """Cancel jobs that have not started; one that has started continues. Raises SlurmUnavailable."""
        _run("scancel", "--state=PENDING", *map(str, job_ids))

    def drain(self, job_ids: Sequence[int]) -> None:
        """Send SIGTERM to the scripts of running jobs, which pass it on to their workers.

        Raises SlurmUnavailable.
        """
        _run("scancel", "--signal=TERM", "--batch", *map(str, job_ids))


def submission(options: Sequence[str], script: Path, settings: Path) -> tuple[str, ...]:
    """Return the arguments of sbatch that submit a worker."""
    return (*options, str(script), str(settings))


def parse(line: str) -> QueuedJob:
    """Return the job in a line of squeue. Raises SlurmUnavailable if the line is invalid."""
    job_id, *rest = line[:MOST_CHARACTERS].split("|", 3)
    if len(rest) != 3:
        raise SlurmUnavailable(f"squeue printed {line[:200]!r}")
    state, node, reason = rest
    phase = _phase(state, reason)
    return QueuedJob(_number(job_id), phase, node if phase in (Phase.RUNNING, Phase.ENDING) else "")


def _phase(state: str, reason: str) -> Phase:
    # After the loss of its node, Slurm lets a job wait for two minutes (BeginTime). A new job starts at once.
    if state in _HELD or (state in _WAITING and ("held" in reason.lower() or reason == "BeginTime")):
        return Phase.HELD
    if state in _WAITING:
        return Phase.WAITING
    return Phase.RUNNING if state in _RUNNING else Phase.ENDING


def _number(text: str) -> int:
    try:
        return int(text)
    except ValueError as error:
        raise SlurmUnavailable(f"Slurm printed {text[:200]!r} where a job id was expected.") from error


def _run(*argv: str) -> str:
    try:
        done = subprocess.run(
            argv,
            env={name: value for name, value in os.environ.items() if name in _PASSED_ON},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=COMMAND_S,
        )
    except FileNotFoundError as error:
        raise SlurmUnavailable(f"{argv[0]} is missing: install Slurm's commands (slurm-client).") from error
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SlurmUnavailable(f"{argv[0]}: {error}") from error
    if done.returncode:
        raise SlurmUnavailable((done.stderr or done.stdout).strip()[:MOST_CHARACTERS])
    return done.stdout
