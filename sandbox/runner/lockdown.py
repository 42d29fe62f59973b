"""Two system call filters for Python runners, in addition to the filter of the sandbox.

Theory of operation. The limits of an MPS client apply to the process that has the GPU's context open. A
second CUDA process could choose other limits, or run outside MPS. So after a runner has created its context,
and before it loads foreign code, it gives up the right to start processes: only threads remain allowed. A
process without the GPU (`helper`) starts the processes that the runner still needs, mainly compilers. The
helper and its descendants may only use ioctl on terminals, and a GPU cannot be used without ioctl.

A filter cannot be removed. The sandbox's own filter already refuses clone3 and the calls of other
architectures.

Source: seccomp(2), linux/seccomp.h, asm-generic/ioctl.h and ioctls.h.
"""

import ctypes
import errno
import platform
import struct

from sandbox.seccomp import CLONE, IOCTL, Architecture, architecture

_LOAD_WORD = 0x20
_AND = 0x54
_JUMP_EQUAL = 0x15
_JUMP_ANY_BIT = 0x45
_RETURN = 0x06
_INSTRUCTION = struct.Struct("<HBBI")
_ALLOW = 0x7FFF_0000
_REFUSE = 0x0005_0000 | errno.EPERM
_NUMBER_AT = 0
_FIRST_AT, _SECOND_AT = 16, 24  # the low halves of two arguments

_STARTING = {"execve": (59, 221), "execveat": (322, 281), "fork": (57, None), "vfork": (58, None)}
_CLONE_THREAD = 0x0001_0000
_KIND_OF_REQUEST = 0xFF00
_OF_TERMINALS = ord("T") << 8  # asking whether a file is a terminal, or has something to read

_SECCOMP = (317, 277)
_SET_MODE_FILTER = 1
_ALL_THREADS = 1
_PR_SET_NO_NEW_PRIVS = 38


def forbid_processes() -> None:
    """No process but this one, ever, from any of its threads. Raises OSError when the kernel refuses."""
    here = architecture(platform.machine())
    program = [_line(_LOAD_WORD, _NUMBER_AT)]
    for numbers in _STARTING.values():
        if (number := numbers[here.column]) is not None:
            program += [_line(_JUMP_EQUAL, number, no=1), _line(_RETURN, _REFUSE)]
    program += [
        _line(_JUMP_EQUAL, CLONE[here.column], no=3),
        _line(_LOAD_WORD, _FIRST_AT),
        _line(_JUMP_ANY_BIT, _CLONE_THREAD, yes=1),
        _line(_RETURN, _REFUSE),
        _line(_RETURN, _ALLOW),
    ]
    _lay(program, here)


def forbid_devices() -> None:
    """No request to a device but a terminal, for this process and all that it starts. Raises OSError."""
    here = architecture(platform.machine())
    program = [
        _line(_LOAD_WORD, _NUMBER_AT),
        _line(_JUMP_EQUAL, IOCTL[here.column], no=4),
        _line(_LOAD_WORD, _SECOND_AT),
        _line(_AND, _KIND_OF_REQUEST),
        _line(_JUMP_EQUAL, _OF_TERMINALS, yes=1),
        _line(_RETURN, _REFUSE),
        _line(_RETURN, _ALLOW),
    ]
    _lay(program, here)


class _Program(ctypes.Structure):
    """`struct sock_fprog`."""

    _fields_ = (("length", ctypes.c_ushort), ("lines", ctypes.c_char_p))


def _line(code: int, value: int, *, yes: int = 0, no: int = 0) -> bytes:
    """One instruction: of a jump, how many to skip."""
    return _INSTRUCTION.pack(code, yes, no, value)


def _lay(program: list[bytes], here: Architecture) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    text = b"".join(program)
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "no_new_privs was refused")
    said = libc.syscall(
        ctypes.c_long(_SECCOMP[here.column]),
        ctypes.c_long(_SET_MODE_FILTER),
        ctypes.c_long(_ALL_THREADS),
        ctypes.byref(_Program(len(program), text)),
    )
    if said != 0:  # positive: the thread that could not be brought along
        raise OSError(ctypes.get_errno() if said < 0 else errno.EBUSY, "the filter was refused")
