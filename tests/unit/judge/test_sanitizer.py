"""Tests parsing the output of compute-sanitizer into diagnostics."""

from hypothesis import given
from hypothesis import strategies as st

from judge.evidence.sanitizer import MAX_FINDINGS, findings, refined
from judge.report import Diagnostic
from problems.vocabulary import Severity, Verdict

TEXT = b"""\
========= COMPUTE-SANITIZER
hello from the program
========= Invalid __global__ write of size 4 bytes
=========     at add(const float *, const float *, float *, int)+0x90 in solution.cu:7
=========     by thread (31,0,0) in block (7,2,0)
=========     Access at 0x7f21e6c00400 is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x7f21e6c00000 of size 1024 bytes
=========
========= Invalid __global__ write of size 4 bytes
=========     at add(const float *, const float *, float *, int)+0x90 in solution.cu:7
=========     by thread (30,0,0) in block (7,2,0)
=========     Access at 0x7f21e6c003fc is out of bounds
=========
========= Program hit cudaErrorLaunchFailure (error 719) due to "unspecified launch failure".
========= ERROR SUMMARY: 3 errors
"""


def test_a_finding_names_line_thread_block_and_kernel() -> None:
    found, *_ = findings(TEXT)
    assert (found.severity, found.kind, found.line) == ("error", "out_of_bounds", 7)
    assert (found.thread, found.block) == ((31, 0, 0), (7, 2, 0))
    assert found.kernel == "add(const float *, const float *, float *, int)"
    assert "write of size 4 bytes" in found.message
    assert "0x7f" not in found.message


def test_the_same_place_is_told_once() -> None:
    assert [found.kind for found in findings(TEXT)] == ["out_of_bounds", "cuda_error"]


def test_what_the_program_itself_prints_is_no_finding() -> None:
    assert findings(b"Invalid __global__ write of size 4 bytes\n") == ()


def test_findings_are_bounded() -> None:
    lines = [f"========= Invalid x\n=========     at k{n} in a.cu:{n + 1}\n".encode() for n in range(500)]
    assert len(findings(b"".join(lines))) == MAX_FINDINGS


RACES = b"""\
========= Error: Race reported between Write access at sum(const float *, float *, int)+0x90 in solution.cu:7
=========     and Read access at sum(const float *, float *, int)+0x120 in solution.cu:9 [508 hazards]
=========
========= Warning: Race reported between Read access at last(float *)+0x40 in solution.cu:21
=========     and Write access at last(float *)+0x80 in solution.cu:22 [1 hazard]
=========     and Write access at last(float *)+0xa0 [2 hazards]
=========
========= RACECHECK SUMMARY: 2 hazards displayed (1 error, 1 warning)
"""


def test_a_race_names_both_lines() -> None:
    error, warning = findings(RACES)
    assert (error.severity, error.kind, error.line) == ("error", "race", 7)
    assert error.kernel == "sum(const float *, float *, int)"
    assert "a write in line 7 and a read in line 9" in error.message
    assert (warning.severity, warning.line) == ("warning", 21)
    assert "a read in line 21 and a write in line 22 and write" in warning.message


def test_a_race_is_a_mistake_and_no_bad_access() -> None:
    assert refined(Verdict.RUNTIME_ERROR, findings(RACES)) is Verdict.RUNTIME_ERROR


def test_a_race_without_places_is_told_all_the_same() -> None:
    (found,) = findings(b"========= ERROR: Race reported between " + b"x" * 100_000)
    assert found.line is None
    assert found.kernel is None
    assert "accesses" in found.message


OPENINGS = (b"", b"========= Invalid ", b"=========     at ", b"========= Error: Race reported between Read ")


@given(st.binary(max_size=2000), st.sampled_from(OPENINGS))
def test_nothing_that_is_printed_breaks_it(text: bytes, opening: bytes) -> None:
    for found in findings(opening + text + b"\n" + TEXT):
        assert len(found.message) <= 301


def test_a_trap_that_was_a_bad_access_is_an_illegal_access() -> None:
    trap = Diagnostic(Severity.ERROR, "trap", "stopped")
    assert refined(Verdict.RUNTIME_ERROR, (trap, *findings(TEXT))) is Verdict.ILLEGAL_ACCESS
    assert refined(Verdict.RUNTIME_ERROR, (trap,)) is Verdict.RUNTIME_ERROR
    assert refined(Verdict.TIME_LIMIT, findings(TEXT)) is Verdict.TIME_LIMIT
