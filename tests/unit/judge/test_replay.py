"""Tests replays: how the judge validates a trace, and what it stores."""

import os
import struct
import time
from dataclasses import replace
from typing import cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge.judgement import Judgement
from judge.replay.packed import MOST_PACKED_BYTES, pack, unpack
from judge.replay.recorded import (
    EVENT,
    MOST_ACCESSES,
    MOST_BYTES,
    EventKind,
    Trace,
    TraceMemory,
    parse_trace,
    trace_memory,
)
from judge.report import CaseReport, Replay, Report
from judge.report_json import from_json, to_json
from judge.target import Target
from problems.loader import load_problem
from problems.schema import Case
from problems.vocabulary import Group, Language, Mode, Verdict
from sandbox.gpu.tool import Tool
from tests.traces import array, launch, raw_trace, requests_of
from web.config import ROOT

PROBLEM = load_problem(ROOT / "problems" / "vector-add")
CASE = PROBLEM.cases[0]
ALL = 0xFFFF_FFFF
# block, epoch, line, mask, taken, launch, warp, bytes, kind, shared
READ = (0, 0, 3, ALL, 0, 0, 0, 4, EventKind.READ, 0)
SHARED = (0, 0, 4, 0b101, 0, 0, 1, 4, EventKind.WRITE, 1)
BARRIER = (0, 0, 5, ALL, 0, 0, 1, 0, EventKind.BARRIER, 0)
BRANCH = (0, 1, 6, ALL, 0xFF, 0, 1, 0, EventKind.BRANCH, 0)
ADDRESSES = [*(256 + 4 * lane for lane in range(32)), 0, 64]
SOUND = raw_trace([READ, SHARED, BARRIER, BRANCH], ADDRESSES)


def parsed(data: bytes) -> Trace:
    trace = parse_trace(data)
    assert trace is not None
    return trace


def changed(row: tuple[int, ...], **fields: int) -> tuple[int, ...]:
    names = EVENT.names or ()
    return tuple(fields.get(name, value) for name, value in zip(names, row, strict=True))


def test_a_sound_trace_is_read() -> None:
    trace = parsed(SOUND)
    (known,) = trace.launches
    assert (known.kernel, known.blocks, known.threads, known.shared_bytes) == ("add", 1, 64, 128)
    (x,) = trace.arrays
    assert (x.name, x.start, x.bytes, x.element_bytes, x.kind) == ("x", 256, 1024, 4, "argument")
    assert [(r.kind.name, len(r.addresses)) for r in requests_of(trace)] == [
        ("READ", 32),
        ("WRITE", 2),
        ("BARRIER", 0),
        ("BRANCH", 0),
    ]


@pytest.mark.parametrize(
    ("events", "addresses"),
    [
        ([changed(READ, block=1)], ADDRESSES[:32]),
        ([changed(READ, launch=1)], ADDRESSES[:32]),
        ([changed(READ, warp=2)], ADDRESSES[:32]),
        ([changed(READ, kind=5)], []),
        ([changed(READ, shared=2)], ADDRESSES[:32]),
        ([changed(READ, bytes=0)], ADDRESSES[:32]),
        ([changed(READ, bytes=65)], ADDRESSES[:32]),
        ([changed(READ, mask=0)], []),
        ([changed(READ, line=1 << 21)], ADDRESSES[:32]),
        ([changed(READ, epoch=ALL)], ADDRESSES[:32]),
        ([changed(BRANCH, mask=1, taken=3)], []),
        ([READ], ADDRESSES[:31]),
        ([READ], [*ADDRESSES[:31], 255]),
        ([READ], [*ADDRESSES[:31], 256 + 1021]),
        ([READ], [*ADDRESSES[:31], ALL]),
        ([SHARED], [0, 125]),
        ([SHARED], [0, ALL]),
        ([SHARED, READ], [0, 64, *ADDRESSES[:32]]),
        ([], []),
    ],
)
def test_a_contradiction_drops_the_trace(events: list[tuple[int, ...]], addresses: list[int]) -> None:
    assert parse_trace(raw_trace(events, addresses)) is None


@pytest.mark.parametrize(
    "lists",
    [
        {"launches": [launch(grid=(0, 1, 1))]},
        {"launches": [launch(grid=(1 << 31, 2, 1))]},
        {"launches": [launch(block=(1025, 1, 1))]},
        {"launches": [launch(block=(0, 1, 1))]},
        {"launches": [launch(shared=1 << 21)]},
        {"launches": []},
        {"launches": [launch()] * 65},
        {"arrays": [array(size=0)]},
        {"arrays": [array(start=ALL - 10)]},
        {"arrays": [array(kind=6)]},
        {"arrays": [array(element=65)]},
        {"arrays": [array(), array(start=512)]},
        {"arrays": [array(start=4096), array()]},
        {"arrays": []},
        {"arrays": [array(start=256 + 2048 * i) for i in range(257)]},
        {"level": 81},
    ],
)
def test_impossible_launches_and_arrays_drop_the_trace(lists: dict[str, list[bytes]]) -> None:
    assert parse_trace(raw_trace([READ], ADDRESSES[:32], **lists)) is None  # type: ignore[arg-type]


def test_a_warp_has_no_lanes_beyond_its_block() -> None:
    launches = [launch(block=(40, 1, 1))]
    row = changed(SHARED, mask=0b100000000)
    assert parse_trace(raw_trace([changed(row, mask=0b10000000)], [0], launches=launches)) is not None
    assert parse_trace(raw_trace([row], [0], launches=launches)) is None


