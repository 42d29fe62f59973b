"""Tests that requirements are compared with counts, and reveal no data about hidden cases."""

import os
from dataclasses import replace

import pytest

from judge.counters import Figure, compiled_counters, counter_name, measure
from judge.evaluate import evaluate
from judge.evidence.diagnostics import MAX_DIAGNOSTICS, parse_diagnostics
from judge.evidence.sums import Event, LaunchShape, Sum, Sums, parse_sums
from judge.proof.programs import requirement_findings
from judge.proof.results import ProgramOutcome
from judge.redaction import redact
from judge.report import Report
from judge.report_json import from_json, to_json
from judge.requirements import checked_requirements, holds, missed_message
from judge.sizes import bytes_of
from problems.calling import Pattern, PythonCallSpec, PythonEntry
from problems.schema import Requirement
from problems.vocabulary import Counter, Language, Mode, Relation, RequirementState, Role, Verdict
from sandbox.cpu.counting import COMPILED, INSTRUCTIONS
from sandbox.cpu.translator.families import FAMILIES
from sandbox.wire import RunFlag
from tests.unit.judge.packages import DOUBLING
from tests.unit.judge.scripted import serve
from tests.unit.judge.test_evaluate import ScriptedTarget

NONE = Sum()
SUMS = Sums(
    launches=2,
    blocks=4,
    barriers=12,
    global_load=Sum(10, 40, 40, 3, 3),
    global_store=Sum(10, 320, 40, 9, 9),
    shared=Sum(8, 64, 16, 5, 6),
    atomic=Sum(2, 64, 2, 7, 7),
    branch=Sum(20, 5, 0, 8, 8),
    complete=True,
)
COUNTS = (
    "launches=2 blocks=4 barriers=12 global_load=10/40/40@3 global_store=10/320/40@9 "
    "shared=8/64/16@5/6 atomic=2/64/2@7 branch=20/5/0@8"
)
NOTE = '{{"severity": "note", "kind": "sums", "message": "' + COUNTS + ' complete={}"}}\n'
PUBLIC = next(case for case in DOUBLING.cases if case.public)
HIDDEN = next(case for case in DOUBLING.cases if not case.public and case.group != "timed")
NEEDED = DOUBLING.bytes_moved.number(PUBLIC.sizes)
SOURCE = "\n" * 20


def requirement(counter=Counter.LAUNCHES, relation=Relation.AT_MOST, bound=1.0, cases=(PUBLIC.name,)):
    return Requirement(counter, relation, bound, "Because.", tuple(cases))


def checked(*requirements, sums=(SUMS,), names=(PUBLIC.name,), source=SOURCE):
    return checked_requirements(replace(DOUBLING, requirements=requirements), source, sums, names)


@pytest.mark.parametrize(
    ("counter", "figure", "line"),
    [
        (Counter.GLOBAL_SECTORS_PER_REQUEST, 18, 9),
        (Counter.GLOBAL_LOAD_SECTORS_PER_REQUEST, 4, 3),
        (Counter.GLOBAL_STORE_SECTORS_PER_REQUEST, 32, 9),
        (Counter.GLOBAL_SECTORS_RATIO, 4.5, 9),
        (Counter.GLOBAL_BYTES_RATIO, 32 * 360 / DOUBLING.bytes_moved.number(PUBLIC.sizes), 9),
        (Counter.SHARED_WAVEFRONTS_PER_REQUEST, 8, 5),
        (Counter.SHARED_WAVEFRONTS_RATIO, 4, 5),
        (Counter.SHARED_REQUESTS, 8, 6),
        (Counter.DIVERGENT_BRANCHES, 0.25, 8),
        (Counter.ATOMIC_REQUESTS, 2, 7),
        (Counter.ATOMIC_LANES_PER_ADDRESS, 32, 7),
        (Counter.LAUNCHES, 2, None),
        (Counter.BARRIERS_PER_BLOCK, 3, None),
    ],
)
def test_each_counter(counter, figure, line):
    found = measure(DOUBLING, PUBLIC, counter, SUMS)
    assert (found.value, found.line) == (pytest.approx(figure), line)


def test_every_counter_is_zero_where_nothing_happened():
    nothing = Sums(0, 0, 0, NONE, NONE, NONE, NONE, NONE, True, saved_bytes=0)
    assert {measure(DOUBLING, PUBLIC, counter, nothing) for counter in Counter} == {Figure(0)}
    assert len({counter_name(counter) for counter in Counter}) == len(Counter)


