"""Tests the console: compiler messages by line, resources of kernels, listings next to the source."""

from dataclasses import replace

import pytest
from django.test import Client

from judge.report import CaseReport, Diagnostic, KernelResources, Mismatch, Report
from problems.vocabulary import Group, Mode, Severity, Verdict
from tests.unit.web.figures import SECRET_SIZE, record, timed_report
from web.accounts.models import User
from web.results import assembly
from web.results.assembly import assembly_of
from web.results.console import log_lines, resources_of
from web.submissions import services
from web.submissions.models import Job, Listing, ListingKind, Submission

pytestmark = pytest.mark.django_db
ATTACK = "<img src=x onerror=alert(1)>"
SOURCE = "__global__ void add(float* c) {\n  c[0] = 1;\n}\n"
PTX = (
    ".version 9.0\n.visible .entry add()\n{\n\t.loc\t1 2 3\n\tst.global.f32 \t[%rd1], %f1;\n"
    f'\t// {ATTACK}\n\tmov.u32 \t%r1, 0;\n\t.loc\t1 3 1\n\tret;\n\n}}\n\t.file\t1 "solution.cu"\n'
)
SASS = (
    '\t//## File "solution.cu", line 2\n        /*0000*/              @!P0 LDG.E R0, desc[UR6][R6.64] ;\n'
    f"{ATTACK}\n"
)


def note(message: str) -> Diagnostic:
    return Diagnostic(Severity.NOTE, "launch", message)


@pytest.fixture
def judged(owner: User, handed_in) -> Submission:
    """A submission that was compiled for a GPU, with listings that know their lines."""
    report = replace(timed_report(), listings={"ptx": PTX, "sass": SASS})
    return record(handed_in(owner, source=SOURCE), report)


def listing(submission: Submission, kind: ListingKind) -> Listing:
    return submission.report.listings.get(kind=kind)


def test_places_in_the_compilers_text_lead_to_their_lines():
    found = log_lines(
        "solution.cu(12): error: expected a ;\n  int a\nsolution.cu:3:5: warning: unused\n"
        '  File "solution.py", line 7, in solve\ncub.cuh(9): note: in a header\n'
    )
    assert [(line.place, line.number) for line in found] == [
        ("solution.cu(12)", 12),
        ("", 0),
        ("solution.cu:3", 3),
        ('File "solution.py", line 7', 7),
        ("", 0),
    ]
    assert (found[3].before, found[3].after) == ("  ", ", in solve")
    assert log_lines("\n") == ()


def test_kernels_are_shown_with_their_launches_and_occupancy():
    report = replace(
        timed_report(capability="9.0"),
        kernels=(KernelResources("void add<256>(float*)", 64, 1024, 0, 0, 0),),
        diagnostics=(
            note("add<256><<<(4,1,1), (256,1,1)>>>"),
            note("add<256><<<(8,1,1), (256,1,1)>>>"),
            note("add<256><<<(1,1,1), (32,8,1), 65536>>>"),
            note("of_thrust<<<(1,1,1), (128,1,1)>>>"),
        ),
    )
    found = resources_of(report)
    add, other = found.kernels
    first, second = add.launches
    assert (first.block, first.grids, first.shared_bytes) == ("256", ("4", "8"), 1024)
    assert (first.occupancy.percent, first.limited_by) == (50.0, "registers")
    assert "fewer registers" in first.advice
    assert (second.threads, second.shared_bytes, second.dimensions) == (256, 66560, 2)
    assert (second.occupancy.percent, second.limited_by) == (37.5, "shared memory")
    assert (other.name, other.resources, other.launches[0].occupancy) == ("of_thrust", None, None)


def test_a_kernel_that_fills_a_multiprocessor_is_limited_by_nothing():
    report = replace(
        timed_report(capability="9.0"),
        kernels=(KernelResources("add", 16, 0, 0, 0, 0),),
        diagnostics=(note("add<<<(4,1,1), (256,1,1)>>>"), note("add<<<(4,1,1), (736,1,1)>>>")),
    )
    full, uneven = resources_of(report).kernels[0].launches
    assert (full.limited_by, full.advice) == ("nothing (full)", "")
    assert uneven.limited_by == "whole blocks of warps"


def test_the_capability_of_an_old_report_is_that_of_its_gpu(live_gpus):
    report = timed_report()
    assert resources_of(report).capability == ""
    live_gpus("NVIDIA H200")
    assert resources_of(report).capability == "9.0"


def test_without_a_gpu_launches_are_shown_as_they_were():
    report = Report(
        Verdict.ACCEPTED,
        diagnostics=(
            note("tile<<<(1,1,1), (16,16,1)>>> with 2048 bytes of static shared memory"),
            note("Kernel softmax was launched."),
        ),
    )
    found = resources_of(report)
    assert not found.compiled
    assert found.kernels[0].launches[0].shared_bytes == 2048
    assert found.others == ("Kernel softmax was launched.",)
    assert resources_of(Report(Verdict.COMPILE_ERROR)) is None


@pytest.mark.parametrize("kind", ListingKind)
def test_instructions_and_lines_of_the_source_lead_to_each_other(judged, kind):
    shown = assembly_of(judged, listing(judged, kind))
    assert shown.is_mapped
    source = [row for chunk in shown.source for row in chunk]
    rows = [row for chunk in shown.rows for row in chunk]
    assert source[1].source == 2
    assert source[0].source == 0, "no instruction came of it"
    instruction = next(row for row in rows if row.source == 2)
    assert ("st" if kind == ListingKind.PTX else "LDG") in instruction.html
    assert len(rows) == shown.line_count