def test_names_are_cleaned() -> None:
    trace = parsed(
        raw_trace([READ], ADDRESSES[:32], launches=[launch(b"a\x1b[1m\xff<b>")], arrays=[array(b"x\n" * 48)])
    )
    assert trace.launches[0].kernel == "a[1m\N{REPLACEMENT CHARACTER}<b>"
    assert trace.arrays[0].name == "x" * 48


@given(st.binary(max_size=400))
def test_other_bytes_are_no_trace(data: bytes) -> None:
    assert parse_trace(data) is None


@settings(max_examples=300)
@given(st.integers(0, len(SOUND) - 1), st.integers(0, 255))
def test_any_changed_byte_gives_a_possible_trace_or_none(at: int, value: int) -> None:
    data = bytearray(SOUND)
    data[at] = value
    trace = parse_trace(bytes(data))
    if trace is not None:
        _, events, addresses = unpack(pack(trace, PROBLEM, CASE))
        assert np.array_equal(events, trace.events)
        assert np.array_equal(addresses, trace.addresses)


def test_the_largest_trace_takes_little_time_and_space() -> None:
    generator = np.random.default_rng(7)
    events = [changed(READ, block=block) for block in range(MOST_ACCESSES // 32)]
    addresses = 256 + 4 * generator.integers(0, 1 << 20, MOST_ACCESSES)
    arrays, launches = [array(size=4 << 20)], [launch(grid=(MOST_ACCESSES // 32, 1, 1))]
    data = raw_trace(events, [int(a) for a in addresses], arrays=arrays, launches=launches)
    started = time.perf_counter()
    packed = pack(parsed(data), PROBLEM, CASE)
    assert time.perf_counter() - started < 2
    assert 0 < len(packed) <= MOST_PACKED_BYTES
    assert len(data) <= MOST_BYTES


def test_packing_is_exact_and_names_the_arrays_of_the_problem() -> None:
    trace = parsed(raw_trace([READ, SHARED, BARRIER, BRANCH], ADDRESSES, arrays=[array(b"a")]))
    head, events, addresses = unpack(pack(trace, PROBLEM, CASE))
    assert np.array_equal(events, trace.events)
    assert np.array_equal(addresses, trace.addresses)
    (known,) = cast("list[dict[str, object]]", head["arrays"])
    assert (known["name"], known["dtype"], known["shape"]) == ("a", "float32", [CASE.sizes["n"]])
    assert head["case"] == CASE.name


def test_a_trace_without_accesses_is_packed() -> None:
    trace = parsed(raw_trace([BARRIER], []))
    assert len(unpack(pack(trace, PROBLEM, CASE))[1]) == 1


def test_memory_of_the_judge_is_read_once_and_bounded() -> None:
    with trace_memory(wanted=True) as memory:
        assert memory is not None
        assert memory.read() is None
        os.pwrite(memory.descriptor, SOUND, 0)
        assert memory.read() is not None
        lie = struct.pack("<8I", 0x31_52_54_57, 1, 1, ALL, ALL, 0, 0, 0)
        os.pwrite(memory.descriptor, lie, 0)
        assert memory.read() is None
    with trace_memory(wanted=False) as memory:
        assert memory is None


def test_the_memory_cannot_be_shrunk() -> None:
    memory = TraceMemory()
    with pytest.raises(OSError, match="not permitted"):
        os.ftruncate(memory.descriptor, 0)
    memory.close()


def judgement(
    mode: Mode = Mode.RUN, language: Language = Language.CUDA, *, tool: Tool | None = None
) -> Judgement:
    return Judgement(
        problem=PROBLEM,
        source="",
        language=language,
        mode=mode,
        target=cast("Target", None),
        cases=tuple(case for case in PROBLEM.cases if mode is Mode.SUBMIT or case.public),
        on_progress=lambda _: None,
        on_stage=lambda _: None,
        cancelled=lambda: False,
        tool=tool,
        profile_missing="",
        seed=None,
        gpu_model="",
    )


def test_only_public_cases_of_cuda_runs_are_traced() -> None:
    public = [case.name for case in PROBLEM.cases if case.public]
    assert list(judgement().traced) == public[:4]
    assert judgement(Mode.SUBMIT).traced == ()
    assert judgement(language=Language.TRITON).traced == ()
    assert judgement(tool=Tool.MEMCHECK).traced == ()


def reported(case: Case, verdict: Verdict = Verdict.ACCEPTED) -> CaseReport:
    return CaseReport(case.name, Group.SAMPLE, True, verdict)


def test_the_failing_case_is_kept_or_else_the_one_with_most_events() -> None:
    one, two, three, four = (replace(CASE, name=name) for name in ("one", "two", "three", "four"))
    small, large = parsed(raw_trace([READ], ADDRESSES[:32])), parsed(SOUND)
    kept = judgement()
    kept.keep_replay(one, reported(one), None, ())
    assert kept.replay is None
    for case, trace, verdict, expected in (
        (one, small, Verdict.ACCEPTED, "one"),
        (two, large, Verdict.ACCEPTED, "two"),
        (one, small, Verdict.ACCEPTED, "two"),
        (three, small, Verdict.WRONG_ANSWER, "three"),
        (four, large, Verdict.WRONG_ANSWER, "three"),
    ):
        kept.keep_replay(case, reported(case, verdict), trace, ())
        assert kept.replay is not None
        assert kept.replay.case == expected


def test_the_json_of_a_report_has_no_replay() -> None:
    report = Report(Verdict.ACCEPTED, replay=Replay("sample", b"\0\xff"))
    assert "replay" not in to_json(report)
    assert from_json(to_json(report)) == replace(report, replay=None)
