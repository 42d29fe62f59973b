"""Imports a set of problems: reads them, examines each in a sandbox, and builds and tries packages.

Theory of operation. `problems.importing` reads and builds, and executes nothing. Code of a problem runs only
in sandboxes: once to describe its tests, and once, in the oracle that will judge it, to draw the cases of the
new package. Cases that cannot be generated are omitted, and the report names them. A problem that fails is
reported, and the other problems are imported. Several problems are imported at a time, each in its own
sandboxes. Their results come in the order of the set.

If an oracle does not start, the host is at fault. On a busy host this often happens once in a long import.
The oracle is then started once more. If that fails too, the problem is refused with this reason and can be
imported again. If it happens for two problems in a row, the host cannot judge: the import ends, as a proof
would.
"""

import os
from collections import deque
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from judge.cpu.target import ORACLE_LIMITS
from judge.errors import OracleFailed, RunnerUnusable
from judge.oracle import TORCH_ORACLE, Oracle
from judge.proof.determinism import CaseDataSource
from judge.proof.examination import SandboxedExaminer
from problems.importing import gpu_mode, kattis, kernel_bench, leetgpu, tensara
from problems.importing.building import ProblemSource, build, loaded
from problems.importing.described import Array
from problems.importing.names import slug_of
from problems.importing.reference import strict
from problems.importing.refusals import undrawable
from problems.importing.report import Imported, ImportedProblem, Refused
from problems.importing.sandboxed import Examiner
from problems.schema import Problem
from problems.vocabulary import Group
from sandbox.backend import Backend
from sandbox.pool import NotReady, Pool, PoolSpec
from sandbox.python_runtime import torch_oracle_command

_MOST_AT_ONCE = 8  # problems; each may take the memory of an oracle
_AHEAD = 2  # times as many problems have begun, or are done and their results unread
_TRIES = 3
_STARTS = 2  # attempts to start an oracle
# Errors of readers on malformed files, such as a number in place of a list, or a number with a thousand
# digits. Only this problem is at fault, so the whole set is not retried.
_ODD = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
OpenOracle = Callable[[Problem], AbstractContextManager[CaseDataSource]]
OnProblem = Callable[[int, int, str], None]


class UnknownFormat(ValueError):
    """Raised for a format without an importer. The message names the supported formats."""


@dataclass(frozen=True, slots=True)
class Workshop:
    """Starts sandboxes for an author's code during an import.

    With `scale`, small timed cases are enlarged. With `zeroed`, all outputs start at zero.
    """

    examiner: Examiner
    open_oracle: OpenOracle
    scale: bool = False
    zeroed: bool = False


@dataclass(frozen=True, slots=True)
class ImportAdapter:
    """The importer of one format: finds the problems below a folder, and imports one of them."""

    find: Callable[[Path], Iterator[Path]]
    take: Callable[[Path, Path, Workshop], Imported]


def import_set(
    format_name: str,
    folder: Path,
    workshop: Workshop,
    *,
    done: Sequence[ImportedProblem] = (),
    on_problem: OnProblem = lambda *_: None,
    at_once: int | None = None,
) -> Generator[Imported, None, None]:
    """Import every problem below `folder`, and return the results in the order of the set.

    Close the generator if you do not read it to its end. That cancels the problems that have not begun, and
    waits for the others.

    `at_once` problems are imported at a time, by default one for each usable core, at most 8. `done` are the
    results of an earlier run of the same set that was interrupted: their places are skipped. Before waiting
    for a result, the generator calls `on_problem` with the number of the problem (from 1), the number of
    problems, and its place.

    Raises:
        UnknownFormat: this format has no importer.
        sandbox.backend.IsolationUnavailable: this host cannot isolate programs.
        judge.errors.JudgeError: the judge itself failed.
    """
    known = format_of(format_name)
    found = list(known.find(folder))
    places_done = {entry.place for entry in done}
    named = [(str(place.relative_to(folder)) if place != folder else folder.name, place) for place in found]
    left = [
        (number, name, place)
        for number, (name, place) in enumerate(named, start=1)
        if name not in places_done
    ]
    taken = {entry.slug for entry in done if not entry.reason}
    untried = False
    at_once = at_once or _usable_cores()
    threads = ThreadPoolExecutor(at_once, thread_name_prefix="import")
    waiting = iter(left)
    results: deque[Future[Imported]] = deque()
    try:
        for number, name, place in left:
            on_problem(number, len(found), name)
            # Few problems are read ahead, so that a slow reader of the results does not fill the memory.
            for _, _, ahead in islice(waiting, _AHEAD * at_once - len(results)):
                results.append(threads.submit(known.take, ahead, folder, workshop))
            try:
                imported = results.popleft().result()
                untried = False
            except RunnerUnusable as error:
                if untried:
                    raise
                untried = True
                reason = (
                    f"this host could not run it; the problem is not at fault, so import it again: {error}"
                )
                imported = _refused(name, place, reason)
            except Refused as error:
                imported = _refused(name, place, str(error))
            except _ODD as error:
                reason = f"it does not follow its format ({type(error).__name__}: {error})"
                imported = _refused(name, place, reason[:300])
            imported = _with_own_slug(imported, taken, name, place, folder)
            taken |= {imported.entry.slug} if imported.files else set()
            yield imported
    finally:
        threads.shutdown(cancel_futures=True)


