"""Tests the marks of races in replays: only accesses that fit in a finding are marked."""

import time
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.judgement import Judgement
from judge.replay.packed import pack, unpack
from judge.replay.races import races_in
from judge.replay.recorded import MOST_ACCESSES, EventKind, parse_trace
from judge.report import Diagnostic
from problems.vocabulary import DiagnosticKind, Severity, Verdict
from tests.traces import array, launch, raw_trace
from tests.unit.judge.test_replay import CASE, PROBLEM, judgement, reported

ALL = 0xFFFF_FFFF
LANES = range(32)
Row = tuple[tuple[int, ...], Sequence[int]]
TILE = "element 32 of 64 (of 4 bytes each) of shared array tile"
IN_BLOCK = (
    "race on {place}: thread (31,0,0) read it (line 7) and thread (32,0,0) writes it (line 5) "
    "with no __syncthreads() between, in kernel add, block (0,0,0). Put __syncthreads() between the two."
)
BETWEEN = (
    "race on {place}: thread (31,0,0) of block (0,0,0) wrote it (line 5) and thread (32,0,0) "
    "of block (1,0,0) reads it (line 7), with no ordering between the two blocks, in kernel add. Use atomics."
)


def row(kind: EventKind, line: int, at: Sequence[int], **fields: int) -> Row:
    """An event of 32 lanes, or of as many as there are addresses."""
    values = {
        "block": 0,
        "epoch": 0,
        "warp": 0,
        "bytes": 4,
        "shared": 0,
        "mask": (1 << len(at)) - 1,
        **fields,
    }
    names = ("block", "epoch", "line", "mask", "taken", "launch", "warp", "bytes", "kind", "shared")
    return tuple({**values, "line": line, "kind": kind}.get(name, 0) for name in names), at


def found(message: str, block: tuple[int, int, int] = (0, 0, 0), kernel: str = "add") -> Diagnostic:
    return Diagnostic(Severity.WARNING, DiagnosticKind.RACE, message, kernel, block, (32, 0, 0), 5)


def events_of(
    rows: Sequence[Row], *findings: Diagnostic, blocks: int = 2, level: int = 0
) -> list[tuple[int | None, int | None]]:
    """The events of the races in a trace of `rows`."""
    data = raw_trace(
        [fields for fields, _ in rows],
        [address for _, at in rows for address in at],
        launches=[launch(grid=(blocks, 1, 1), shared=256)],
        arrays=[array(), array(b"", start=2048, size=4096, element=0, kind=0)],
        level=level,
    )
    trace = parse_trace(data)
    assert trace is not None
    return [(race.first, race.second) for race in races_in(trace, findings)]


def neighbours(epoch: int = 0) -> list[Row]:
    """Two warps that write a word of each thread and read that of the next one, in the same epoch."""
    return [
        row(EventKind.WRITE, 5, [4 * lane for lane in LANES], shared=1, warp=0),
        row(EventKind.READ, 7, [4 * lane + 4 for lane in LANES], shared=1, warp=0),
        row(EventKind.WRITE, 5, [128 + 4 * lane for lane in LANES], shared=1, warp=1, epoch=epoch),
    ]


def test_the_two_accesses_of_a_block_are_found() -> None:
    assert events_of(neighbours(), found(IN_BLOCK.format(place=TILE))) == [(1, 2)]


def test_accesses_with_a_barrier_between_are_not_marked() -> None:
    assert events_of(neighbours(epoch=1), found(IN_BLOCK.format(place=TILE))) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("line 7", "line 6"),
        ("read it", "updated it"),
        ("thread (31,0,0)", "thread (30,0,0)"),
        ("thread (31,0,0)", "thread (95,0,0)"),
        ("thread (31,0,0)", "thread (31,1,0)"),
        (TILE, "element 33 of 64 (of 4 bytes each) of shared array tile"),
        (TILE, "element 32 of 64 of argument x"),
        ("(line 7)", "(reduce.h:12 of a library)"),
        ("(32,0,0) writes", "(32,0,0) of kernel child writes"),
    ],
)
def test_a_finding_that_says_something_else_is_not_marked(old: str, new: str) -> None:
    assert events_of(neighbours(), found(IN_BLOCK.format(place=TILE).replace(old, new))) == []
    assert events_of(neighbours(), found(IN_BLOCK.format(place=TILE), kernel="other")) == []
    assert events_of(neighbours(), found(IN_BLOCK.format(place=TILE), block=(1, 0, 0))) == []


def test_the_earliest_pair_of_a_loop_is_marked() -> None:
    read, written = [4 * lane + 4 for lane in LANES], [128 + 4 * lane for lane in LANES]
    rows = [
        *(row(EventKind.READ, 7, read, shared=1, epoch=epoch) for epoch in (1, 2, 3)),
        *(row(EventKind.WRITE, 5, written, shared=1, warp=1, epoch=epoch) for epoch in (0, 2, 3)),
    ]
    assert events_of(rows, found(IN_BLOCK.format(place=TILE))) == [(1, 4)]


