"""Logs echo the program, so they are hostile. Reading one takes time in proportion to its length."""

import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.compiler import compile_findings, load_findings
from judge.compiler.findings import MAX_FINDINGS
from judge.compiler.host_lines import with_host_lines
from judge.evidence.diagnostics import MAX_DIAGNOSTICS
from judge.report import Diagnostic
from problems.loader import load_problem, problems_root
from problems.vocabulary import DiagnosticKind, Severity

PROBLEM = load_problem(problems_root() / "vector-add")
ERROR = 'solution.cu(1): error: identifier "x" is undefined\n'
LONG = 128 * 1024
PIECES = [
    *("a(", "a(1", "a(1): ", "(", ":", "a:1:", "a:1: error: ", " ", "\n", " " * 12, "^", "\r", "\0"),
    *(
        'solution.cu(1): error: identifier "',
        'instantiation of "',
        "at line ",
        "at line 1 of ",
        "undefined reference to ",
    ),
    *("In file included from a:1:\n", "                 from a:1:\n", "a:1:   required from here\n"),
    *(ERROR, "solution.cu(1): note: a\n", "binding.cu(1): error: a\n", "ptxas a, line 1; error : ", "ptxas "),
    *(
        "solution.cu(1): error: a\n            argument types are: (",
        "  x\n  ^\n",
        "'_Z9",
        "undefined reference to '_Z",
    ),
    (
        'binding.cu(1): error: static assertion failed with "argument 1 of solve\n'
        '          instantiation of "[with Parameters=<'
    ),
]
SOURCES = [
    "/*",
    '"',
    '"\\"',
    "'",
    "'\\'",
    'R"(',
    'R"a(',
    "//",
    "#",
    "#\\\n",
    "void a(",
    "int solve",
    "solve (",
    "{",
    "x y ",
]


def findings(log: str, source: str = "void solve() {}\n") -> tuple[Diagnostic, ...]:
    found = compile_findings(log, source, PROBLEM)
    assert len(found) <= MAX_FINDINGS
    assert all(len(finding.message) < 2000 for finding in found)
    return found


