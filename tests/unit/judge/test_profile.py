"""Tests parsing the output of Nsight Compute into a profile."""

import time

import pytest

from judge.evidence.profile import (
    MAX_BYTES,
    MAX_INSTRUCTIONS,
    ProfileMissing,
    program_output,
    read_profile,
)
from judge.report import InstructionProfile, KernelProfile, LineProfile, Profile
from sandbox.gpu.profiler import LAUNCHES, METRICS, RAW, SECTION, SOURCE

DURATION, SECTORS = METRICS["duration_ns"], METRICS["global_load_sectors"]
TABLE = f"""hello
==PROF== Connected to process 7 (/runner/device_runner)
==PROF== Disconnected from process 7
{SECTION}{RAW}
"ID","Kernel Name","Block Size","Grid Size","{DURATION}","{SECTORS}","other"
"","","","","ns","sector",""
"0","warpcourt_null","(1, 1, 1)","(1, 1, 1)","1","2","3"
"1","add(const float *, int)","(256, 1, 1)","(40, 2, 1)","2048.5","1,000","5"
"2","add(const float *, int)","(1, 1, 1)","(1, 1, 1)","nan","","x"
{SECTION}{SOURCE}
"Line No","Source","# Samples","Instructions Executed","stall_wait","Address"
"12","y[i] = x[i];","30","8","4",""
"","LDG.E","30","8","4","0x10"
"13","}}","0","0","0",""
"Kernel Name","again"
"Line No","Source","# Samples","Instructions Executed","stall_wait","Address"
"12","y[i] = x[i];","10","8","1",""
"""


def test_launches_and_lines() -> None:
    profile = read_profile(TABLE.encode())
    assert profile.launches == (
        KernelProfile(
            "add(const float *, int)",
            (40, 2, 1),
            (256, 1, 1),
            {"duration_ns": 2048.5, "global_load_sectors": 1000.0},
        ),
        KernelProfile("add(const float *, int)", (1, 1, 1), (1, 1, 1), {}),
    )
    assert profile.lines == (LineProfile(12, {"samples": 40.0, "instructions": 16.0, "stall_wait": 5.0}),)
    assert profile.instructions == (
        InstructionProfile(12, "LDG.E", {"samples": 30.0, "instructions": 8.0, "stall_wait": 4.0}),
    )


def test_the_program_keeps_its_own_output() -> None:
    assert program_output(TABLE.encode()) == b"hello"


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        (b"", "wrote no profile"),
        (f"{SECTION}{RAW}\n".encode(), "no kernel"),
        (f"==ERROR== ERR_NVGPUCTRPERM - no permission\n{SECTION}{RAW}\n".encode(), "RestrictProfiling"),
    ],
)
def test_what_is_missing_is_explained(output: bytes, reason: str) -> None:
    with pytest.raises(ProfileMissing, match=reason):
        read_profile(output)


def test_hostile_tables_are_bounded() -> None:
    row = '"0","k","(99999999999, 1, 1)","(1)","1e999","-0"\n'
    output = f'{SECTION}{RAW}\n"ID","Kernel Name","Block Size","Grid Size","{DURATION}","{SECTORS}"\n\n'
    profile = read_profile((output + row * 1000).encode())
    assert len(profile.launches) <= LAUNCHES
    assert profile.launches[-1].grid == (0, 0, 0)
    long = ",".join(["1" * 50] * 1000)
    lines = "".join(f'"{number}","{long}"\n' for number in range(100))
    assert read_profile(f'{output}{row}{SECTION}{SOURCE}\n"Line No","x"\n{lines}'.encode()).lines == ()
    assert read_profile(f'{output}{row}{SECTION}{SOURCE}\n"Line No\n"'.encode()).lines == ()


@pytest.mark.parametrize("number", ["1e308", "-1e308", "inf", "nan", "1e999"])
def test_no_forged_number_makes_a_figure_that_cannot_be_stored(number: str) -> None:
    lines = f'"3","{number}","{number}"\n' * 3 + '"3","2","1"\n"0.5","2","1"\n'
    output = (
        f"{SECTION}{RAW}\n"
        f'"Kernel Name","Grid Size","Block Size","{DURATION}"\n"","","",""\n"k","1","1","{number}"\n'
        f'{SECTION}{SOURCE}\n"Line No","# Samples","Instructions Executed"\n{lines}'
    )
    profile = read_profile(output.encode())
    assert profile.launches[0].metrics == {}
    assert profile.lines == (LineProfile(3, {"samples": 2.0, "instructions": 1.0}),)


def table(*rows: str) -> str:
    head = '"Line No","Source","# Samples","stall_wait","stall_barrier","stall_selected"'
    return "\n".join([head, *rows])


def profiled(*tables: str) -> Profile:
    raw = f'{SECTION}{RAW}\n"Kernel Name","{DURATION}"\n"",""\n"k","1"\n{SECTION}{SOURCE}\n'
    return read_profile((raw + '\n"Kernel Name","k"\n'.join(tables)).encode())


def test_an_instruction_has_a_place_below_its_line_in_every_launch() -> None:
    rows = ('"7","y += x;","5","","",""', '"","FADD R0","2","1","7","9"', '"","FADD R0","3","2","","9"')
    other = ('"","MOV R1","1","","",""', '"9","z;","1","","",""', '"","EXIT","1","","",""')
    profile = profiled(table(*rows, *other), table(*rows))
    assert profile.instructions == (
        InstructionProfile(7, "FADD R0", {"samples": 4.0, "stall_barrier": 14.0}),
        InstructionProfile(7, "FADD R0", {"samples": 6.0, "stall_wait": 4.0}),
        InstructionProfile(7, "MOV R1", {"samples": 1.0}),
        InstructionProfile(9, "EXIT", {"samples": 1.0}),
    )


def test_instructions_are_bounded() -> None:
    text = "A" * 5000
    rows = [f'"","{text}","{number}","","",""' for number in range(1, 700)]
    profile = profiled(
        table('"0","no line","1","","",""', '"","X","5","","",""', '"3","l","1","","",""', *rows)
    )
    assert len(profile.instructions) == MAX_INSTRUCTIONS
    assert {one.line for one in profile.instructions} == {3}
    assert min(one.metrics["samples"] for one in profile.instructions) == 700 - MAX_INSTRUCTIONS
    assert max(len(one.text) for one in profile.instructions) < 130


def test_the_largest_table_takes_linear_time() -> None:
    row = '"","I","1","","",""\n'

    def seconds(size_bytes: int) -> float:
        text = table('"3","l","1","","",""', row * (size_bytes // len(row)))
        started = time.process_time()
        assert len(profiled(text).instructions) == MAX_INSTRUCTIONS
        return time.process_time() - started

    assert seconds(MAX_BYTES) < 24 * seconds(MAX_BYTES // 8)