class TestWaysToMemory:
    """Ways to move device memory without an ordinary load or store, and the bounds of the plain method."""

    SUMS = replace(
        SUMS,
        texture=Sum(4, 128, 16, 11, 11),
        async_load=Sum(6, 24, 24),
        global_atomic=Sum(2, 64, 8, 7, 7),
        copied=Sum(1, 9, 9),
        host=Sum(3, 0, 0, 6, 6),
        relayed_bytes=8,
        pipeline_span=5 * 4096,
        kernel_requests=80,
        busiest_block=20,
        busiest_launch=60,
    )

    @pytest.mark.parametrize(
        ("counter", "figure"),
        [
            (Counter.GLOBAL_BYTES_RATIO, 32 * (360 + 128 + 64 + 9) / NEEDED),
            (Counter.GLOBAL_SECTORS_RATIO, (360 + 128 + 64 + 9) / (80 + 16 + 8 + 9)),
            (Counter.GLOBAL_SECTORS_PER_REQUEST, 18),
            (Counter.PLAIN_LOAD_BYTES_RATIO, 32 * (40 - 24) / NEEDED),
            (Counter.TEXTURE_SECTORS_PER_REQUEST, 32),
            (Counter.HOST_MEMORY_REQUESTS, 3),
            (Counter.PIPELINE_SPAN_RATIO, 5 * 4096 / NEEDED),
            (Counter.BUSIEST_BLOCK_SHARE, 0.25),
            (Counter.BUSIEST_LAUNCH_SHARE, 0.75),
        ],
    )
    def test_each_counter(self, counter, figure):
        assert measure(DOUBLING, PUBLIC, counter, self.SUMS).value == pytest.approx(figure)

    def test_they_are_read_from_the_note(self):
        more = (
            "1 texture=4/128/16@11 async_load=6/24/24 global_atomic=2/64/8@7 copied=1/9/9 host=3/0/0@6 "
            "relayed_bytes=8 pipeline_span=20480 kernel_requests=80 busiest_block=20 busiest_launch=60"
        )
        assert parse_sums(parse_diagnostics(NOTE.format(more).encode())) == (self.SUMS,)


