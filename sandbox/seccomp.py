"""The system call filter of every sandbox, assembled to classic BPF.

Theory of operation. The kernel runs the program below on each system call of the sandboxed process and of all
its descendants; nothing can remove it. It is the second line of defence: namespaces and the empty capability
set already refuse most of the listed calls, and the filter also makes the kernel code behind these calls
unreachable. Calls are allowed unless a table refuses them, because compilers and PyTorch use hundreds of
calls. A call newer than this file returns ENOSYS, so that programs fall back. For a few calls, an argument
decides. A filter cannot follow pointers, and clone3 passes its flags by pointer. So clone3 returns ENOSYS,
and the C library falls back to clone.

Source: seccomp(2), linux/filter.h, arch/x86/entry/syscalls/syscall_64.tbl and
include/uapi/asm-generic/unistd.h of Linux 6.12.
"""

import errno
import platform
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field

from sandbox.spec import Calls

_LOAD_WORD = 0x20
_JUMP_EQUAL = 0x15
_JUMP_GREATER = 0x25
_JUMP_ANY_BIT = 0x45
_RETURN = 0x06
_INSTRUCTION = struct.Struct("<HBBI")

ALLOW = 0x7FFF_0000
KILL_PROCESS = 0x8000_0000
_ERRNO = 0x0005_0000

_NUMBER_AT = 0
_ARCHITECTURE_AT = 4
_ARGUMENTS_AT = 16

_X32_BIT = 0x4000_0000
_NEWEST_REVIEWED = 466
_NAMESPACE_FLAGS = 0x7E02_0000  # CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
_AF_UNIX, _AF_INET, _AF_NETLINK = 1, 2, 16
_IPPROTO_TCP, _IPPROTO_UDP = 6, 17
_NETLINK_ROUTE = 0
_PERSONALITY_QUERY = 0xFFFF_FFFF
_LOCK_COMMANDS = (5, 6, 7, 36, 37, 38)  # F_GETLK, F_SETLK, F_SETLKW and their open-file variants
_TIOCSTI = 0x5412
_TIOCLINUX = 0x541C


@dataclass(frozen=True, slots=True)
class Architecture:
    """A machine that the filter is assembled for. `token` is its AUDIT_ARCH value."""

    name: str
    token: int
    column: int


X86_64 = Architecture("x86_64", 0xC000_003E, 0)
AARCH64 = Architecture("aarch64", 0xC000_00B7, 1)
_ARCHITECTURES = {"x86_64": X86_64, "amd64": X86_64, "aarch64": AARCH64, "arm64": AARCH64}


@dataclass(frozen=True, slots=True)
class Refusal:
    """Calls that are refused with `error`, by their numbers per architecture, and the reason."""

    reason: str
    calls: dict[str, tuple[int | None, int | None]]
    error: int = errno.EPERM