def test_accesses_of_other_widths_overlap() -> None:
    rows = [
        row(EventKind.READ, 7, [0] * 31 + [120], shared=1, bytes=16),
        row(EventKind.WRITE, 5, [128 + 4 * lane for lane in LANES], shared=1, warp=1),
    ]
    assert events_of(rows, found(IN_BLOCK.format(place=TILE))) == [(0, 1)]
    rows[0] = row(EventKind.READ, 7, [0] * 31 + [112], shared=1, bytes=16)
    assert events_of(rows, found(IN_BLOCK.format(place=TILE))) == []


BLOCKS = [
    row(EventKind.WRITE, 5, [256 + 4 * lane for lane in LANES]),
    row(EventKind.READ, 7, [256 + 124 + 4 * lane for lane in LANES], block=1, warp=1),
]
ELEMENT = "element 31 of 256 of argument x"


def test_a_race_between_blocks_is_found_in_both() -> None:
    assert events_of(BLOCKS, found(BETWEEN.format(place=ELEMENT), block=(1, 0, 0))) == [(0, 1)]


def test_a_race_with_a_block_that_was_left_out_is_found_in_the_other() -> None:
    said = found(BETWEEN.format(place=ELEMENT), block=(1, 0, 0))
    assert events_of(BLOCKS[:1], said, level=1) == [(0, None)]
    assert events_of(BLOCKS[1:], said, level=1) == [(None, 0)]
    assert events_of(BLOCKS[:1], said, level=0) == []
    # Its warp was recorded, and does not do that.
    idle = row(EventKind.BARRIER, 9, [], block=1, warp=1, mask=ALL)
    assert events_of([BLOCKS[0], idle], said, level=1) == []
    # The grid of this case has no such block.
    assert events_of(BLOCKS[:1], said, blocks=1, level=1) == []


def test_allocations_without_a_name_are_known_by_their_size() -> None:
    rows = [(fields, [address + 2048 - 256 for address in at]) for fields, at in BLOCKS]
    place = "element 31 of 1024 (of 4 bytes each) of the 4096-byte cudaMalloc allocation"
    assert events_of(rows, found(BETWEEN.format(place=place))) == [(0, 1)]
    assert events_of(rows, found(BETWEEN.format(place=place.replace("4096", "2048")))) == []


def test_only_races_are_marked_and_each_once() -> None:
    said = found(IN_BLOCK.format(place=TILE))
    other = Diagnostic(Severity.WARNING, DiagnosticKind.UNINITIALISED, said.message, "add", (0, 0, 0))
    assert events_of(neighbours(), said, other, said) == [(1, 2)]


@given(st.text(max_size=300), st.sampled_from([IN_BLOCK, BETWEEN]), st.sampled_from([TILE, ELEMENT]))
def test_any_message_is_survived(text: str, message: str, place: str) -> None:
    events_of(
        neighbours(),
        found(text),
        found(message.format(place=text)),
        found(message.format(place=place) + text),
    )


def test_the_largest_trace_with_many_findings_takes_little_time() -> None:
    one = launch(block=(1, 1, 1), grid=(2, 1, 1))
    half = MOST_ACCESSES // 2
    rows = [
        row(EventKind.WRITE, 5, [256 + at % 64], block=at // half, bytes=1 + at % 64)
        for at in range(2 * half)
    ]
    data = raw_trace([fields for fields, _ in rows], [a for _, at in rows for a in at], launches=[one])
    trace = parse_trace(data)
    assert trace is not None
    message = BETWEEN.replace("31,0,0", "0,0,0").replace("32,0,0", "0,0,0").replace("line 7", "line 5")
    message = message.replace("reads", "writes")
    findings = [found(message.format(place=f"element {at} of 256 of argument x")) for at in range(120)]
    started = time.process_time()
    assert races_in(trace, findings)
    assert time.process_time() - started < 4


def test_the_kept_replay_has_the_races_of_the_findings() -> None:
    rows = neighbours()
    data = raw_trace(
        [fields for fields, _ in rows],
        [address for _, at in rows for address in at],
        launches=[launch(shared=256)],
    )
    trace = parse_trace(data)
    assert trace is not None
    kept: Judgement = judgement()
    said = found(IN_BLOCK.format(place=TILE))
    kept.keep_replay(CASE, reported(CASE, Verdict.WRONG_ANSWER), trace, [said])
    assert kept.replay is not None
    assert unpack(kept.replay.packed)[0]["races"] == [
        {
            "message": said.message,
            "place": TILE,
            "accesses": [
                {"event": 1, "block": [0, 0, 0], "thread": [31, 0, 0], "line": 7, "operation": "reads"},
                {"event": 2, "block": [0, 0, 0], "thread": [32, 0, 0], "line": 5, "operation": "writes"},
            ],
        }
    ]
    assert unpack(pack(trace, PROBLEM, CASE))[0]["races"] == []