class TestWorkOnTheHost:
    """Programs that take device arrays to the host can compute there, where nothing is counted."""

    TAKEN = sum(bytes_of(one, PUBLIC.sizes) for one in DOUBLING.arguments if one.role is Role.IN)
    GIVEN = sum(bytes_of(one, PUBLIC.sizes) for one in DOUBLING.arguments if one.role is Role.OUT)

    def state(self, to_host, to_device, host=NONE, relayed=0):
        events = {"bytes_to_host": Event(to_host), "bytes_to_device": Event(to_device)}
        sums = replace(SUMS, events=events, host=host, relayed_bytes=relayed)
        (report,) = checked(requirement(bound=2.0), sums=(sums,))
        return report.state

    def test_all_outputs_from_the_host(self):
        assert self.state(self.TAKEN, self.GIVEN) is RequirementState.MISSED

    def test_by_kernels_that_access_memory_of_the_host(self):
        sectors = max(self.TAKEN, self.GIVEN) // 32 + 1
        assert self.state(0, 0, Sum(1, sectors, sectors)) is RequirementState.MISSED

    @pytest.mark.parametrize(("to_host", "to_device"), [(TAKEN, 0), (0, GIVEN), (TAKEN // 2 - 1, GIVEN)])
    def test_one_direction_or_little(self, to_host, to_device):
        assert self.state(to_host, to_device) is RequirementState.MET

    def test_bytes_that_the_host_passes_on_unchanged(self):
        assert self.state(self.TAKEN, self.GIVEN, relayed=self.GIVEN) is RequirementState.MET
        assert self.state(self.TAKEN, self.GIVEN + 1, relayed=1) is RequirementState.MISSED

    def test_transfers_are_counted_whatever_computes(self):
        events = {"bytes_to_host": Event(self.TAKEN), "bytes_to_device": Event(self.GIVEN)}
        sums = replace(SUMS, events=events)
        assert measure(DOUBLING, PUBLIC, Counter.BYTES_TO_HOST, sums).value == self.TAKEN
        assert measure(DOUBLING, PUBLIC, Counter.LAUNCHES, sums).value is None


class TestEvents:
    """Events in a call, by the name of the counter."""

    COPIES = "cudaMemcpy(a, b, 4, cudaMemcpyDefault);\n"

    def missed(self, events, counter, source=SOURCE, bound=0.0):
        sums = replace(SUMS, events=events)
        (report,) = checked(requirement(counter, bound=bound), sums=(sums,), source=source)
        return report

    def test_an_instruction_names_its_line(self):
        report = self.missed({"double_instructions": Event(12, 7)}, Counter.DOUBLE_INSTRUCTIONS)
        assert (report.measured, report.line, report.call) == (12, 7, "")

    def test_a_call_of_the_runtime_names_the_call(self):
        report = self.missed({"pageable_copies": Event(2, call="cudaMemcpy")}, Counter.PAGEABLE_COPIES)
        assert (report.measured, report.line, report.call) == (2, None, "cudaMemcpy")
        assert "0 required, made by cudaMemcpy." in missed_message([report])

    def test_the_only_call_in_the_source_names_its_line(self):
        event = {"pageable_copies": Event(2, call="cudaMemcpy")}
        once = self.missed(event, Counter.PAGEABLE_COPIES, "\n\n" + self.COPIES)
        assert (once.line, once.call) == (3, "cudaMemcpy")
        twice = self.missed(event, Counter.PAGEABLE_COPIES, 2 * self.COPIES)
        assert twice.line is None

    def test_large_figures_keep_their_digits(self):
        report = self.missed(
            {"device_memory_peak": Event(67108868)}, Counter.DEVICE_MEMORY_PEAK, bound=67108864.0
        )
        assert "67108868 measured, at most 67108864 required" in missed_message([report])

    def test_they_are_counted_whatever_else_is_not(self):
        sums = replace(SUMS, complete=False, events={"graph_launches": Event(3, call="cudaGraphLaunch")})
        for counter in (Counter.GRAPH_LAUNCHES, Counter.LAUNCHES, Counter.BARRIERS_PER_BLOCK):
            (report,) = checked(requirement(counter, bound=9), sums=(sums,))
            assert report.state is RequirementState.MET

    def test_products_for_each_access_to_shared_memory(self):
        sums = replace(SUMS, events={"fma_instructions": Event(32, 4)})
        assert measure(DOUBLING, PUBLIC, Counter.FMA_PER_SHARED_REQUEST, sums) == Figure(4, 6)


class TestShapes:
    """The resources of a multiprocessor that launches use."""

    SHAPES = (
        LaunchShape(32, 0, 0, 1024, 256, 4),
        LaunchShape(128, 24, 64, 0, 512, 9),
    )

    @pytest.mark.parametrize(
        ("counter", "figure", "line"),
        [
            (Counter.REGISTERS_PER_THREAD, 128, 9),
            (Counter.SPILLED_BYTES, 24, 9),
            (Counter.LOCAL_BYTES_PER_THREAD, 64, 9),
            (Counter.SHARED_BYTES_PER_BLOCK, 1024, 4),
            (Counter.OCCUPANCY, 0.25, 9),  # 65536 registers for 512 threads: one block of 16 warps, of 64
        ],
    )
    def test_the_worst_launch_counts(self, counter, figure, line):
        sums = replace(SUMS, shapes=self.SHAPES)
        assert measure(DOUBLING, PUBLIC, counter, sums) == Figure(figure, line)

    def test_ptxas_rejects_the_program(self):
        sums = replace(SUMS, shapes=(LaunchShape(None, None, None, 0, 256, 4),))
        assert measure(DOUBLING, PUBLIC, Counter.SHARED_BYTES_PER_BLOCK, sums) == Figure(0, 4)
        (report,) = checked(requirement(Counter.OCCUPANCY, Relation.AT_LEAST, 0.5), sums=(sums,))
        assert (report.state, report.measured) == (RequirementState.MISSED, None)
        assert "ptxas cannot compile this program" in missed_message([report])

    def test_too_many_different_launches(self):
        assert (
            "more different launches"
            in measure(DOUBLING, PUBLIC, Counter.OCCUPANCY, replace(SUMS, shapes=None)).why
        )


def test_what_programs_are_compiled_for():
    wanted = [
        requirement(counter)
        for counter in (Counter.OCCUPANCY, Counter.FMA_PER_SHARED_REQUEST, Counter.GRAPH_LAUNCHES)
    ]
    assert compiled_counters(wanted) == ("fma_instructions", "occupancy")
    assert set(COMPILED) <= set(Counter)
    assert FAMILIES.keys() == INSTRUCTIONS


@pytest.mark.parametrize(
    ("relation", "figures"),
    [
        (Relation.AT_MOST, (True, True, False)),
        (Relation.AT_LEAST, (False, True, True)),
        (Relation.EQUALS, (False, True, False)),
    ],
)
def test_relations(relation, figures):
    assert tuple(holds(relation, figure, 4.2) for figure in (4.1, 42 / 10, 4.3)) == figures


class TestPublicCase:
    def test_a_missed_one_says_figure_bound_and_line(self):
        (report,) = checked(requirement(Counter.SHARED_WAVEFRONTS_RATIO, bound=1))
        assert (report.state, report.measured, report.line) == (RequirementState.MISSED, 4, 5)
        assert report.case == PUBLIC.name
        assert missed_message([report]) == (
            "The outputs are right, but a requirement is missed. Shared memory wavefronts, as a multiple of "
            "the fewest: 4 measured, at most 1 required, see line 5."
        )

    def test_a_met_one(self):
        reports = checked(requirement(Counter.SHARED_REQUESTS, bound=8))
        assert (reports[0].state, reports[0].line) == (RequirementState.MET, None)
        assert missed_message(reports) == ""

    def test_several(self):
        reports = checked(requirement(), requirement(relation=Relation.EQUALS), requirement(bound=9))
        assert [report.state for report in reports] == ["missed", "missed", "met"]
        assert ". The program misses 2 requirements; see the table." in missed_message(reports)

    def test_a_line_that_the_source_does_not_have(self):
        (report,) = checked(requirement(Counter.SHARED_REQUESTS), source="one line")
        assert report.line is None

    def test_the_case_that_misses_it_decides(self):
        wanted = requirement(bound=1, cases=(PUBLIC.name, HIDDEN.name))
        right = replace(SUMS, launches=1)
        (report,) = checked(wanted, sums=(right, SUMS), names=(PUBLIC.name, HIDDEN.name))
        assert (report.state, report.case, report.measured) == ("missed", "", 2)


class TestUnchecked:
    def test_nothing_was_counted(self):
        (report,) = checked(requirement(), sums=None)
        assert (report.state, report.measured) == ("unchecked", None)

    def test_no_case_was_run_that_it_names(self):
        (report,) = checked(requirement(cases=(HIDDEN.name,)), sums=(), names=())
        assert report.state is RequirementState.UNCHECKED

    @pytest.mark.parametrize("sums", [(), (SUMS, SUMS)])
    def test_counts_that_are_missing_or_too_many(self, sums):
        (report,) = checked(requirement(bound=9), sums=sums)
        assert report.state is RequirementState.MISSED
        assert "The counts of this case are missing" in missed_message([report])

    def test_more_than_is_counted(self):
        wanted = requirement(Counter.SHARED_REQUESTS, bound=9)
        (report,) = checked(wanted, sums=(replace(SUMS, complete=False),))
        assert report.state is RequirementState.MISSED
        assert "did more than functional mode counts" in missed_message([report])


@pytest.mark.parametrize(
    ("relation", "bound", "launches", "shown"),
    [
        (Relation.AT_MOST, 1000, 123456, 130000),
        (Relation.AT_MOST, 1000, 1001, 1100),
        (Relation.AT_MOST, 1000, 987, 980),
        (Relation.AT_LEAST, 1000, 999, 990),
        (Relation.EQUALS, 1000, 1000, 1000),
        (Relation.AT_MOST, 1000, 0, 0),
    ],
)
def test_a_figure_of_a_hidden_case_has_two_digits(relation, bound, launches, shown):
    wanted = requirement(relation=relation, bound=bound, cases=(HIDDEN.name,))
    (report,) = checked(wanted, sums=(replace(SUMS, launches=launches),), names=(HIDDEN.name,))
    assert (report.measured, report.case) == (shown, "")
    assert (report.state is RequirementState.MET) == holds(relation, shown, bound)


class TestSums:
    def test_a_note_is_read(self):
        assert parse_sums(parse_diagnostics(NOTE.format(1).encode())) == (SUMS,)
        (found,) = parse_sums(parse_diagnostics(NOTE.format(0).encode()))
        assert not found.complete

    @pytest.mark.parametrize("spoil", [("40/40", "40"), ("launches=2", "launches=x"), ("branch", "other")])
    def test_other_texts_are_dropped(self, spoil):
        assert parse_sums(parse_diagnostics(NOTE.format(1).replace(*spoil).encode())) == ()

    def test_what_happened_is_read(self):
        more = (
            "shape=40/8/64/1024/256@7 shape=?/?/?/0/128 tensor_instructions=64@12 launches_outside_graphs=2 "
            "graph_launches=3:cudaGraphLaunch unknown=5 copies_to_host=x device_memory_peak=4096"
        )
        (found,) = parse_sums(parse_diagnostics(NOTE.format(f"1 {more}").encode()))
        assert found.events == {
            "tensor_instructions": Event(64, 12),
            "launches_outside_graphs": Event(2),
            "graph_launches": Event(3, call="cudaGraphLaunch"),
            "device_memory_peak": Event(4096),
        }
        assert found.shapes == (
            LaunchShape(40, 8, 64, 1024, 256, 7),
            LaunchShape(None, None, None, 0, 128),
        )

    @pytest.mark.parametrize("shape", ["shape=more", "shape=1/2", " ".join(["shape=1/1/1/1/1"] * 17)])
    def test_shapes_that_are_too_many_or_not_well_formed(self, shape):
        (found,) = parse_sums(parse_diagnostics(NOTE.format(f"1 {shape}").encode()))
        assert found.shapes is None

    def test_many_findings_do_not_displace_them(self):
        finding = '{"severity": "note", "kind": "launch", "message": "%d"}\n'
        many = "".join(finding % at for at in range(MAX_DIAGNOSTICS + 5))
        found = parse_diagnostics((many + NOTE.format(1) * 20).encode())
        assert len(found) == MAX_DIAGNOSTICS + 8
        assert len(parse_sums(found)) == 8


class TestEvaluate:
    """The verdict, with a runner that says what it counts when it is asked to."""

    def judged(self, *, bound=1.0, cases=(), mode=Mode.SUBMIT, language=Language.CUDA, factor=2, note=None):
        flags = []

        def counting(actor):
            flags.append(actor.request.flags)
            actor.array(1, "f4")[:] = actor.array(0, "f4") * factor
            if actor.request.flags & RunFlag.SUMS:
                os.write(actor.diagnostics, (NOTE.format(1) if note is None else note).encode())

        target = ScriptedTarget(serve(counting))
        problem = replace(DOUBLING, requirements=(requirement(bound=bound, cases=cases),))
        report = evaluate(problem, SOURCE, language=language, mode=mode, target=target)
        return report, sum(bool(flag & RunFlag.SUMS) for flag in flags)

    def test_a_right_program_that_misses_one(self):
        report, counted = self.judged()
        assert (report.verdict, counted) == (Verdict.REQUIREMENT_MISSED, 1)
        assert "Kernel launches: 2 measured, at most 1 required." in report.message
        assert {case.verdict for case in report.cases} == {Verdict.ACCEPTED}
        assert report.score is None
        assert "sums" not in {entry.kind for entry in report.diagnostics}
        assert redact(report).message == report.message

    def test_a_right_program_that_meets_it(self):
        report, _ = self.judged(bound=2)
        assert report.verdict is Verdict.ACCEPTED
        assert [row.state for row in report.requirements] == [RequirementState.MET]
        assert "sums" not in {entry.kind for entry in report.diagnostics}

    def test_a_wrong_program_is_not_compared(self):
        report, _ = self.judged(factor=3)
        assert (report.verdict, report.requirements) == (Verdict.WRONG_ANSWER, ())

    def test_a_program_that_is_silent(self):
        report, _ = self.judged(bound=2, note="")
        assert report.verdict is Verdict.REQUIREMENT_MISSED

    def test_other_languages_are_not_counted(self):
        report, counted = self.judged(language=Language.TRITON)
        assert (report.verdict, counted) == (Verdict.ACCEPTED, 0)
        assert [row.state for row in report.requirements] == [RequirementState.UNCHECKED]

    def test_a_run_checks_it_in_public_cases(self):
        assert self.judged(mode=Mode.RUN)[0].verdict is Verdict.ACCEPTED  # the largest case is hidden
        report, counted = self.judged(mode=Mode.RUN, cases=(PUBLIC.name,))
        assert (report.verdict, counted) == (Verdict.REQUIREMENT_MISSED, 1)

    def test_each_named_case_is_counted(self):
        report, counted = self.judged(cases=(PUBLIC.name, HIDDEN.name))
        assert (report.verdict, counted) == (Verdict.REQUIREMENT_MISSED, 2)


class TestBackward:
    """The runner of a Python program says what it keeps for the backward pass."""

    CALL = PythonCallSpec(PythonEntry.FUNCTION, Pattern.parse("(x,)"), ("y",))
    SAVED = (PUBLIC.name,)

    def judged(self, note, *, bound=1.0, language=Language.PYTHON):
        counted = []

        def counting(actor):
            actor.array(1, "f4")[:] = actor.array(0, "f4") * 2
            if actor.request.flags & RunFlag.SUMS:
                counted.append(1)
                os.write(actor.diagnostics, note.encode())

        saved = requirement(Counter.SAVED_BYTES_RATIO, bound=bound, cases=self.SAVED)
        launches = requirement(Counter.LAUNCHES, bound=0, cases=self.SAVED)
        problem = replace(DOUBLING, python=self.CALL, requirements=(saved, launches))
        target = ScriptedTarget(serve(counting))
        report = evaluate(problem, SOURCE, language=language, mode=Mode.SUBMIT, target=target)
        assert "sums" not in {entry.kind for entry in report.diagnostics}
        return report, len(counted)

    @staticmethod
    def note(saved):
        return f'{{"severity": "note", "kind": "sums", "message": "python saved={saved}"}}\n'

    def test_what_is_kept_is_compared_with_the_bytes_of_the_inputs(self):
        report, counted = self.judged(self.note(12))
        assert (report.verdict, counted) == (Verdict.ACCEPTED, 1)
        assert [row.state for row in report.requirements] == [
            RequirementState.MET,
            RequirementState.UNCHECKED,
        ]
        report, _ = self.judged(self.note(24))
        assert report.verdict is Verdict.REQUIREMENT_MISSED
        assert "inputs: 2 measured, at most 1 required." in report.message

    @pytest.mark.parametrize("saved", ["None", "-1", "1e3", "9" * 20])
    def test_a_plain_solve_misses_it(self, saved):
        report, _ = self.judged(self.note(saved))
        assert report.verdict is Verdict.REQUIREMENT_MISSED
        assert "define what the problem asks for instead of solve" in report.message

    def test_other_languages_are_not_counted(self):
        report, counted = self.judged(self.note(24), language=Language.TRITON)
        assert (report.verdict, counted) == (Verdict.ACCEPTED, 0)


def test_a_report_keeps_them():
    (report,) = checked(requirement())
    stored = Report(Verdict.REQUIREMENT_MISSED, requirements=(report,))
    assert from_json(to_json(stored)) == stored
    old = {key: value for key, value in to_json(Report(Verdict.ACCEPTED)).items() if key != "requirements"}
    assert from_json(old).requirements == ()


class TestProof:
    PROBLEM = replace(DOUBLING, requirements=(requirement(), requirement(Counter.SHARED_REQUESTS)))

    def outcome(self, verdict, missed=()):
        return ProgramOutcome("solutions/a.cu", Language.CUDA, verdict, verdict, "", 1.0, missed=missed)

    def test_each_needs_a_refused_program_and_all_need_two_accepted(self):
        missed = self.outcome(Verdict.REQUIREMENT_MISSED, (1,))
        found = list(requirement_findings(self.PROBLEM, [self.outcome(Verdict.ACCEPTED), missed]))
        assert [(finding.place, finding.text) for finding in found] == [
            ("problem.toml: requirements", "1 CUDA C++ solution met all of them"),
            ("problem.toml: requirements[0]", "no solution misses launches"),
        ]

    def test_enough(self):
        outcomes = [
            self.outcome(Verdict.ACCEPTED),
            self.outcome(Verdict.ACCEPTED),
            self.outcome(Verdict.REQUIREMENT_MISSED, (0, 1)),
        ]
        assert list(requirement_findings(self.PROBLEM, outcomes)) == []
        assert list(requirement_findings(DOUBLING, [])) == []
