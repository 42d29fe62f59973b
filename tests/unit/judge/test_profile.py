"""What Nsight Compute prints, as a profile."""

import pytest

from judge.evidence.profile import ProfileMissing, program_output, read_profile
from judge.report import KernelProfile, LineProfile
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
