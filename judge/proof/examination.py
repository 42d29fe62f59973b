"""Examines a problem to be imported, in the oracle's sandbox.

Theory of operation. Each problem gets a new sandbox. Its input is one file with the author's files and the
adapter. Its output is another file, a description of bounded size. Nothing else is shared. Any failure inside
the sandbox is attributed to the problem, and only this problem is rejected.
"""

from dataclasses import dataclass
from importlib.util import find_spec

from judge.evidence.diagnostics import clean
from problems.importing.described import MAX_DESCRIPTION_BYTES, Described, parse_description
from problems.importing.report import Refused
from sandbox.backend import Backend, IsolationUnavailable
from sandbox.python_runtime import examiner_command
from sandbox.spec import Completion, Limits, Termination

# On a busy host, a minute of CPU time takes several minutes.
LIMITS = Limits(wall_s=600, cpu_s=240, memory_mib=4096, processes=128)
_ANSWER = "description.json"


@dataclass(frozen=True, slots=True)
class SandboxedExaminer:
    """Examines on an isolation backend."""

    backend: Backend
    limits: Limits = LIMITS

    def examine(self, source: str) -> Described:
        """See Examiner. Raises IsolationUnavailable if PyTorch or the isolation is missing on this host."""
        if find_spec("torch") is None:
            raise IsolationUnavailable("importing needs PyTorch; run make setup without TRITON=0")
        command = examiner_command(
            source.encode(), limits=self.limits, collect={_ANSWER: MAX_DESCRIPTION_BYTES}
        )
        process = self.backend.start(command)
        try:
            completion = process.wait()
        finally:
            process.close()
        return parse_description(_answer(completion, self.limits))


def _answer(completion: Completion, limits: Limits) -> bytes:
    if (content := completion.files.get(_ANSWER)) is not None and completion.ending is Termination.EXITED:
        return content
    passed = {
        Termination.WALL_TIME: f"takes more than {limits.wall_s:.0f} s",
        Termination.CPU_TIME: f"takes more than {limits.cpu_s:.0f} s of CPU time",
        Termination.MEMORY: f"takes more than {limits.memory_mib} MiB",
        Termination.OUTPUT: "prints too much",
    }
    if reason := passed.get(completion.ending):
        raise Refused(f"its Python {reason}")
    said = clean(completion.stderr.decode("utf-8", "replace"), 600).strip()
    raise Refused(
        f"its Python ended unexpectedly ({completion.ending}, status {completion.status}): {said}".strip(": ")
    )