REFUSALS = (
    Refusal(
        "Reading or controlling another process would let a program rewrite the harness.",
        {
            "ptrace": (101, 117),
            "process_vm_readv": (310, 270),
            "process_vm_writev": (311, 271),
            "process_madvise": (440, 440),
            "pidfd_getfd": (438, 438),
            "kcmp": (312, 272),
            "move_pages": (279, 239),
            "migrate_pages": (256, 238),
        },
    ),
    Refusal(
        "These run programs or fault handlers of the caller in the kernel, a rich source of escapes.",
        {
            "bpf": (321, 280),
            "perf_event_open": (298, 241),
            "userfaultfd": (323, 282),
            "io_uring_setup": (425, 425),
            "io_uring_enter": (426, 426),
            "io_uring_register": (427, 427),
            "fanotify_init": (300, 262),
            "memfd_secret": (447, 447),
        },
    ),
    Refusal(
        "Keyrings outlive a process and are shared by user id: a channel between two jobs.",
        {"add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219)},
    ),
    Refusal(
        "Watches of a file that two sandboxes see are a channel between them.",
        {"inotify_init": (253, None), "inotify_init1": (294, 26)},
        errno.ENOLCK,
    ),
    Refusal(
        "The file tree is final: no mount, no other root.",
        {
            "mount": (165, 40),
            "umount2": (166, 39),
            "pivot_root": (155, 41),
            "chroot": (161, 51),
            "open_tree": (428, 428),
            "move_mount": (429, 429),
            "fsopen": (430, 430),
            "fsconfig": (431, 431),
            "fsmount": (432, 432),
            "fspick": (433, 433),
            "mount_setattr": (442, 442),
        },
    ),
    Refusal(
        "A new user namespace hands out capabilities over fresh kernel objects.",
        {"unshare": (272, 97), "setns": (308, 268)},
    ),
    Refusal(
        "File handles reach files by number, past every mount.",
        {"name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265)},
    ),
    Refusal(
        "Programs must not change or inspect the machine.",
        {
            "kexec_load": (246, 104),
            "kexec_file_load": (320, 294),
            "init_module": (175, 105),
            "finit_module": (313, 273),
            "delete_module": (176, 106),
            "create_module": (174, None),
            "query_module": (178, None),
            "get_kernel_syms": (177, None),
            "reboot": (169, 142),
            "swapon": (167, 224),
            "swapoff": (168, 225),
            "syslog": (103, 116),
            "acct": (163, 89),
            "quotactl": (179, 60),
            "quotactl_fd": (443, 443),
            "settimeofday": (164, 170),
            "clock_settime": (227, 112),
            "adjtimex": (159, 171),
            "clock_adjtime": (305, 266),
            "sethostname": (170, 161),
            "setdomainname": (171, 162),
            "ioperm": (173, None),
            "iopl": (172, None),
            "modify_ldt": (154, None),
            "vhangup": (153, 58),
            "nfsservctl": (180, 42),
            "lookup_dcookie": (212, 18),
            "uselib": (134, None),
            "sysfs": (139, None),
        },
    ),
    Refusal(
        "Its flags lie behind a pointer that a filter cannot follow; callers fall back to clone.",
        {"clone3": (435, 435)},
        errno.ENOSYS,
    ),
)

# On hosts where no control group counts memory (`sandbox.memory_use`).
UNCOUNTED = Refusal(
    "Memory that no process maps: it could not be attributed or even detected.",
    {"memfd_create": (319, 279), "shmget": (29, 194)},
    errno.ENOSYS,
)

# For all programs except those that a tool watches, because tools lock files.
LOCKS = Refusal(
    "Locks of a file that two sandboxes see are a channel between them.",
    {"flock": (73, 32)},
    errno.ENOLCK,
)

CLONE = (56, 220)
SOCKET = (41, 198)
SOCKETPAIR = (53, 199)
PERSONALITY = (135, 92)
IOCTL = (16, 29)
FCNTL = (72, 25)
PRLIMIT64 = (302, 261)


@dataclass(frozen=True, slots=True)
class ArgumentRule:
    """A call that is judged by the low half of one argument, refused with `error`, and the reason.

    Exactly one of three is given: `only` these values are allowed, `never` these, or none with `no_bits`.
    `then_only` maps values of the argument to the allowed values of a later argument, `second`.
    """

    reason: str
    name: str
    numbers: tuple[int, int]
    argument: int
    error: int = errno.EPERM
    only: tuple[int, ...] = ()
    never: tuple[int, ...] = ()
    no_bits: int = 0
    second: int = 0
    then_only: Mapping[int, tuple[int, ...]] = field(default_factory=dict)


_UNIX_ALONE = "Other sockets (netlink, packet, vsock) are attack surface or reach the host."
_UNIX_SOCKETS = ArgumentRule(_UNIX_ALONE, "socket", SOCKET, 0, errno.EAFNOSUPPORT, only=(_AF_UNIX,))
_LOOPBACK_SOCKETS = ArgumentRule(
    "Other sockets are attack surface. In an empty network namespace, these reach the loopback alone.",
    *("socket", SOCKET, 0, errno.EAFNOSUPPORT),
    only=(_AF_UNIX, _AF_INET),
)
_RANKS_SOCKETS = ArgumentRule(
    "As above, and a list of the interfaces, for which gloo and NCCL ask. It needs no privilege, and the "
    "namespace has the loopback alone. Other protocols are attack surface, or load kernel modules.",
    *("socket", SOCKET, 0, errno.EAFNOSUPPORT),
    only=(_AF_UNIX, _AF_INET, _AF_NETLINK),
    second=2,
    then_only={_AF_INET: (0, _IPPROTO_TCP, _IPPROTO_UDP), _AF_NETLINK: (_NETLINK_ROUTE,)},
)
_RECORD_LOCKS = ArgumentRule(
    "The other kinds of locks.", "fcntl", FCNTL, 1, errno.ENOLCK, never=_LOCK_COMMANDS
)
JUDGEMENTS = (
    ArgumentRule("New namespaces through clone.", "clone", CLONE, 0, no_bits=_NAMESPACE_FLAGS),
    ArgumentRule(_UNIX_ALONE, "socketpair", SOCKETPAIR, 0, errno.EAFNOSUPPORT, only=(_AF_UNIX,)),
    ArgumentRule(
        "Personalities disable address randomisation.",
        *("personality", PERSONALITY, 0),
        only=(0, _PERSONALITY_QUERY),
    ),
    ArgumentRule(
        "Injecting input into another process's terminal.", "ioctl", IOCTL, 1, never=(_TIOCSTI, _TIOCLINUX)
    ),
    ArgumentRule(
        "Limits of another process could kill a process of the judge.", "prlimit64", PRLIMIT64, 0, only=(0,)
    ),
)


@dataclass(frozen=True, slots=True)
class Rules:
    """Calls that a filter always refuses, and calls that it refuses by an argument."""

    refusals: tuple[Refusal, ...]
    judgements: tuple[ArgumentRule, ...]


def rules(calls: Calls = Calls.USUAL, *, uncounted: bool = False) -> Rules:
    """The rules of a sandbox. `uncounted` says that no control group counts memory."""
    refusals = (*REFUSALS, UNCOUNTED) if uncounted else REFUSALS
    if calls is Calls.WATCHED:
        return Rules(refusals, (*JUDGEMENTS, _LOOPBACK_SOCKETS))
    sockets = _RANKS_SOCKETS if calls is Calls.RANKS else _UNIX_SOCKETS
    return Rules((*refusals, LOCKS), (*JUDGEMENTS, sockets, _RECORD_LOCKS))


def architecture(machine: str) -> Architecture:
    """The architecture called `machine`. Raises ValueError when it is neither x86-64 nor aarch64."""
    if machine.lower() not in _ARCHITECTURES:
        raise ValueError(f"no system call filter for {machine}; supported: x86_64, aarch64")
    return _ARCHITECTURES[machine.lower()]


def filter_program(machine: str = "", calls: Calls = Calls.USUAL, *, uncounted: bool = False) -> bytes:
    """The filter for `machine` (this one when empty) as an array of `struct sock_filter`; see `rules`.

    Raises:
        ValueError: the machine is neither x86-64 nor aarch64.
    """
    found = rules(calls, uncounted=uncounted)
    return _assemble(architecture(machine or platform.machine()), found)


def _assemble(architecture: Architecture, found: Rules) -> bytes:
    column = architecture.column
    program = [
        _load(_ARCHITECTURE_AT),
        *_unless(_JUMP_EQUAL, architecture.token, KILL_PROCESS),
        _load(_NUMBER_AT),
        *_when(_JUMP_ANY_BIT, _X32_BIT, KILL_PROCESS),
        *_when(_JUMP_GREATER, _NEWEST_REVIEWED, _ERRNO | errno.ENOSYS),
    ]
    for refusal in found.refusals:
        for numbers in refusal.calls.values():
            number = numbers[column]
            if number is not None:
                program += _when(_JUMP_EQUAL, number, _ERRNO | refusal.error)
    for judgement in found.judgements:
        load = _load(_ARGUMENTS_AT + 8 * judgement.argument)
        body = [load, *_rules(judgement), _verdict(ALLOW)]
        program += [_INSTRUCTION.pack(_JUMP_EQUAL, 0, len(body), judgement.numbers[column]), *body]
    return b"".join([*program, _verdict(ALLOW)])


def _rules(judgement: ArgumentRule) -> list[bytes]:
    action = _ERRNO | judgement.error
    if judgement.no_bits:
        return _when(_JUMP_ANY_BIT, judgement.no_bits, action)
    if judgement.only:
        return [*_unless_any(judgement.only, action), *_second_rules(judgement, action)]
    return _when_any(judgement.never, action)


def _second_rules(judgement: ArgumentRule, action: int) -> list[bytes]:
    """Return rules on the second argument, for the values of the first that it decides on."""
    program: list[bytes] = []
    for value, allowed in judgement.then_only.items():
        tests = [_load(_ARGUMENTS_AT + 8 * judgement.second), *_unless_any(allowed, action), _verdict(ALLOW)]
        program += [_INSTRUCTION.pack(_JUMP_EQUAL, 0, len(tests), value), *tests]
    return program


def _load(offset: int) -> bytes:
    """Load the 32-bit word at `offset` of `struct seccomp_data`; of an argument, its low half."""
    return _INSTRUCTION.pack(_LOAD_WORD, 0, 0, offset)


def _verdict(action: int) -> bytes:
    return _INSTRUCTION.pack(_RETURN, 0, 0, action)


def _when(jump: int, value: int, action: int) -> list[bytes]:
    """Return `action` when the loaded word compares true with `value`."""
    return [_INSTRUCTION.pack(jump, 0, 1, value), _verdict(action)]


def _unless(jump: int, value: int, action: int) -> list[bytes]:
    return [_INSTRUCTION.pack(jump, 1, 0, value), _verdict(action)]


def _when_any(values: tuple[int, ...], action: int) -> list[bytes]:
    """Return `action` when the loaded word is one of `values`."""
    return [instruction for value in values for instruction in _when(_JUMP_EQUAL, value, action)]


def _unless_any(values: tuple[int, ...], action: int) -> list[bytes]:
    """Return `action` unless the loaded word is one of `values`."""
    tests = [
        _INSTRUCTION.pack(_JUMP_EQUAL, len(values) - index, 0, value) for index, value in enumerate(values)
    ]
    return [*tests, _verdict(action)]
