#!/usr/bin/env python3
"""Starts Chromium so that it does not notice changes of the network.

Chromium aborts loading with ERR_NETWORK_CHANGED when an interface appears or disappears, even on loopback.
Tests of containers create interfaces all the time. Chromium learns of them through a netlink socket, so a
system call filter refuses that socket; Chromium then assumes that the network does not change.

Source: seccomp(2), linux/filter.h.
"""

import ctypes
import errno
import os
import struct
import sys
from pathlib import Path

CHROMIUM = Path("/usr/bin/chromium-headless-shell")  # headless, it takes a third less time

_PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 22, 38
_FILTER_MODE = 2
_AF_NETLINK = 16
_SOCKET = {"x86_64": 41, "aarch64": 198}
_INSTRUCTION = struct.Struct("<HBBI")


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def _refuse_netlink() -> None:
    load, equal, give = 0x20, 0x15, 0x06
    instructions = (
        (load, 0, 0, 0),  # the number of the call
        (equal, 0, 3, _SOCKET[os.uname().machine]),
        (load, 0, 0, 16),  # its first argument
        (equal, 0, 1, _AF_NETLINK),
        (give, 0, 0, 0x0005_0000 | errno.EAFNOSUPPORT),
        (give, 0, 0, 0x7FFF_0000),
    )
    code = ctypes.create_string_buffer(b"".join(_INSTRUCTION.pack(*entry) for entry in instructions))
    program = _Program(len(instructions), ctypes.addressof(code))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(
        _PR_SET_SECCOMP, _FILTER_MODE, ctypes.byref(program), 0, 0
    ):
        raise OSError(ctypes.get_errno(), "The kernel refused the system call filter of Chromium.")


if __name__ == "__main__":
    _refuse_netlink()
    os.execv(CHROMIUM, [str(CHROMIUM), *sys.argv[1:]])
