"""The stages of a job, and functions with which a test keeps a submission or another job in a stage.

Theory of operation. Each stage has a gate. For the scripted judge, a gate is a file for which a word in the
program waits. For the real judge, the program itself takes a while. The gate of `recording` is a lock in the
database, on the row that every verdict of a problem needs last. The worker is then in the middle of the
transaction that records the verdict. A queued submission stays queued because every worker is busy with
another one.
"""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

import psycopg

from testing.services import wait_until
from tests.cluster.cluster import OF, OTHER_PROBLEM, PROBLEM, START_S, Cluster

_EXPIRE = f"UPDATE submissions_job SET lease_until = NOW() - INTERVAL '1 second' WHERE {OF} RETURNING 1"
# See `web.submissions.services.progress`.
_HAVE_TALLY = (
    "INSERT INTO submissions_tally (problem_id, judged, accepted, solvers) "
    "SELECT id, 0, 0, 0 FROM catalog_problem WHERE slug = %s ON CONFLICT DO NOTHING"
)
_LOCK_TALLY = (
    "SELECT 1 FROM submissions_tally JOIN catalog_problem ON id = problem_id WHERE slug = %s "
    "FOR UPDATE OF submissions_tally"
)
_GATE = "SET application_name = 'gate of recording'"
# Do not count all transactions that wait for a tally, because those for another problem wait for each other.
_WAITS_TO_RECORD = (
    "SELECT COUNT(*) FROM pg_stat_activity AS waiting "
    "JOIN pg_stat_activity AS gate ON gate.pid = ANY(pg_blocking_pids(waiting.pid)) "
    "WHERE gate.application_name = 'gate of recording'"
)

Gate = contextlib.ExitStack  # closing it releases the job


class Stage(StrEnum):
    """The stage of a submission.

    A row in the database has three states: waiting, leased, and being written by the recording transaction.
    The stages of a leased submission differ only for a judge with sandboxes.
    """

    QUEUED = "queued"
    COMPILING = "compiling"
    CHECKING = "checking"
    RANKING = "ranking"
    RECORDING = "recording"


STAGES = (Stage.QUEUED, Stage.CHECKING, Stage.RECORDING)
REAL_STAGES = tuple(Stage)
# The gate of each other kind of job: a word in the reference of its problem, or in a program.
KIND_GATES = {"preview": "previewing", "proof": "proving", "import": "importing", "rejudge": "checking"}
KINDS = tuple(KIND_GATES)
Source = Callable[[Stage], str]  # returns a program that stays in a stage
_BEGINS_WITH = {
    Stage.QUEUED: "queued",
    Stage.COMPILING: "compiling",
    Stage.CHECKING: "case",
    Stage.RANKING: "timing",
}


@dataclass(frozen=True, slots=True)
class Held:
    """A submission that a test keeps in a stage, and the submissions being judged, often only itself."""

    public_id: str
    judged: tuple[str, ...]
    gate: Gate

    def release(self) -> None:
        """Release the submission."""
        with contextlib.suppress(psycopg.OperationalError):  # the lock ended with the database server
            self.gate.close()


def scripted(stage: Stage) -> str:
    """Return a program that the scripted judge accepts and that stays in `stage`."""
    gates = {Stage.COMPILING, Stage.CHECKING, Stage.RANKING}
    return f"accepted score=12.5{f' hold={stage}' if stage in gates else ''}"


@contextlib.contextmanager
def hold(cluster: Cluster, stage: Stage, source: Source = scripted) -> Iterator[Held]:
    """Yield a submission of `source` that stays in `stage` until it is released or the block ends."""
    with contextlib.ExitStack() as gates:
        if stage is Stage.QUEUED:
            gate, busy = _busy(cluster, Stage.CHECKING, source, gates)
            yield Held(cluster.submit(source(stage)), busy, gate)
        else:
            gate = _close_gate(cluster, stage, gates)
            public_id = cluster.submit(source(stage))
            _await(cluster, public_id, stage)
            yield Held(public_id, (public_id,), gate)


@dataclass(frozen=True, slots=True)
class HeldJob:
    """A job of another kind that a test keeps at its worker."""

    kind: str
    pk: int
    gate: Gate

    def release(self) -> None:
        """Let it go on."""
        self.gate.close()


@contextlib.contextmanager
def hold_kind(cluster: Cluster, kind: str) -> Iterator[HeldJob]:
    """Yield a job of `kind` that its worker keeps until it is released or the block ends."""
    word = f"hold={KIND_GATES[kind]}"
    old = ""
    if kind == "rejudge":
        old = cluster.submit(f"accepted {word}")
        cluster.settle()
    with contextlib.ExitStack() as gates:
        file = cluster.gates / f"hold-{KIND_GATES[kind]}"
        file.touch()
        gate = gates.enter_context(Gate())
        gate.callback(file.unlink, missing_ok=True)
        pk = cluster.ask("start_kind", kind, word, old)
        wait_until(
            lambda: cluster.ask("look_at", kind, pk)["state"] == "leased", f"a worker for a {kind}", START_S
        )
        yield HeldJob(kind, pk, gate)


@contextlib.contextmanager
def hold_again(cluster: Cluster, stage: Stage) -> Iterator[Held]:
    """Do the same as `hold` for a second attempt.

    The auditor had the first attempt, and its lease has expired.
    """
    with contextlib.ExitStack() as gates:
        away = Stage.COMPILING if stage is Stage.CHECKING else Stage.CHECKING
        others, busy = _busy(cluster, away, scripted, gates, OTHER_PROBLEM)
        public_id = cluster.submit(scripted(stage))
        assert cluster.ask("claim") == public_id
        cluster.sql(_EXPIRE, public_id)
        if stage is Stage.QUEUED:
            wait_until(lambda: cluster.state(public_id) == ("queued", 1), "the end of the first attempt")
            yield Held(public_id, busy, others)
        else:
            gate = _close_gate(cluster, stage, gates)
            others.close()
            _await(cluster, public_id, stage)
            yield Held(public_id, (public_id,), gate)


def _busy(
    cluster: Cluster, stage: Stage, source: Source, gates: contextlib.ExitStack, problem: str = PROBLEM
) -> tuple[Gate, tuple[str, ...]]:
    """Keep every worker busy in `stage`."""
    gate = _close_gate(cluster, stage, gates)
    busy = tuple(cluster.submit(source(stage), problem=problem) for _ in cluster.hosts)
    for public_id in busy:
        _await(cluster, public_id, stage)
    return gate, busy


def _await(cluster: Cluster, public_id: str, stage: Stage) -> None:
    def reached() -> bool:
        if stage is Stage.RECORDING:
            return cluster.sql(_WAITS_TO_RECORD) != [(0,)]
        return _BEGINS_WITH[stage] in cluster.steps(public_id)

    wait_until(reached, f"{public_id} being {stage}", START_S)


def _close_gate(cluster: Cluster, stage: Stage, gates: contextlib.ExitStack) -> Gate:
    """Keep all submissions that reach `stage` there until the returned gate is closed."""
    gate = gates.enter_context(Gate())
    if stage is Stage.RECORDING:
        lock = gate.enter_context(cluster.postgres.connect())
        gate.callback(lock.close)
        lock.execute(_GATE)
        lock.execute(_HAVE_TALLY, [PROBLEM])  # there is no tally before the first verdict
        lock.autocommit = False
        lock.execute(_LOCK_TALLY, [PROBLEM])
    else:
        file = cluster.gates / f"hold-{stage}"
        file.touch()
        gate.callback(file.unlink, missing_ok=True)
    return gate
