"""Tests reading the compilers' output about kernels. Invalid output is harmless."""

from hypothesis import given
from hypothesis import strategies as st

from judge.evidence.kernels import parse_kernels
from judge.report import KernelResources
from sandbox.gpu.compile.compilation import ResourceTexts
from sandbox.ptxas import MAX_KERNELS

PTXAS = """\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z6spillsILi64EEvPKfPfi' for 'sm_90a'
ptxas info    : Function properties for _Z6spillsILi64EEvPKfPfi
    264 bytes stack frame, 496 bytes spill stores, 504 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 264 bytes cumulative stack size, 4096 bytes smem
ptxas info    : Compile time = 29.784 ms
ptxas info    : Compiling entry function '_Z5otherPf' for 'sm_90a'
ptxas info    : Function properties for _Z5otherPf
    128 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 30 registers, used 0 barriers, 128 bytes cumulative stack size, 360 bytes cmem[0]
ptxas info    : Function properties for _Z6helperf
    77 bytes stack frame, 77 bytes spill stores, 77 bytes spill loads
"""
USAGE = """
Resource usage:
 Common:
  GLOBAL:0 CONSTANT[3]:400
 Function _Z6spillsILi64EEvPKfPfi:
  REG:32 STACK:264 SHARED:5120 LOCAL:0 CONSTANT[0]:548 CONSTANT[2]:8 TEXTURE:0 SURFACE:0 SAMPLER:0
 Function _Z7unknownv:
  REG:255 STACK:0 SHARED:0 LOCAL:0 CONSTANT[0]:548 TEXTURE:0 SURFACE:0 SAMPLER:0
"""
NAMES = {"_Z6spillsILi64EEvPKfPfi": "spills<64>"}


def test_both_reports_are_joined() -> None:
    spills, other = parse_kernels(ResourceTexts(PTXAS, USAGE, NAMES))
    assert spills == KernelResources(
        name="spills<64>",
        registers=32,
        shared_bytes=4096,
        stack_bytes=264,
        spill_store_bytes=496,
        spill_load_bytes=504,
        constant_bytes=556,
    )
    assert other == KernelResources("_Z5otherPf", 30, 0, 128, 0, 0, constant_bytes=360)


def test_ptxas_alone_is_enough() -> None:
    spills, _ = parse_kernels(ResourceTexts(PTXAS))
    assert (spills.registers, spills.spill_load_bytes, spills.constant_bytes) == (32, 504, 0)


def test_the_number_of_kernels_and_the_length_of_names_are_bounded() -> None:
    entries = "".join(
        f"ptxas info    : Compiling entry function 'k{index}{'x' * 5000}' for 'sm_90'\n"
        f"ptxas info    : Used {'9' * 400} registers\n"
        for index in range(5 * MAX_KERNELS)
    )
    kernels = parse_kernels(ResourceTexts(entries))
    assert len(kernels) == MAX_KERNELS
    assert all(len(kernel.name) < 300 and kernel.registers <= 2**31 for kernel in kernels)


@given(ptxas=st.text(), usage=st.text(), cut=st.integers(0, len(PTXAS)))
def test_no_text_breaks_the_parser(ptxas: str, usage: str, cut: int) -> None:
    parse_kernels(ResourceTexts(ptxas, usage))
    parse_kernels(ResourceTexts(PTXAS[:cut] + ptxas, USAGE + usage, {"_Z5otherPf": "\0\x1b[2J"}))
