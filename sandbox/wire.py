"""Messages between the referee and a runner or the oracle.

Theory of operation. Both ends hold a SOCK_SEQPACKET socket. The host sends fixed-width requests, with
descriptors attached (SCM_RIGHTS); the sandboxed side answers each request only with its sequence number,
eight bytes, so that no answer has to be parsed. First it sends sequence number 0 when it is ready, before any
code of a submission is loaded.

    PREPARE  no descriptors; open the GPU. Runners without one answer at once. Comes before LOAD, if at all
    LOAD     descriptors: write end of the diagnostics pipe, then the artifact (CUDA) or source and manifest
    RUN      descriptors: one per array argument, in order; scalars travel in `value`. With the flag GIVEN
             one more, which holds inputs, and with TRACE one more, into which a trace is written
    TIME     descriptors: the page (`Page`), on a GPU the memory of the flags, then those of `sets` sets
    QUIT     no descriptors, no answer

A descriptor of an array is a memfd on a CPU, and on a GPU a device memory allocation that was exported as a
POSIX file descriptor. An array that a program gets in host memory is a memfd everywhere. All descriptors are
mapped as a whole, and `offset` is the start of the payload. The size of device memory cannot be read from a
descriptor, so the array's `value` contains it.

TIME opens a timed session over a shared page of memory, because a socket takes longer than many kernels.
The referee writes `set` and `kind` and then a new number into `order`. The runner makes one call with
argument set number `set`. There are two kinds of calls:

    QUEUED   the runner queues, in stream order: wait until the flag GO holds the number, the call, set the
             flag DONE to the number. Then it stores the number in `queued`. So the call waits on the device
             itself, and its host code costs no time. The flags lie in device memory that the referee owns.
    CALLED   the runner waits until `go` holds the number, makes the call, waits for the device, sets DONE.

In both cases, the runner then waits for the device and stores the number in `done`. This only tells the
referee that the next order may follow; the referee sees on the device when a call is finished. END ends the
session and is answered on the socket. Without a GPU there are no flags, and every call is CALLED.

The C++ side is `runner/wire.h`. This module only uses the standard library, because the Python runners import
it inside the sandbox.
"""

import array
import socket
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum, IntFlag

MAGIC = 0x31_51_52_57  # "WRQ1", little endian
MAX_ARGUMENTS = 32
MAX_RANK = 4
MAX_DEVICES = 4
MAX_DESCRIPTORS = 250  # the kernel passes 253 with one message
NO_RULE = -1  # in the answer of a checker, instead of the index of a broken rule
FLAGS_BYTES = 4096  # of device memory, for the flags of a timed session
_HEADER = struct.Struct("<IIQIIIIQQI12x")
_ARGUMENT = struct.Struct("<BBBBHBxQQQ4Q")
_REPLY = struct.Struct("<Q")
REQUEST_BYTES = _HEADER.size + MAX_ARGUMENTS * _ARGUMENT.size
REPLY_BYTES = _REPLY.size
DTYPE_CODES = {
    "float64": 1,
    "float32": 2,
    "float16": 3,
    "bfloat16": 4,
    "int64": 5,
    "int32": 6,
    "int8": 7,
    "uint32": 8,
    "uint8": 9,
    "bool": 10,
}
MEMORY_CODES = {"device": 0, "host": 1, "pinned": 2}
MEMORY_NAMES = {code: name for name, code in MEMORY_CODES.items()}
DTYPE_NAMES = {code: name for name, code in DTYPE_CODES.items()}


class RequestKind(IntEnum):
    """The kind of a request."""

    LOAD = 1
    RUN = 2
    QUIT = 3
    PREPARE = 4
    TIME = 5


class RunFlag(IntFlag):
    """Flags of a run, for functional mode except `GIVEN` (oracle), `SANITIZE` (GPUs) and `SHOW` (referee)."""

    NONE = 0
    DETERMINISTIC = 1  # one OS thread, fixed order
    RACES = 2  # shadow memory, report races and uninitialised reads
    REVERSED = 4  # start blocks, and the threads of a block, in descending order
    GIVEN = 8  # the last descriptor holds inputs that are stated, as JSON: draw only the others
    SANITIZE = 16  # work on copies in allocations of exactly their size, for compute-sanitizer
    INTERLEAVED = 32  # with RACES: threads take turns at every access, and writes that raced come late
    SHOW = 64  # the referee shows inputs and outputs of a public case; no runner gets this flag
    COUNT = 128  # with RACES: count what kernels ask of a GPU, and note the lines that waste much
    SUMS = 256  # with COUNT: also report the sums over the call, for requirements; PyTorch too
    LATE_READS = 512  # with RACES: racing reads wait until no other thread of their block can continue
    STALE_READS = 2048  # with RACES: a read that nothing orders after a write sees the value before it
    TORN_READS = 1024  # with LATE_READS: the first such read of a thread after a barrier does not wait
    TRACE = 4096  # with COUNT: write a trace for the replay of the case to the last descriptor
    ZEROS = 8192  # Triton: loads without `other` give zeros where their mask excludes elements, not garbage


class ExitStatus(IntEnum):
    """Exit statuses by which our runners name a failure. They can only choose among failing verdicts."""

    ILLEGAL_ACCESS = 81
    RUNTIME_ERROR = 82
    TIME_LIMIT = 83
    MEMORY_LIMIT = 84
    LOAD_ERROR = 85
    REFUSED = 86


