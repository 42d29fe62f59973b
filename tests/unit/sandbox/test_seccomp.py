"""The assembled filter, run by a small interpreter of classic BPF."""

import errno
import struct

import pytest

from sandbox import seccomp
from sandbox.seccomp import AARCH64, ALLOW, KILL_PROCESS, X86_64, Architecture, filter_program
from sandbox.spec import Calls

BOTH = pytest.mark.parametrize("machine", [X86_64, AARCH64], ids=lambda machine: machine.name)
READ = {X86_64: 0, AARCH64: 63}


def judge(
    machine: Architecture,
    number: int,
    *arguments: int,
    token: int | None = None,
    calls: Calls = Calls.USUAL,
) -> int:
    """Return the result of the filter for `machine` for a call."""
    padded = (*arguments, *(0,) * (6 - len(arguments)))
    data = struct.pack("<iIQ6Q", number, machine.token if token is None else token, 0, *padded)
    program = list(struct.iter_unpack("<HBBI", filter_program(machine.name, calls)))
    at, word = 0, 0
    while True:
        code, when, otherwise, value = program[at]
        at += 1
        match code:
            case 0x20:
                (word,) = struct.unpack_from("<I", data, value)
            case 0x06:
                return value
            case _:
                true = {0x15: word == value, 0x25: word > value, 0x45: bool(word & value)}[code]
                at += when if true else otherwise


def refused(error: int) -> int:
    return 0x0005_0000 | error


@BOTH
def test_ordinary_calls_are_allowed(machine: Architecture) -> None:
    assert judge(machine, READ[machine]) == ALLOW


@BOTH
def test_every_listed_call_is_refused(machine: Architecture) -> None:
    for refusal in seccomp.rules().refusals:
        for numbers in refusal.calls.values():
            number = numbers[machine.column]
            if number is not None:
                assert judge(machine, number) == refused(refusal.error)


@BOTH
def test_clone_makes_threads_and_no_namespaces(machine: Architecture) -> None:
    number = seccomp.CLONE[machine.column]
    assert judge(machine, number, 0x3D0F00) == ALLOW  # what pthread_create asks for
    for bit in (0x20000, *(1 << shift for shift in range(25, 31))):
        assert judge(machine, number, bit | 17) == refused(errno.EPERM)


@BOTH
def test_only_unix_sockets(machine: Architecture) -> None:
    for call in (seccomp.SOCKET, seccomp.SOCKETPAIR):
        assert judge(machine, call[machine.column], 1) == ALLOW
        for family in (0, 2, 10, 16, 17, 38, 40):
            assert judge(machine, call[machine.column], family) == refused(errno.EAFNOSUPPORT)
        assert judge(machine, call[machine.column], 1 << 32 | 2) == refused(errno.EAFNOSUPPORT)


def test_programs_that_a_tool_watches_may_speak_over_the_loopback_and_lock_files() -> None:
    usual, watched = seccomp.rules(), seccomp.rules(Calls.WATCHED)
    (sockets,) = (rule for rule in watched.judgements if rule.name == "socket")
    assert sockets.only == (1, 2)
    names = {name for refusal in watched.refusals for name in refusal.calls}
    assert {name for refusal in usual.refusals for name in refusal.calls} - names == {"flock"}
    assert {rule.name for rule in usual.judgements} - {rule.name for rule in watched.judgements} == {"fcntl"}
    assert seccomp.rules(Calls.WATCHED, uncounted=True).refusals == (*watched.refusals, seccomp.UNCOUNTED)


@BOTH
def test_ranks_may_use_tcp_over_the_loopback_and_list_its_interfaces(machine: Architecture) -> None:
    def judged(family: int, protocol: int) -> int:
        number = seccomp.SOCKET[machine.column]
        return judge(machine, number, family, 1, protocol, calls=Calls.RANKS)

    for family, protocol in ((1, 0), (2, 0), (2, 6), (2, 17), (16, 0)):
        assert judged(family, protocol) == ALLOW
    for family, protocol in ((2, 132), (2, 262), (16, 6), (16, 12), (10, 0), (17, 0), (40, 0)):
        assert judged(family, protocol) == refused(errno.EAFNOSUPPORT)


@BOTH
def test_personality_terminals_and_locks(machine: Architecture) -> None:
    personality, ioctl, fcntl = (
        call[machine.column] for call in (seccomp.PERSONALITY, seccomp.IOCTL, seccomp.FCNTL)
    )
    assert [judge(machine, personality, value) for value in (0, 0xFFFFFFFF)] == [ALLOW, ALLOW]
    assert judge(machine, personality, 0x40000) == refused(errno.EPERM)
    assert judge(machine, ioctl, 0, 0x5401) == ALLOW
    assert judge(machine, ioctl, 0, 0x5412) == refused(errno.EPERM)
    assert judge(machine, ioctl, 0, 1 << 32 | 0x5412) == refused(errno.EPERM)
    assert judge(machine, fcntl, 0, 1030) == ALLOW
    assert judge(machine, fcntl, 0, 6) == refused(errno.ENOLCK)


@BOTH
def test_limits_of_other_processes(machine: Architecture) -> None:
    prlimit = seccomp.PRLIMIT64[machine.column]
    assert judge(machine, prlimit, 0, 7) == ALLOW
    assert judge(machine, prlimit, 1, 7) == refused(errno.EPERM)


@BOTH
def test_unknown_calls_fall_back_and_foreign_ones_kill(machine: Architecture) -> None:
    assert judge(machine, 467) == refused(errno.ENOSYS)
    assert judge(machine, READ[machine], token=0x40000003) == KILL_PROCESS  # 32-bit x86
    assert judge(machine, 0x4000_0000) == KILL_PROCESS  # the x32 table


def test_each_refusal_has_a_reason_and_no_call_is_listed_twice() -> None:
    found = seccomp.rules(uncounted=True)
    names = [name for refusal in found.refusals for name in refusal.calls]
    assert len(names) == len(set(names))
    reasons = [*(r.reason for r in found.refusals), *(j.reason for j in found.judgements)]
    assert all(reason.endswith(".") for reason in reasons)
    assert not {judgement.name for judgement in seccomp.rules().judgements} & set(names)
    for column in (0, 1):
        numbers = [
            n[column] for r in seccomp.rules().refusals for n in r.calls.values() if n[column] is not None
        ]
        assert len(numbers) == len(set(numbers))


def test_another_machine_is_an_error() -> None:
    with pytest.raises(ValueError, match="riscv64"):
        filter_program("riscv64")
