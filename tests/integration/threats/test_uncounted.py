"""Tests judging on a host without control groups: exceeding the memory limit gives the same verdict."""

import shutil
from collections.abc import Iterator
from dataclasses import replace

import pytest

from judge.evaluate import evaluate
from judge.target import Target
from judge.wiring import open_target
from problems.loader import load_problem, problems_root
from problems.vocabulary import Mode, Verdict
from sandbox.backend import IsolationUnavailable
from sandbox.cgroup import Hierarchy
from sandbox.toolchain import ToolchainMissing
from testing.services import need
from tests.integration.conftest import CACHE
from tests.integration.threats.attacks import SOLVE, Attack, cuda, triton
from tests.integration.threats.test_programs import HONEST

pytestmark = pytest.mark.integration

MEMORY_MIB, CASE_S = 512, 30.0  # so that a bomb ends by memory, also on a busy machine
ROW = "memory without control groups"
PROGRAMS = [
    HONEST,
    triton(
        "honest-triton",
        "",
        Verdict.ACCEPTED,
        "def solve(a, b, c, n):\n    add[(triton.cdiv(n, 1024),)](a, b, c, n, BLOCK=1024)\n",
    ),
    cuda(
        "memory-bomb",
        ROW,
        Verdict.MEMORY_LIMIT,
        SOLVE + " { for (;;) { char* p = (char*)malloc(8 << 20); if (!p) abort(); memset(p, 1, 8 << 20); } }",
    ),
    cuda(
        "shared-memory-bomb",
        ROW,
        Verdict.MEMORY_LIMIT,
        "#include <sys/mman.h>\n"
        + SOLVE
        + """ {
  for (;;) {
    void* p = mmap(0, 8 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) abort();
    memset(p, 1, 8 << 20);
    madvise(p, 8 << 20, MADV_DONTNEED);
  }
}""",
    ),
    triton(
        "shared-memory-bomb-triton",
        ROW,
        Verdict.MEMORY_LIMIT,
        """
import mmap

def solve(a, b, c, n):
    held = []
    while True:
        held.append(mmap.mmap(-1, 8 << 20))
        held[-1].write(bytes(8 << 20))
""",
    ),
]


@pytest.fixture(scope="module")
def target() -> Iterator[Target]:
    """A target on this machine's CPU whose sandboxes get no control groups."""
    need(shutil.which("bwrap") is not None, "bubblewrap", "apt-get install bubblewrap")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Hierarchy, "find", lambda: None)
        try:
            target = open_target("cpu", backend="bubblewrap", cache=CACHE, warm={"oracle": 1, "triton": 1})
        except (IsolationUnavailable, ToolchainMissing) as error:
            need(False, "the judge", str(error))
            raise
        yield target
        target.close()


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_programs_get_their_verdicts(target: Target, program: Attack) -> None:
    problem = load_problem(problems_root() / "vector-add")
    problem = replace(problem, limits=replace(problem.limits, memory_mib=MEMORY_MIB, case_s=CASE_S))
    report = evaluate(problem, program.source, language=program.language, mode=Mode.SUBMIT, target=target)
    assert report.verdict is program.verdict, (report.message, report.log, report.diagnostics)