def grows_with_its_length(work: Callable[[int], object], *, factor: int = 8) -> bool:
    """Whether `work(length)` takes about `factor` times longer for a text as much longer, not its square."""
    took = []
    for length in (LONG // factor, LONG):
        started = time.process_time()
        work(length)
        took.append(time.process_time() - started)
    return took[1] < 0.2 or took[1] < factor * factor / 2 * max(took[0], 1e-3)


@pytest.mark.parametrize("piece", PIECES, ids=lambda piece: repr(piece[:24]))
@pytest.mark.parametrize("head", ["", ERROR], ids=["alone", "after an error"])
def test_no_log_takes_longer_than_its_length_says(head: str, piece: str) -> None:
    assert grows_with_its_length(lambda length: findings(head + (piece * length)[:length]))


@pytest.mark.parametrize("piece", SOURCES, ids=repr)
def test_no_source_takes_longer_than_its_length_says(piece: str) -> None:
    missing = 'binding.cu(1): error: the global scope has no "solve"\n'
    log = ERROR + 'solution.cu(9): error: expected a ";"\n  x\n  ^\n'
    assert grows_with_its_length(lambda length: findings(missing, (piece * length)[:length]))
    assert grows_with_its_length(lambda length: findings(log, (piece * length)[:length]))


@given(st.text(max_size=400), st.text(max_size=200))
def test_whatever_a_log_says_it_is_read(log: str, source: str) -> None:
    findings(ERROR + log, source)
    findings("solution.cu(3): error: " + log, source)


def test_what_a_terminal_or_a_page_might_obey_is_taken_out() -> None:
    (found,) = findings("solution.cu(1): error: \x1b[31mred\x07 <script>\u202e\n")
    assert found.message == "[31mred <script>."


def test_a_long_message_is_cut() -> None:
    (found,) = findings(f"solution.cu(1): error: {'x' * 5000}\n")
    assert len(found.message) < 700


def test_a_line_directive_that_names_the_file_of_the_call_accuses_nobody_else() -> None:
    (found,) = findings('binding.cu(3): error: identifier "x" is undefined\n')
    assert found.line is None
    assert found.message.startswith("The program conflicts with the call to solve")


def test_a_line_that_does_not_exist_is_kept_out_of_reach() -> None:
    (found,) = findings("solution.cu(99999): error: far\n")
    assert found.line is None
    assert findings("solution.cu(99999999): error: far\n") == ()


@pytest.mark.parametrize(
    ("said", "message", "line"),
    [
        (
            "the program could not be loaded: /proc/self/fd/7: undefined symbol: _Z6helperi",
            'Undefined reference to "helper"',
            2,
        ),
        (
            "the program could not be loaded: /proc/self/fd/7: undefined symbol: helper",
            'Undefined reference to "helper"',
            2,
        ),
        (
            "the program could not be loaded: out of memory",
            "the program could not be loaded: out of memory",
            None,
        ),
    ],
)
def test_a_function_that_lacks_when_the_program_is_loaded_is_named(
    said: str, message: str, line: int | None
) -> None:
    (found,) = load_findings(
        [Diagnostic(Severity.ERROR, "load", said)], "\nvoid helper(int);\nvoid solve() { helper(1); }\n"
    )
    assert (found.message.partition(". ")[0], found.line) == (message, line)


@pytest.mark.parametrize(
    ("symbol", "name", "instead"),
    [
        ("cudaIpcGetMemHandle", "cudaIpcGetMemHandle", "pass the pointer"),
        ("cudaGraphAddKernelNode", "cudaGraphAddKernelNode", "cudaStreamBeginCapture"),
        ("cudaGraphExecUpdate", "cudaGraphExecUpdate", "change that memory"),
        ("cuMemAlloc_v2", "cuMemAlloc", "runtime API"),
        ("curandCreateGenerator", "curandCreateGenerator", "<curand_kernel.h>"),
        ("cudaGetDriverEntryPoint_ptsz", "cudaGetDriverEntryPoint", ""),
    ],
)
def test_a_function_that_functional_mode_lacks_is_no_fault_of_the_program(
    symbol: str, name: str, instead: str
) -> None:
    said = f"the program could not be loaded: /proc/self/fd/7: undefined symbol: {symbol}"
    (found,) = load_findings(
        [Diagnostic(Severity.ERROR, "load", said)], f"void solve() {{\n  {name}(1);\n}}\n"
    )
    assert found.message.startswith(
        f"Functional mode does not support {name}. The program may be right on a GPU."
    )
    assert instead in found.message
    assert "does not define it" not in found.message
    assert (found.kind, found.line) == (DiagnosticKind.LINKER, 2)


@pytest.mark.parametrize("code", ["a15[ ", "__device__ {}", "a1[[[[[[", "=" + " " * 79, " x[1];"])
@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (DiagnosticKind.HOST_ACCESS, "host code wrote device memory ("),
        (DiagnosticKind.LEAK, "allocations with 1 streams events "),
        (DiagnosticKind.COPY_DIRECTION, "cudaMemcpy: the source is "),
        (DiagnosticKind.LAUNCH_BOUND, ""),
    ],
)
def test_findings_that_a_program_wrote_itself_get_lines_in_little_time(
    kind: DiagnosticKind, message: str, code: str
) -> None:
    source = "".join(f"cudaMalloc(&a{i},4);" for i in range(16))
    source = (source + code * (LONG // len(code)))[:LONG]
    said = [
        Diagnostic(Severity.WARNING, kind, f"{message}{i}", kernel=f"a{i}") for i in range(MAX_DIAGNOSTICS)
    ]
    began = time.process_time()
    with_host_lines(said, source, ["x"])
    assert time.process_time() - began < 10  # it was minutes
