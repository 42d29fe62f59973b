"""Explains device errors to the author of a Triton kernel and maps them to verdicts.

PyTorch and Triton report the driver's errors as text, so this module searches the text. `device_faults.h`
does the same for CUDA C++.
"""

from dataclasses import dataclass

from sandbox.wire import ExitStatus


@dataclass(frozen=True, slots=True)
class Fault:
    """A device error, recognised by the driver's `words`, with its name in findings and its meaning."""

    words: str
    status: ExitStatus
    kind: str
    meaning: str


_FAULTS = (
    Fault(
        "illegal memory access",
        ExitStatus.ILLEGAL_ACCESS,
        "illegal_address",
        "read or wrote memory outside every tensor. Mask loads and stores: mask=offsets < n.",
    ),
    Fault(
        "misaligned address",
        ExitStatus.ILLEGAL_ACCESS,
        "misaligned",
        "used an address that is not a multiple of the size of what it accesses. Check casts of pointers, "
        "and promises such as tl.multiple_of.",
    ),
    Fault(
        "invalid address space",
        ExitStatus.ILLEGAL_ACCESS,
        "address_space",
        "used an address in one memory space with an instruction for another.",
    ),
    Fault(
        "invalid program counter",
        ExitStatus.ILLEGAL_ACCESS,
        "invalid_pc",
        "jumped to an address without code.",
    ),
    Fault(
        "device-side assert",
        ExitStatus.RUNTIME_ERROR,
        "assert",
        "failed a tl.device_assert. See the output for its message.",
    ),
    Fault(
        "illegal instruction",
        ExitStatus.RUNTIME_ERROR,
        "trap",
        "executed an illegal instruction or a trap.",
    ),
    Fault("unspecified launch failure", ExitStatus.RUNTIME_ERROR, "trap", "was stopped by the hardware."),
    Fault(
        "out of memory",
        ExitStatus.MEMORY_LIMIT,
        "memory",
        "exceeded the limit of device memory.",
    ),
    Fault(
        "invalid configuration",
        ExitStatus.RUNTIME_ERROR,
        "cuda_error",
        "was launched with a grid that the device does not allow: no dimension may be 0, and y and z are at "
        "most 65535.",
    ),
)


def fault_of(text: str) -> Fault | None:
    """Return the device error that `text` mentions, or None."""
    return next((fault for fault in _FAULTS if fault.words in text), None)
