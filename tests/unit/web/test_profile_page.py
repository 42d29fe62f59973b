"""Tests the page of a profiled run."""

import math
from dataclasses import replace

import pytest
from django.test import Client
from django.urls import reverse

from judge.report import InstructionProfile, KernelProfile, LineProfile, Profile
from judge.report_json import from_json, to_json
from problems.vocabulary import Mode
from tests.unit.web.figures import record, timed_report
from web.accounts.models import User
from web.site.profile import compare_profiles, profile_page
from web.submissions.models import Submission
from web.submissions.render_text import render_figures

METRICS = {
    "duration_ns": 33_500.0,
    "memory_throughput_percent": 91.2,
    "compute_throughput_percent": 20.0,
    "dram_read_bytes": 4.0e8,
    "global_load_sectors": 1024.0,
    "global_load_requests": 128.0,
    "shared_load_requests": 0.0,
    "stall_long_scoreboard": 30.0,
    "stall_selected": 1.0,
    "stall_wait": 2.0,
}
LINES = (
    LineProfile(2, {"samples": 90.0, "instructions": 64.0, "stall_barrier": 50.0}),
    LineProfile(3, {"samples": 10.0}),
)
LOAD = {"samples": 45.0, "instructions": 64.0, "global_sectors": 1024.0, "global_sectors_excessive": 768.0}
INSTRUCTIONS = (
    InstructionProfile(2, "LDG.E R0, [R2]", {**LOAD, "stall_long_scoreboard": 30.0}),
    InstructionProfile(2, "STS [R1], R0", {"samples": 5.0, "shared_wavefronts": 64.0}),
    InstructionProfile(99, "EXIT", {}),
)
PROFILE = Profile(
    (KernelProfile("sum(const float *)", (132, 1, 1), (16, 16, 1), METRICS),),
    LINES,
    instructions=INSTRUCTIONS,
)


def test_a_launch_says_what_bounds_it() -> None:
    page = profile_page(PROFILE)
    (launch,) = page.launches
    assert (launch.grid, launch.block, launch.duration_us) == ("(132)", "(16, 16)", 33.5)
    assert "Memory limits the launch" in launch.summary
    figures = {figure.label: figure.value for figure in launch.figures}
    assert figures["Sectors per global load"] == "8.00"
    assert figures["Read from device memory"] == "400.0 MB"
    assert "Wavefronts per shared load" not in figures
    assert [stall.reason for stall in launch.stalls] == [
        "global, local or texture memory",
        "the latency of its own instructions",
    ]
    assert [(line.number, round(line.percent)) for line in page.lines] == [(2, 90), (3, 10)]
    assert [line.reason for line in page.lines] == ["a barrier", ""]


def test_instructions_are_shown_below_their_lines() -> None:
    first, second = profile_page(PROFILE, "one\n  y = x;\n").code
    assert (first.number, first.text, second.number, second.text) == (2, "y = x;", 99, "")
    load, store = first.instructions
    assert (load.text, load.percent, load.executed) == ("LDG.E R0, [R2]", 45, 64)
    assert (load.reason, load.sectors) == ("global, local or texture memory", "1,024, 768 too many")
    assert (store.reason, store.sectors, store.wavefronts) == ("", "", "64")
    assert profile_page(replace(PROFILE, lines=())).code == ()


@pytest.mark.parametrize(
    ("memory", "compute", "word"),
    [(30, 40, "Neither"), (70, 90, "Arithmetic"), (85, 80, "Memory and arithmetic"), (None, 80, "")],
)
def test_the_summary_follows_the_throughputs(memory: float | None, compute: float, word: str) -> None:
    metrics = {"memory_throughput_percent": memory, "compute_throughput_percent": compute}
    kept = {name: value for name, value in metrics.items() if value is not None}
    launch = KernelProfile("k", (1, 1, 1), (1, 1, 1), kept)
    assert profile_page(Profile((launch,))).launches[0].summary.startswith(word)


def test_a_profile_is_stored_with_its_report() -> None:
    report = replace(timed_report(), profile=PROFILE)
    assert from_json(to_json(report)) == report


