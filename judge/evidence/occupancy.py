"""Computes the occupancy of a kernel: resident warps per multiprocessor, and what limits them.

Source: CUDA C++ Programming Guide, "Compute Capabilities", technical specifications; and, for the allocation
of registers and shared memory, `cuda_occupancy.h` of the CUDA Toolkit. Clusters are ignored, and so are
registers that a program releases while it runs.
"""

from collections.abc import Mapping
from dataclasses import dataclass

WARP_THREADS = 32
MAX_BLOCK_THREADS = 1024
_MAX_REGISTERS = 256  # of a thread, as checked at launch; programs use at most 255
_REGISTERS = 65536  # of a multiprocessor, and of a block
_REGISTER_UNIT = 256  # a warp gets a multiple of it
_PARTITIONS = 4  # each has its own registers and its own warps
_KIB = 1024


@dataclass(frozen=True, slots=True)
class Multiprocessor:
    """Resources of a multiprocessor, by compute capability.

    A block may have `block_shared_bytes` of shared memory. The system reserves `reserved_bytes` more per
    block and rounds up to `shared_unit_bytes`.
    """

    max_warps: int
    max_blocks: int
    shared_bytes: int
    block_shared_bytes: int
    reserved_bytes: int = _KIB
    shared_unit_bytes: int = 128


_VOLTA = Multiprocessor(64, 32, 96 * _KIB, 96 * _KIB, reserved_bytes=0, shared_unit_bytes=256)
_TURING = Multiprocessor(32, 16, 64 * _KIB, 64 * _KIB, reserved_bytes=0, shared_unit_bytes=256)
_HOPPER = Multiprocessor(64, 32, 228 * _KIB, 227 * _KIB)
_BLACKWELL = Multiprocessor(48, 24, 100 * _KIB, 99 * _KIB)
MULTIPROCESSORS: Mapping[tuple[int, int], Multiprocessor] = {
    (7, 0): _VOLTA,
    (7, 5): _TURING,
    (8, 0): Multiprocessor(64, 32, 164 * _KIB, 163 * _KIB),
    (8, 6): Multiprocessor(48, 16, 100 * _KIB, 99 * _KIB),
    (8, 7): Multiprocessor(48, 16, 164 * _KIB, 163 * _KIB),
    (8, 9): Multiprocessor(48, 24, 100 * _KIB, 99 * _KIB),
    (9, 0): _HOPPER,
    (10, 0): _HOPPER,
    (10, 3): _HOPPER,
    (11, 0): Multiprocessor(48, 24, 228 * _KIB, 227 * _KIB),
    (12, 0): _BLACKWELL,
    (12, 1): _BLACKWELL,
}


@dataclass(frozen=True, slots=True)
class Occupancy:
    """Occupancy of one multiprocessor by a launch: `blocks` resident blocks, `warps` of `max_warps` warps.

    `limited_by` names the limiting resources: `warps`, `blocks`, `registers`, `shared memory`. If `blocks` is
    0, the GPU rejects the launch.
    """

    blocks: int
    warps: int
    max_warps: int
    limited_by: tuple[str, ...]

    @property
    def percent(self) -> float:
        """Resident warps, as a percentage of `max_warps`."""
        return 100 * self.warps / self.max_warps


def occupancy(
    capability: tuple[int, int], *, registers: int, shared_bytes: int, threads: int
) -> Occupancy | None:
    """Return the theoretical occupancy of blocks of `threads` on a GPU of `capability`, None if unknown.

    `registers` is per thread. `shared_bytes` is static plus dynamic shared memory, per block.
    """
    has = MULTIPROCESSORS.get(capability)
    if has is None or threads < 1 or registers < 0 or shared_bytes < 0:
        return None
    warps = -(-threads // WARP_THREADS)
    limits = {
        "warps": has.max_warps // warps if threads <= MAX_BLOCK_THREADS else 0,
        "blocks": has.max_blocks,
        "registers": _by_registers(registers, warps),
        "shared memory": _by_shared_memory(has, shared_bytes),
    }
    blocks = min(limits.values())
    limited_by = tuple(name for name, limit in limits.items() if limit == blocks)
    return Occupancy(blocks, blocks * warps, has.max_warps, limited_by)


def _by_registers(registers: int, warps: int) -> int:
    """Return how many blocks the registers allow. Each warp uses the registers of one partition."""
    if registers == 0:
        return _REGISTERS  # so large that another resource is the limit
    of_warp = _round_up(registers * WARP_THREADS, _REGISTER_UNIT)
    # The check of a launch assumes that all partitions get the same number of warps.
    if registers > _MAX_REGISTERS or of_warp * _round_up(warps, _PARTITIONS) > _REGISTERS:
        return 0
    return _REGISTERS // _PARTITIONS // of_warp * _PARTITIONS // warps


def _by_shared_memory(has: Multiprocessor, shared_bytes: int) -> int:
    """Return how many blocks the shared memory allows, at its largest share of the cache."""
    if shared_bytes > has.block_shared_bytes:
        return 0
    taken = _round_up(shared_bytes + has.reserved_bytes, has.shared_unit_bytes)
    return has.shared_bytes // taken if taken else has.shared_bytes


def _round_up(value: int, unit: int) -> int:
    return -(-value // unit) * unit
