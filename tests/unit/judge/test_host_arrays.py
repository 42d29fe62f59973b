"""Tests arrays in host memory: their form on the wire, and trivial programs that use them."""

from dataclasses import replace

import numpy as np

from judge.proof.timed_sizes import check_timed
from judge.proof.trivial import trivial_programs
from judge.runner.buffers import HostBuffer, HostMemory
from judge.runner.call import Call
from problems.vocabulary import ArrayMemory, Group, Language
from tests.unit.judge.packages import DOUBLING

X, Y, N = DOUBLING.arguments
ON_HOST = replace(
    DOUBLING,
    arguments=(replace(X, memory=ArrayMemory.HOST), replace(Y, memory=ArrayMemory.PINNED), N),
    languages=(Language.CUDA,),
    cases=tuple(case for case in DOUBLING.cases if case.group is not Group.TIMED),
)


class DividedMemory(HostMemory):
    """Memory that notes which buffers are in host memory, as a GPU's would have to know."""

    def __init__(self) -> None:
        self.on_host: list[str] = []

    def host_buffer(self, name: str, size_bytes: int) -> HostBuffer:
        self.on_host.append(name)
        return super().host_buffer(name, size_bytes)


def test_the_wire_says_where_each_array_is() -> None:
    memory = DividedMemory()
    case = ON_HOST.cases[0]
    with Call(memory) as call:
        for argument in (*ON_HOST.arguments, replace(X, name="z")):
            call.add(argument, case)
        assert [argument.memory for argument in call.arguments] == ["host", "pinned", "device", "device"]
        assert memory.on_host == ["x", "y"]
        call.buffers["x"].fill(np.arange(12, dtype=np.uint8))
        assert call.buffers["x"].damage() is None


def test_trivial_programs_copy_arrays_in_host_memory() -> None:
    programs = {program.name: program.source for program in trivial_programs(ON_HOST)}
    assert "Staged" not in programs["nothing"].partition("void solve")[2]
    copy = programs["copy of x"]
    assert "Staged<float> staged_x(const_cast<float*>(x), 1ll * (n));" in copy
    assert "copy<<<64, 256>>>(staged_x.device, 1ll * (n), staged_y.device, 1ll * (n));" in copy
    usual = {program.name: program.source for program in trivial_programs(DOUBLING)}
    assert "Staged" not in usual["copy of x"]


def test_a_proof_asks_for_timed_cases_only_where_they_are_allowed() -> None:
    assert not list(check_timed(ON_HOST, ()))
    assert [finding.text for finding in check_timed(DOUBLING, ())] == ["no timed case"]