def _usable_cores() -> int:
    return min(len(os.sched_getaffinity(0)), _MOST_AT_ONCE)


def _with_own_slug(
    imported: Imported, taken: Collection[str], name: str, place: Path, folder: Path
) -> Imported:
    """Return the problem under a slug that earlier problems of the set have not `taken`, or its refusal."""
    if imported.files and imported.entry.slug in taken:
        imported = _under_its_folder(imported, place, folder)
    if imported.files and imported.entry.slug in taken:
        reason = f"another problem of the set has the same slug, {imported.entry.slug}"
        return Imported(ImportedProblem.refused(name, imported.entry.slug, reason))
    return imported


def _under_its_folder(imported: Imported, place: Path, folder: Path) -> Imported:
    """Return the problem under a slug that begins with its parent folder, if this is a folder of the set."""
    if place.parent == folder or not place.parent.is_relative_to(folder):
        return imported
    slug = slug_of(f"{place.parent.name} {imported.entry.slug}")
    return replace(imported, entry=replace(imported.entry, slug=slug))


def _refused(name: str, place: Path, reason: str) -> Imported:
    """Return the report of a refused problem, under the slug that it would have had."""
    slug = slug_of(place.stem if place.suffix == ".py" else place.name)
    return Imported(ImportedProblem.refused(name, slug, reason))


def format_of(name: str) -> ImportAdapter:
    """Return the importer of this format. Raises UnknownFormat."""
    if name not in FORMATS:
        raise UnknownFormat(f"unknown format {name!r}; available: {', '.join(FORMATS)}")
    return FORMATS[name]


def examined(source: ProblemSource, workshop: Workshop) -> Imported:
    """Return the package of a problem whose tests the sandbox describes. Raises Refused."""
    described = workshop.examiner.examine(source.examined)
    without: dict[str, str] = {}
    for _ in range(_TRIES):
        imported = build(source, described, scale=workshop.scale, zeroed=workshop.zeroed, without=without)
        broken = _broken(loaded(source.slug, imported.files), workshop)
        if not broken:
            return imported
        without |= broken
    sizes = (sum(v.bytes for v in t.values.values() if isinstance(v, Array)) for t in described.tests)
    raise Refused(undrawable(min(sizes, default=0), without))


def _broken(problem: Problem, workshop: Workshop) -> Mapping[str, str]:
    """Return the cases that cannot be drawn, with the reason.

    Timed cases are not tried, because they need a GPU.
    """
    broken: dict[str, str] = {}
    problem = replace(problem, reference=strict(problem.reference))
    starts = 0
    pending = [case for case in problem.cases if case.group is not Group.TIMED]
    while pending:
        # A failed draw ends its oracle, so the remaining cases need another one.
        try:
            with workshop.open_oracle(problem) as oracle:
                starts = 0
                while pending:
                    oracle.draw(pending[0], 1)
                    pending.pop(0)
        except OracleFailed as error:
            broken[pending.pop(0).name] = str(error).removeprefix(f"{problem.slug}: ")[:300]
        except RunnerUnusable:
            starts += 1
            if starts == _STARTS:
                raise
    return broken


def _leetgpu(place: Path, folder: Path, workshop: Workshop) -> Imported:
    return examined(leetgpu.read(place, within=folder), workshop)


def _gpu_mode(place: Path, folder: Path, workshop: Workshop) -> Imported:
    return examined(gpu_mode.read(place, within=folder), workshop)


def _kernel_bench(place: Path, folder: Path, workshop: Workshop) -> Imported:
    return examined(kernel_bench.read(place, within=folder), workshop)


def _tensara(place: Path, folder: Path, workshop: Workshop) -> Imported:
    return examined(tensara.read(place, within=folder), workshop)


def _kattis(place: Path, folder: Path, workshop: Workshop) -> Imported:
    del workshop  # no code of the problem runs
    return kattis.read(place, within=folder)


FORMATS: Mapping[str, ImportAdapter] = {
    gpu_mode.FORMAT: ImportAdapter(gpu_mode.find, _gpu_mode),
    kernel_bench.FORMAT: ImportAdapter(kernel_bench.find, _kernel_bench),
    leetgpu.FORMAT: ImportAdapter(leetgpu.find, _leetgpu),
    tensara.FORMAT: ImportAdapter(tensara.find, _tensara),
    kattis.FORMAT: ImportAdapter(kattis.find, _kattis),
}


@contextmanager
def open_workshop(backend: Backend, *, scale: bool = False, zeroed: bool = False) -> Iterator[Workshop]:
    """Open a workshop on an isolation backend. Needs no toolchain and no GPU, because nothing is compiled.

    Raises:
        sandbox.backend.IsolationUnavailable: this host cannot isolate programs, or has no PyTorch.
    """
    backend.verify()
    pool = Pool(backend, {TORCH_ORACLE: PoolSpec(torch_oracle_command(ORACLE_LIMITS), 0)})

    def oracle(problem: Problem) -> Oracle:
        try:
            process = pool.take(TORCH_ORACLE, ORACLE_LIMITS)
        except NotReady as error:
            raise RunnerUnusable(f"the oracle did not start: {error}") from error
        return Oracle(problem, process, lambda: False)

    try:
        yield Workshop(SandboxedExaminer(backend), oracle, scale, zeroed)
    finally:
        pool.close()
