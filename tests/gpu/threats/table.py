"""The programs of attacks/, with the verdicts that each may get on a GPU. docs/threat-model.md lists them.

Each is a program for vector addition, appended to the prelude of its language. There are two kinds:

- *Traps*. They give a wrong answer, or exit, unless their attack succeeds. Then they give the correct answer.
  So any verdict except `accepted` means that the attack failed.
- *Races*. They give the correct answer, and try to get an undeserved time. They may be accepted, but not with
  a better time than the honest program, within `MARGIN`. Or they are detected. `python -m benchmarks.attacks`
  also judges the attacks on times for sums, in three sizes.

`neighbours` marks attacks that could end or slow down other programs on the GPU. They are also judged
together with honest programs.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from problems.vocabulary import Language, Verdict
from sandbox.wire import Page

MARGIN = 0.98
HONEST = {Language.CUDA: "honest.cu", Language.TRITON: "honest.py", Language.PYTHON: "honest.torch.py"}
STRIDED = "honest-strided.cu"
WITHOUT_INPUTS = "outputs-before-the-start.cu"  # an attack on the times of the problem who-am-i
_STRIDED = ("WORK_INTO(", "work<", "part(")  # calls of a prelude with grids that stride over the elements
_HERE = Path(__file__).parent
_ACCEPTED, _WRONG, _REJECTED = Verdict.ACCEPTED, Verdict.WRONG_ANSWER, Verdict.REJECTED
_ILLEGAL, _RUNTIME = Verdict.ILLEGAL_ACCESS, Verdict.RUNTIME_ERROR
_TIME, _MEMORY, _OUTPUT = Verdict.TIME_LIMIT, Verdict.MEMORY_LIMIT, Verdict.OUTPUT_LIMIT


@dataclass(frozen=True)
class Attack:
    """A file of attacks/, its row in the threat model, and its allowed verdicts."""

    file: str
    row: str
    verdicts: tuple[Verdict, ...]
    neighbours: bool = False
    drastic: bool = False

    @property
    def language(self) -> Language:
        """The language by the file's suffix."""
        return language_of(self.file)

    @property
    def honest(self) -> str:
        """The file of the honest program with the same kernel, for comparing times."""
        strided = any(word in self.source_of_its_own for word in _STRIDED)
        return STRIDED if self.language is Language.CUDA and strided else HONEST[self.language]

    @property
    def source_of_its_own(self) -> str:
        """The program without its prelude."""
        return (_HERE / "attacks" / self.file).read_text()

    @property
    def source(self) -> str:
        """The whole program."""
        return source(self.file)


def language_of(file: str) -> Language:
    """Return the language of `file`, by its suffix."""
    language = Language.of_file(file)
    assert language is not None, file
    return language


_PAGE_WORDS = "".join(
    f"#define PAGE_{name} {offset // 8}\n"
    for name, offset in (("ORDER", Page.ORDER), ("QUEUED", Page.QUEUED), ("DONE", Page.DONE))
)


@cache
def source(file: str) -> str:
    """Return the program in `file` of attacks/ for vector addition, after its prelude."""
    return assembled(file, "prelude")


def source_for_sums(file: str) -> str:
    """Return the same for the sum of an array. For attacks on times in CUDA C++."""
    return assembled(file, "prelude.sum")


def assembled(file: str, prelude: str) -> str:
    """Return the program in `file` of attacks/ after the code that it needs."""
    parts = [f"{prelude}{language_of(file).suffix}", f"attacks/{file}"]
    text = (_HERE / "attacks" / file).read_text()
    if "find_flags" in text and language_of(file) is Language.CUDA:
        parts.insert(1, "prelude.flags.cu")
    names = _PAGE_WORDS if language_of(file) is Language.CUDA else ""
    return names + "\n".join((_HERE / part).read_text() for part in parts)