@pytest.mark.django_db
def test_the_page_of_a_profiled_run(client: Client, owner: User, handed_in) -> None:
    client.force_login(owner)
    run = record(handed_in(owner, mode=Mode.RUN), replace(timed_report(), score=None, profile=PROFILE))
    text = client.get(reverse("submission", args=[run.public_id])).content.decode()
    assert 'id="console-profile"' in text
    assert "sum(const float *)" in text
    assert "LDG.E R0, [R2]" in text
    missing = replace(timed_report(), score=None, profile=Profile(missing="Only a GPU has counters."))
    run = record(handed_in(owner, mode=Mode.RUN, source="other"), missing)
    text = client.get(reverse("submission", args=[run.public_id])).content.decode()
    assert "There is no profile. Only a GPU has counters." in text


@pytest.mark.django_db
@pytest.mark.parametrize("forged", [math.inf, math.nan, 1e308])
def test_figures_that_a_program_forged_break_no_page(
    client: Client, owner: User, handed_in, forged: float
) -> None:
    launch = KernelProfile("k", (1, 1, 1), (1, 1, 1), dict.fromkeys(METRICS, forged))
    line = LineProfile(1, {"samples": forged, "instructions": forged, "stall_wait": forged})
    instruction = InstructionProfile(1, "<b>", dict.fromkeys((*METRICS, "samples", "instructions"), forged))
    profile = Profile((launch, launch), (line, replace(line, line=2)), instructions=(instruction,))
    client.force_login(owner)
    run = record(handed_in(owner, mode=Mode.RUN), replace(timed_report(), score=None, profile=profile))
    for path in (f"/s/{run.public_id}", f"/s/{run.public_id}/report", f"/api/v1/submissions/{run.public_id}"):
        assert client.get(path).status_code == 200, path


def test_a_profile_in_a_terminal() -> None:
    lines = render_figures(replace(timed_report(), kernels=(), profile=PROFILE))
    (launch,) = (line for line in lines if "sum(const float *)" in line)
    assert all(figure in launch for figure in ("(132)", "(16, 16)", "33.50", "91 %", "20 %", "global"))
    assert any(line.split()[:2] == ["2", "90"] for line in lines)
    lines = render_figures(replace(timed_report(), profile=Profile(missing="Only a GPU has counters.")))
    assert lines[-1] == "no profile: Only a GPU has counters."


def launch(kernel: str, **metrics: float) -> KernelProfile:
    return KernelProfile(kernel, (1, 1, 1), (1, 1, 1), metrics)


def test_two_profiles_are_compared_launch_by_launch() -> None:
    old = Profile((launch("a", duration_ns=2000.0), launch("b"), launch("a", duration_ns=500.0)))
    new = Profile((launch("a", duration_ns=1500.0, dram_read_bytes=4e6), launch("c")))
    pairs = compare_profiles(old, new)
    assert [(pair.kernel, pair.missing) for pair in pairs] == [
        ("a", ""),
        ("a", "new"),
        ("c", "old"),
        ("b", "new"),
    ]
    figures = [(figure.label, figure.old, figure.new, figure.change) for figure in pairs[0].figures]
    assert figures == [
        ("Duration", "2,000", "1,500", "\N{MINUS SIGN}25 %"),
        ("Read from device memory", "", "4.0 MB", ""),
    ]


def test_single_launches_are_compared_whatever_their_names() -> None:
    (pair,) = compare_profiles(Profile((launch("a", waves=1.0),)), Profile((launch("b"),)))
    assert (pair.kernel, pair.missing) == ("b", "")


@pytest.mark.django_db
def test_the_page_of_changes_compares_profiles(client: Client, owner: User, handed_in) -> None:
    client.force_login(owner)
    report = replace(timed_report(), score=None, profile=PROFILE)
    old = record(handed_in(owner, mode=Mode.RUN), report)
    new = record(handed_in(owner, mode=Mode.RUN, source="other"), report)
    Submission.objects.update(profiled=True)
    url = reverse("submission-diff", args=[new.public_id])
    text = client.get(url, {"against": old.public_id}).content.decode()
    assert 'id="profiles-heading"' in text
    assert "sum(const float *)" in text
    plain = record(handed_in(owner, mode=Mode.RUN, source="third"), timed_report())
    text = client.get(url, {"against": plain.public_id}).content.decode()
    assert 'id="profiles-heading"' not in text
