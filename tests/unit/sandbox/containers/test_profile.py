"""Tests that the seccomp profile for container engines equals our own filter, call by call."""

import errno
import platform
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sandbox import seccomp
from sandbox.containers.calls import CALLS
from sandbox.containers.profile import _none_of, engine_profile
from sandbox.seccomp import AARCH64, X86_64, Architecture
from sandbox.spec import Calls
from testing.services import need
from tests.unit.sandbox.test_seccomp import judge

BOTH = pytest.mark.parametrize("machine", [X86_64, AARCH64], ids=lambda machine: machine.name)
HEADERS = Path(f"/usr/include/{platform.machine()}-linux-gnu/asm/unistd_64.h")
INTERESTING = (
    *range(80),
    *(1 << bit for bit in range(33)),
    *(value ^ (1 << bit) for value in (0xFFFF_FFFF, 0x5412, 0x541C, 1) for bit in range(32)),
    *(0x5412, 0x541C, 0x3D0F00, 0x7E02_0000, 0xFFFF_FFFF, 0x1_FFFF_FFFF, 1 << 32 | 1, 1 << 32 | 0x5412),
)


@dataclass(frozen=True)
class Engine:
    """Decides as libseccomp would: the rules that fit must agree, else the default counts."""

    profile: dict[str, Any]

    def decide(self, name: str, *arguments: int) -> int:
        padded = (*arguments, *(0,) * (6 - len(arguments)))
        decisions = {
            rule.get("errnoRet", 0)
            for rule in self.profile["syscalls"]
            if name in rule["names"] and all(fits(item, padded) for item in rule.get("args", ()))
        }
        assert len(decisions) < 2, f"{name}{padded} is both {decisions}"
        error = decisions.pop() if decisions else self.profile["defaultErrnoRet"]
        return seccomp._ERRNO | error if error else seccomp.ALLOW


def fits(condition: dict[str, Any], arguments: tuple[int, ...]) -> bool:
    assert condition["op"] == "SCMP_CMP_MASKED_EQ"
    return bool(arguments[condition["index"]] & condition["value"] == condition["valueTwo"])


def engine(machine: Architecture, calls: Calls = Calls.USUAL) -> Engine:
    return Engine(engine_profile(machine.name, calls))


@BOTH
def test_every_refused_call_is_refused_alike(machine: Architecture) -> None:
    theirs = engine(machine)
    for refusal in seccomp.rules().refusals:
        for name, numbers in refusal.calls.items():
            number = numbers[machine.column]
            if number is not None:
                assert theirs.decide(name) == judge(machine, number)


@BOTH
@pytest.mark.parametrize("judgement", seccomp.rules().judgements, ids=lambda judgement: judgement.name)
def test_every_argument_is_judged_alike(machine: Architecture, judgement: seccomp.ArgumentRule) -> None:
    theirs = engine(machine)
    number = judgement.numbers[machine.column]
    for value in INTERESTING:
        arguments = [0] * 6
        arguments[judgement.argument] = value
        assert theirs.decide(judgement.name, *arguments) == judge(machine, number, *arguments), hex(value)


@BOTH
def test_the_sockets_of_ranks_are_judged_alike(machine: Architecture) -> None:
    theirs, number = engine(machine, Calls.RANKS), seccomp.SOCKET[machine.column]
    for family in (0, 1, 2, 3, 10, 16, 17, 40):
        for protocol in INTERESTING:
            ours = judge(machine, number, family, 1, protocol, calls=Calls.RANKS)
            assert theirs.decide("socket", family, 1, protocol) == ours, (family, protocol)


def test_every_call_of_this_kernels_headers_is_decided_alike() -> None:
    need(HEADERS.exists(), "the kernel's headers", "apt-get install linux-libc-dev")
    theirs = engine(X86_64)
    numbers = re.findall(r"#define __NR_(\w+) (\d+)", HEADERS.read_text())
    assert len(numbers) > 300
    for name, number in numbers:
        assert theirs.decide(name) == judge(X86_64, int(number)), name


def test_what_is_newer_than_the_review_is_unknown() -> None:
    assert engine(X86_64).decide("brand_new_call") == seccomp._ERRNO | errno.ENOSYS
    assert len(CALLS) == len(set(CALLS))


@pytest.mark.parametrize("values", [(0,), (5, 6), (0, 0xFFFF_FFFF), (1, 2, 3), (5, 6, 7, 36, 37, 38)])
def test_patterns_fit_all_but_the_values(values: tuple[int, ...]) -> None:
    patterns = list(_none_of(values))
    for value in INTERESTING:
        word = value & 0xFFFF_FFFF
        assert any(word & mask == wanted for mask, wanted in patterns) == (word not in values)


def test_other_machines_have_none() -> None:
    with pytest.raises(ValueError, match="riscv64"):
        engine_profile("riscv64")
