"""Tests the meaning of errors of g++ about C++ code that was derived from PTX."""

from pathlib import Path

import pytest

from sandbox.chains import BROKEN, REJECTED, StepFailed
from sandbox.cpu import compile_inside
from sandbox.cpu.compile_inside import LINE_MARK
from sandbox.cpu.translator import translate

KERNEL = (
    ".version 9.0\n.target sm_80\n.address_size 64\n"
    '.entry k() {{\n.loc 1 12 0\n{}\nret;\n}}\n.file 1 "solution.cu"\n'
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(ptx: str, log: str) -> StepFailed:
    Path("binding.ptx").write_text(ptx)
    Path("device.cpp").write_text(translate(ptx))
    return compile_inside._refused(StepFailed(BROKEN, log))


def line_of(text: str) -> int:
    return Path("device.cpp").read_text().split("\n").index(text) + 1


def test_inline_assembly_is_the_programs_fault_and_its_line_is_named() -> None:
    ptx = KERNEL.format("// begin inline asm\ntrap;\n// end inline asm")
    refused(ptx, "")
    at = line_of("wc_trap(T, 1);")
    failure = refused(
        ptx, f"In file included from x:\ndevice.cpp:{at}:14: error: no\ndevice.cpp:1:1: error: no\n"
    )
    assert failure.status == REJECTED
    assert failure.log.startswith("solution.cu(12): error: the inline assembly has a form")


@pytest.mark.parametrize("log", ["", "device.cpp:99999999:1: error", "device.cpp:1:1: error", "device.cpp:x"])
def test_a_log_without_a_known_line_names_none(log: str) -> None:
    failure = refused(KERNEL.format("// begin inline asm\n// end inline asm"), log)
    assert failure.status == REJECTED
    assert failure.log.startswith(("the inline", "solution.cu(12)"))


def test_what_nvcc_wrote_by_itself_is_our_fault() -> None:
    failure = refused(KERNEL.format("trap;"), "device.cpp:1:1: error: no")
    assert failure == StepFailed(BROKEN, "device.cpp:1:1: error: no")


def test_the_translator_marks_lines_as_the_driver_reads_them() -> None:
    assert f"\n{LINE_MARK}12\n" in translate(KERNEL.format("trap;"))


@pytest.mark.parametrize(
    ("space", "bytes_", "said"),
    [
        (".const", 65537, "__constant__ variables need 65537 bytes, and the limit is 65536"),
        (".global", (1 << 30) + 1, "__device__ variables need 1073741825 bytes"),
    ],
)
def test_variables_that_do_not_fit_are_a_compile_error(space: str, bytes_: int, said: str) -> None:
    Path("binding.ptx").write_text(f"{space} .align 4 .b8 table[{bytes_}];\n" + KERNEL.format("trap;"))
    with pytest.raises(StepFailed) as caught:
        compile_inside._translate((), dict)
    assert caught.value.status == REJECTED
    assert caught.value.log.startswith(f"solution.cu: error: {said}")
    assert "table" in caught.value.log


def test_constants_that_fill_their_memory_are_accepted() -> None:
    Path("binding.ptx").write_text(".const .align 4 .b8 table[65536];\n" + KERNEL.format("trap;"))
    compile_inside._translate((), dict)