TIMING = (
    Attack("side-stream.cu", "side stream", (_ACCEPTED,)),
    Attack("stream-per-call.cu", "side stream", (_ACCEPTED,)),
    Attack("stream-after-growth.cu", "side stream", (_ACCEPTED,)),
    Attack("side-stream.py", "side stream", (_ACCEPTED, _WRONG, _REJECTED)),
    Attack(
        "second-context.cu",
        "side stream",
        (_WRONG, _REJECTED, _RUNTIME, _ILLEGAL),
        neighbours=True,
        drastic=True,
    ),
    Attack("deferred-thread.cu", "deferred work", (_WRONG, _REJECTED)),
    Attack("late-thread.py", "deferred work", (_WRONG, _REJECTED)),
    Attack("lazy-result.py", "lazy result", (_WRONG,)),
    Attack("patched-timers.cu", "patched timers", (_ACCEPTED, _REJECTED, _RUNTIME)),
    Attack("patched-timers.py", "patched timers", (_ACCEPTED, _REJECTED, _RUNTIME)),
    Attack("warm-up-detection.cu", "warm-up detection", (_WRONG, _REJECTED)),
    Attack("half-when-timed.cu", "warm-up detection", (_WRONG, _REJECTED)),
    Attack("super-batch.cu", "super-batch", (_ACCEPTED, _WRONG, _REJECTED)),
    Attack("skip-repeats.cu", "super-batch", (_ACCEPTED, _REJECTED)),
    Attack("overlap.cu", "overlap", (_ACCEPTED, _REJECTED)),
    Attack("done-early.cu", "done told early", (_WRONG, _REJECTED)),
    Attack("done-early-tail.cu", "done told early", (_WRONG, _REJECTED)),
    Attack("late-tail.cu", "done told early", (_ACCEPTED, _WRONG, _REJECTED)),
    Attack("host-helper.cu", "the host's processors help", (_ACCEPTED, _WRONG, _REJECTED)),
    Attack("slow-warm-up.cu", "warm-up detection", (_ACCEPTED, _REJECTED)),
    Attack("ungated.cu", "not waiting at the gate", (_ACCEPTED, _WRONG, _REJECTED)),
    Attack("polling-ahead.cu", "computing ahead in private", (_ACCEPTED, _WRONG, _REJECTED)),
    Attack("copy-engine.cu", "warming the cache", (_ACCEPTED, _REJECTED)),
    Attack("evict-last.cu", "L2 persistence", (_ACCEPTED, _REJECTED)),
    Attack("l2-persistence-default.cu", "L2 persistence", (_ACCEPTED, _REJECTED)),
    Attack("replaced-calls.py", "the runner's Python replaced", (_ACCEPTED, _WRONG, _REJECTED, _RUNTIME)),
    Attack("precompute.cu", "precompute before go", (_ACCEPTED, _WRONG, _REJECTED, _ILLEGAL, _RUNTIME)),
    Attack("l2-persistence.cu", "L2 persistence", (_ACCEPTED, _REJECTED)),
    Attack("replay-pointers.cu", "replay", (_WRONG, _REJECTED)),
    Attack("replay-contents.cu", "replay", (_ACCEPTED, _REJECTED)),
    Attack("replay-graph.cu", "replay", (_ACCEPTED,)),
    Attack("clock-tampering.cu", "clock tampering", (_ACCEPTED,)),
    Attack(
        "hog.cu", "slow the baseline", (_ACCEPTED, _REJECTED, _TIME, _RUNTIME), neighbours=True, drastic=True
    ),
    Attack("forged-page.cu", "forge the page", (_ACCEPTED, _WRONG, _REJECTED, _RUNTIME, _ILLEGAL)),
    Attack("forged-page-ahead.cu", "forge the page", (_ACCEPTED, _WRONG, _REJECTED, _RUNTIME, _ILLEGAL)),
)
IN_PYTHON = (
    Attack("side-stream.torch.py", "side stream", (_ACCEPTED, _WRONG, _REJECTED)),
    Attack("overlap.torch.py", "overlap", (_ACCEPTED, _WRONG, _REJECTED)),
    Attack("done-early.torch.py", "done told early", (_WRONG, _REJECTED)),
    Attack("late-thread.torch.py", "deferred work", (_WRONG, _REJECTED)),
    Attack("lazy-result.torch.py", "lazy result", (_WRONG,)),
    Attack("patched-timers.torch.py", "patched timers", (_ACCEPTED, _REJECTED, _RUNTIME)),
    Attack("warm-up-detection.torch.py", "warm-up detection", (_WRONG, _REJECTED)),
    Attack("replay-pointers.torch.py", "replay", (_WRONG, _REJECTED)),
    Attack("replay-contents.torch.py", "replay", (_ACCEPTED, _REJECTED)),
    Attack("replay-graph.torch.py", "replay", (_ACCEPTED,)),
    Attack("uninitialised-memory.torch.py", "return uninitialised or freed memory", (_WRONG,)),
)
CORRECTNESS = (
    Attack("uninitialised-memory.cu", "return uninitialised or freed memory", (_WRONG,)),
    Attack("scan-address-space.cu", "scan the address space", (_WRONG,)),
    Attack("searches-for-the-answer.py", "scan the address space", (_WRONG,)),
    Attack("passes-off-pytorch.py", "another language", (_REJECTED,)),
    Attack("passes-off-cublas.py", "another language", (_REJECTED,)),
    Attack("passes-off-a-compiled-graph.py", "another language", (_REJECTED,)),
    Attack("computes-on-the-host.py", "another language", (_REJECTED,)),
    Attack("nan-everywhere.cu", "NaN or infinity as wildcards", (_WRONG,)),
    Attack("infinity-everywhere.cu", "NaN or infinity as wildcards", (_WRONG,)),
    Attack("inputs-set-to-zero.cu", "mutate the inputs", (_REJECTED, _ILLEGAL, _RUNTIME)),
    Attack("inputs-made-writable.cu", "mutate the inputs", (_REJECTED, _ILLEGAL, _RUNTIME)),
    Attack("cache-by-size.cu", "cache by pointer, shape or seed", (_WRONG,)),
    Attack("public-case-alone.cu", "hard-code the public cases or shapes", (_WRONG,)),
    Attack("known-shapes-alone.cu", "hard-code the public cases or shapes", (_WRONG,)),
    Attack("all-but-the-last.cu", "compute part of the output", (_WRONG,)),
    Attack("half-precision.cu", "lower precision than asked", (_WRONG,)),
    Attack("past-the-end.cu", "write out of bounds", (_ILLEGAL,)),
    Attack("before-the-start.cu", "write out of bounds", (_ILLEGAL,)),
    Attack("vendor-library.cu", "call the vendor's library", (_WRONG, _ACCEPTED, _RUNTIME)),
)
CHANNEL = (
    Attack("prints-pass-and-exits.cu", "print the judge's own pass line", (_RUNTIME,)),
    Attack("answers-by-itself.cu", "write to inherited descriptors, dup2", (_REJECTED,)),
    Attack("answers-by-itself.py", "write to inherited descriptors, dup2", (_REJECTED,)),
    Attack("replaces-the-channel.cu", "write to inherited descriptors, dup2", (_RUNTIME,)),
    Attack("exits-with-success.cu", "`_exit(0)`, `abort`, kill the parent", (_RUNTIME,)),
    Attack("aborts.cu", "`_exit(0)`, `abort`, kill the parent", (_RUNTIME,)),
    Attack("kills-everybody.cu", "`_exit(0)`, `abort`, kill the parent", (_RUNTIME,)),
    Attack("constructor-answers.cu", "library constructors, import-time code", (_RUNTIME, _REJECTED)),
    Attack("import-time-exit.py", "library constructors, import-time code", (_RUNTIME,)),
    Attack(
        "diagnostics-bomb.cu", "JSON bombs and floods as diagnostics", (_WRONG, _RUNTIME), neighbours=True
    ),
    Attack("patches-the-runner.py", "rewrite the harness", (_WRONG, _RUNTIME)),
    Attack("reads-other-processes.cu", "rewrite the harness", (_WRONG,)),
    Attack("stolen-descriptors.cu", "import descriptors", (_WRONG,)),
    Attack("ipc-brute-force.cu", "import descriptors", (_WRONG, _RUNTIME)),
)
PLATFORM = (
    Attack("network.cu", "egress, DNS, metadata, host sockets", (_WRONG,)),
    Attack("host-sockets.cu", "egress, DNS, metadata, host sockets", (_WRONG,)),
    Attack("privileges.cu", "privileges", (_WRONG,)),
    Attack("writes-outside.cu", "writing outside the quota", (_WRONG,)),
    Attack("huge-file.cu", "huge files", (_WRONG, _MEMORY)),
    Attack("fork-bomb.cu", "fork bomb", (_WRONG, _RUNTIME, _MEMORY, _TIME)),
    Attack("memory-bomb.cu", "memory bomb", (_MEMORY, _RUNTIME)),
    Attack("descriptor-bomb.cu", "descriptor bomb", (_RUNTIME, _WRONG, _ACCEPTED)),
    Attack("output-flood.cu", "output flood", (_OUTPUT,)),
    Attack("device-printf-flood.cu", "output flood", (_OUTPUT, _TIME, _WRONG)),
    Attack("leaves-a-mark.cu", "channels between two jobs", (_WRONG,)),
    Attack("leaves-a-mark.py", "channels between two jobs", (_WRONG,)),
    Attack("other-gpus.cu", "other GPUs", (_WRONG,)),
    Attack("second-process.cu", "a second CUDA process", (_WRONG, _REJECTED, _RUNTIME)),
    Attack("second-process.py", "a second CUDA process", (_WRONG, _REJECTED, _RUNTIME)),
    Attack("beside-mps.py", "run beside MPS", (_WRONG, _REJECTED, _RUNTIME)),
    Attack("lifted-memory-limit.py", "lift the memory limit", (_WRONG, _REJECTED, _RUNTIME), neighbours=True),
    Attack("memory-beyond-the-limit.cu", "lift the memory limit", (_WRONG, _MEMORY), neighbours=True),
    Attack("drives-mps.py", "drive the MPS daemon", (_WRONG, _REJECTED, _RUNTIME), neighbours=True),
    Attack("speaks-to-mps.cu", "drive the MPS daemon", (_WRONG, _RUNTIME), neighbours=True),
    Attack("fresh-memory-dump.cu", "other tenants' device memory", (_WRONG,), neighbours=True),
    Attack("illegal-address.cu", "faults on the GPU", (_ILLEGAL,), neighbours=True),
    Attack("far-past-the-end.cu", "faults on the GPU", (_ILLEGAL,), neighbours=True),
    Attack("misaligned-access.cu", "faults on the GPU", (_ILLEGAL,), neighbours=True),
    Attack("device-assert.cu", "faults on the GPU", (_RUNTIME,), neighbours=True),
    Attack("trap.cu", "faults on the GPU", (_RUNTIME,), neighbours=True),
    Attack("deep-recursion.cu", "faults on the GPU", (_ILLEGAL, _RUNTIME), neighbours=True),
    Attack("endless-kernel.cu", "endless kernel", (_TIME,), neighbours=True),
    Attack("endless-kernel.py", "endless kernel", (_TIME,), neighbours=True),
    Attack("endless-host.cu", "endless kernel", (_TIME,)),
    Attack("too-many-threads.cu", "refused launches", (_RUNTIME,)),
    Attack("out-of-device-memory.cu", "exhausted device memory", (_MEMORY, _RUNTIME), neighbours=True),
    Attack("takes-the-last-memory.cu", "exhausted device memory", (_ACCEPTED, _MEMORY), neighbours=True),
    Attack("stops-itself.cu", "stop the own process", (_TIME,), neighbours=True),
)
ATTACKS = tuple(
    sorted(
        (*TIMING, *IN_PYTHON, *CORRECTNESS, *CHANNEL, *PLATFORM),
        key=lambda attack: (attack.drastic, attack.neighbours),
    )
)