def test_a_long_listing_is_bounded(judged, monkeypatch):
    monkeypatch.setattr(assembly, "MAX_LINES", 6)
    monkeypatch.setattr(assembly, "CHUNK_LINES", 4)
    shown = assembly_of(judged, listing(judged, ListingKind.PTX))
    assert shown.is_cut
    assert [len(chunk) for chunk in shown.rows] == [4, 2]
    assert shown.is_mapped, "the end, which names the files, is read all the same"


def test_a_listing_that_knows_no_lines_is_shown_alone(owner, handed_in):
    submission = record(handed_in(owner), timed_report())
    shown = assembly_of(submission, listing(submission, ListingKind.PTX))
    assert not shown.is_mapped


def test_listings_are_escaped_and_for_those_who_may_see_them(judged, owner, teammate, browser_of):
    for kind in ("ptx", "sass"):
        answer = browser_of(owner).get(f"/s/{judged.public_id}/assembly/{kind}")
        assert answer.status_code == 200
        assert ATTACK not in answer.content.decode()
        assert "onerror" in answer.content.decode()
        assert browser_of(teammate).get(f"/s/{judged.public_id}/assembly/{kind}").status_code == 404
    assert browser_of(owner).get(f"/s/{judged.public_id}/assembly/elf").status_code == 404


def page_of(submission: Submission, person: User) -> str:
    client = Client()
    client.force_login(person)
    return client.get(f"/s/{submission.public_id}/report").content.decode()


def test_a_report_has_its_parts_as_sections(judged, owner):
    page = page_of(judged, owner)
    for name in ("Result", "Resources", "PTX / SASS", "Environment"):
        assert f'data-tab="{name}"' in page
    assert f'href="/s/{judged.public_id}/listings/ptx"' in page, "without scripts there is a link"


def test_mismatches_say_how_far_off_they_are(owner, handed_in):
    mismatches = (Mismatch("c", (1, 2), "2.5", "2", 0.5, 0.2), Mismatch("c", (1, 3), "0", "nan", None, None))
    case = CaseReport(
        "sample", Group.SAMPLE, True, Verdict.WRONG_ANSWER, checked=9, mismatched=2, mismatches=mismatches
    )
    page = page_of(record(handed_in(owner), Report(Verdict.WRONG_ANSWER, cases=(case,))), owner)
    for shown in ("c[1, 2]", "2.5", "0.5", "0.2", "2 <span", "of 9", "nan"):
        assert shown in page


def test_the_environment_says_what_was_asked_for(owner, handed_in):
    submission = record(
        handed_in(owner, mode=Mode.RUN, sizes={"n": 77}, seed=12345),
        Report(Verdict.ACCEPTED, environment={"target": "cpu", "flags": "-O1 -lineinfo"}),
    )
    page = page_of(submission, owner)
    for shown in ("-O1 -lineinfo", "n=77", "12345", "<dt>attempt</dt><dd>1"):
        assert shown in page


def test_hidden_cases_stay_hidden_in_every_part(owner, staff, handed_in):
    """A case's sizes and values, and seeds, appear nowhere but to staff."""
    hidden = CaseReport(
        "prime-case",
        Group.ODD,
        public=False,
        verdict=Verdict.WRONG_ANSWER,
        sizes={"n": SECRET_SIZE},
        mismatches=(Mismatch("c", (7918,), "31337.25", "0", 4242.5, 0.987),),
    )
    report = timed_report()
    submission = record(
        handed_in(owner),
        replace(report, verdict=Verdict.WRONG_ANSWER, cases=(*report.cases, hidden), score=None),
    )
    client = Client()
    client.force_login(owner)
    paths = ("", "/report", "/assembly/ptx", "/assembly/sass", "/listings/ptx", "/listings/ptx.txt")
    for path in paths:
        page = client.get(f"/s/{submission.public_id}{path}").content.decode()
        leaked = [
            secret
            for secret in ("prime-", str(SECRET_SIZE), "7918", "31337", "4242", "0.987")
            if secret in page
        ]
        assert not leaked, path
        assert "seed" not in page.lower(), path
    assert "prime-case" in page_of(submission, staff)


def test_the_panel_of_a_submission_says_what_it_waits_for(owner, handed_in):
    submission = handed_in(owner)
    assert "Next in the queue" in page_of(submission, owner)
    claim = services.claim("w")
    assert "Picked up by a worker" in page_of(submission, owner)
    services.add_event(claim, "case", {"text": "Case 3 of 9", "index": 3, "total": 9})
    assert "Case 3 of 9" in page_of(submission, owner)


def test_a_script_cancels_without_being_sent_elsewhere(owner, handed_in):
    submission = handed_in(owner)
    client = Client()
    client.force_login(owner)
    answer = client.post(f"/s/{submission.public_id}/cancel", headers={"HX-Request": "true"})
    assert (answer.status_code, Job.objects.get().state) == (204, "done")
    assert client.post(f"/s/{submission.public_id}/cancel", headers={"HX-Request": "true"}).status_code == 204


def test_only_its_author_is_offered_to_cancel(owner, staff, handed_in):
    submission = handed_in(owner)
    assert "data-cancel" in page_of(submission, owner)
    assert "data-cancel" not in page_of(submission, staff)