class Page:
    """Byte offsets of the fields in the page of a timed session; each is 64 bits, little endian.

    `ORDER`, `SET`, `KIND` and `GO` are the referee's, `QUEUED` and `DONE` the runner's. The fields that the
    two sides spin on have cache lines of their own.
    """

    BYTES = 4096
    ORDER = 0
    SET = 64
    KIND = 72
    GO = 128
    QUEUED = 192
    DONE = 256


class PageOrder(IntEnum):
    """The kind of an order on the page."""

    END = 0
    CALLED = 1
    QUEUED = 2


class Flags:
    """Byte offsets of a timed session's flags in device memory; each is 64 bits."""

    GO = 0
    DONE = 128


@dataclass(frozen=True, slots=True)
class WireArgument:
    """One argument. Arrays live at `offset` in the memory of descriptor number `descriptor`.

    `memory` says where a program gets an array: in device, pageable host or pinned host memory. Device memory
    is that of number `device`.

    For scalars `value` holds the bits, little endian, sign-extended or as IEEE bits of the dtype. For
    arrays it holds the bytes of the whole memory, which device memory cannot be mapped without.
    """

    dtype: str
    scalar: bool
    descriptor: int = 0
    offset: int = 0
    bytes: int = 0
    value: int = 0
    shape: tuple[int, ...] = ()
    memory: str = "device"
    device: int = 0


@dataclass(frozen=True, slots=True)
class Request:
    """One message from the host. `seed` is given to the oracle alone, and is 0 for runners.

    `sets` is the number of argument sets of TIME. `arguments` then describes the first. The descriptors of
    the arrays are the last ones, those of a set next to each other. `devices` is how many
    the program may use.
    """

    kind: RequestKind
    sequence: int
    arguments: tuple[WireArgument, ...] = ()
    time_limit_ms: int = 0
    flags: RunFlag = RunFlag.NONE
    seed: int = 0
    sets: int = 0
    devices: int = 1

    def pack(self) -> bytes:
        """Its REQUEST_BYTES bytes. Raises ValueError when it does not fit."""
        if len(self.arguments) > MAX_ARGUMENTS:
            raise ValueError(f"{len(self.arguments)} arguments, at most {MAX_ARGUMENTS} fit")
        head = _HEADER.pack(
            MAGIC,
            self.kind,
            self.sequence,
            len(self.arguments),
            self.time_limit_ms,
            self.flags,
            self.sets,
            self.seed & (2**64 - 1),
            self.seed >> 64,
            self.devices,
        )
        body = b"".join(_pack_argument(argument) for argument in self.arguments)
        return (head + body).ljust(REQUEST_BYTES, b"\0")

    @classmethod
    def unpack(cls, data: bytes) -> "Request":
        """Parse what `pack` made. Raises ValueError for anything else."""
        if len(data) != REQUEST_BYTES:
            raise ValueError(f"a request has {REQUEST_BYTES} bytes, got {len(data)}")
        magic, kind, sequence, count, limit, flags, sets, low, high, devices = _HEADER.unpack_from(data)
        if magic != MAGIC or count > MAX_ARGUMENTS:
            raise ValueError("not a request")
        arguments = tuple(
            _unpack_argument(data, _HEADER.size + index * _ARGUMENT.size) for index in range(count)
        )
        seed = low | high << 64
        return cls(RequestKind(kind), sequence, arguments, limit, RunFlag(flags), seed, sets, devices)


def _pack_argument(argument: WireArgument) -> bytes:
    if len(argument.shape) > MAX_RANK:
        raise ValueError(f"rank {len(argument.shape)}, at most {MAX_RANK}")
    return _ARGUMENT.pack(
        argument.scalar,
        DTYPE_CODES[argument.dtype],
        len(argument.shape),
        MEMORY_CODES[argument.memory],
        argument.descriptor,
        argument.device,
        argument.offset,
        argument.bytes,
        argument.value,
        *argument.shape,
        *(0,) * (MAX_RANK - len(argument.shape)),
    )


def _unpack_argument(data: bytes, at: int) -> WireArgument:
    scalar, code, rank, memory, descriptor, device, *rest = _ARGUMENT.unpack_from(data, at)
    offset, size, value, *shape = rest
    if code not in DTYPE_NAMES or rank > MAX_RANK or memory not in MEMORY_NAMES:
        raise ValueError("not an argument")
    return WireArgument(
        DTYPE_NAMES[code],
        bool(scalar),
        descriptor,
        offset,
        size,
        value,
        tuple(shape[:rank]),
        MEMORY_NAMES[memory],
        device,
    )


def send_request(channel: socket.socket, request: Request, descriptors: Sequence[int] = ()) -> None:
    """Send `request` with `descriptors` attached; they stay open here."""
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors).tobytes())]
    channel.sendmsg([request.pack()], rights if descriptors else [])


def receive_request(channel: socket.socket) -> tuple[Request, list[int]] | None:
    """Receive one request and its descriptors, or None if the host has closed the channel."""
    data, descriptors, _, _ = socket.recv_fds(channel, REQUEST_BYTES, MAX_DESCRIPTORS)
    return (Request.unpack(data), list(descriptors)) if data else None


def send_reply(channel: socket.socket, sequence: int) -> None:
    """Answer the request with that sequence number."""
    channel.send(_REPLY.pack(sequence))


def unpack_reply(data: bytes) -> int | None:
    """The sequence number in a reply, or None when it is not exactly eight bytes."""
    return _REPLY.unpack(data)[0] if len(data) == REPLY_BYTES else None
