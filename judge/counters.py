"""The counters of one call of a program: their names, their values, and the code that causes these."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from judge.evidence.occupancy import occupancy
from judge.evidence.sums import Event, LaunchShape, Sum, Sums
from judge.sizes import bytes_of
from problems.binding_python import call_of
from problems.schema import Case, Problem, Requirement
from problems.vocabulary import Counter, Role
from sandbox.cpu.counting import COMPILED

# On any host, registers and occupancy refer to the GPU that functional mode compiles for.
CAPABILITY = (8, 0)
_SECTOR_BYTES = 32
_TOO_MUCH = "The program did more than functional mode counts, so the requirement cannot be checked."
_UNKNOWN = (
    "The resources of its kernels are unknown: ptxas cannot compile this program for compute capability 8.0."
)
_ON_HOST = (
    "The program moves its inputs to memory of the host and its outputs from there, so host code can compute "
    "them. The requirement needs a program that computes on the device."
)
_MANY_SHAPES = "The program has more different launches than functional mode compares."
_NO_BACKWARD = (
    "Nothing was counted: define what the problem asks for instead of solve, so that the judge starts the "
    "backward pass."
)
_NAMES = {
    Counter.GLOBAL_SECTORS_PER_REQUEST: "Sectors per global request",
    Counter.GLOBAL_LOAD_SECTORS_PER_REQUEST: "Sectors per global load",
    Counter.GLOBAL_STORE_SECTORS_PER_REQUEST: "Sectors per global store",
    Counter.GLOBAL_SECTORS_RATIO: "Global sectors, as a multiple of the fewest for the same bytes",
    Counter.GLOBAL_BYTES_RATIO: "Global bytes moved, as a multiple of the bytes needed",
    Counter.PLAIN_LOAD_BYTES_RATIO: "Bytes of global loads without cp.async and textures, "
    "as a multiple of the bytes needed",
    Counter.TEXTURE_SECTORS_PER_REQUEST: "Sectors per texture fetch",
    Counter.GLOBAL_VECTOR_REQUESTS: "Global requests of 16 bytes per lane",
    Counter.SHARED_WAVEFRONTS_PER_REQUEST: "Wavefronts per shared memory request",
    Counter.SHARED_WAVEFRONTS_RATIO: "Shared memory wavefronts, as a multiple of the fewest",
    Counter.SHARED_REQUESTS: "Requests to shared memory",
    Counter.DIVERGENT_BRANCHES: "Share of branches that split a warp",
    Counter.ATOMIC_REQUESTS: "Atomic requests",
    Counter.ATOMIC_LANES_PER_ADDRESS: "Lanes of an atomic request at one address",
    Counter.LAUNCHES: "Kernel launches",
    Counter.BUSIEST_BLOCK_SHARE: "Share of the requests to global memory that one block makes",
    Counter.BUSIEST_LAUNCH_SHARE: "Share of the requests to global memory that one launch makes",
    Counter.BARRIERS_PER_BLOCK: "Barriers per block",
    Counter.TENSOR_INSTRUCTIONS: "Tensor core instructions",
    Counter.LDMATRIX_INSTRUCTIONS: "ldmatrix instructions",
    Counter.ASYNC_COPY_INSTRUCTIONS: "cp.async instructions",
    Counter.SHUFFLE_INSTRUCTIONS: "Shuffle instructions",
    Counter.REDUCTION_INSTRUCTIONS: "redux instructions",
    Counter.DOT_PRODUCT_INSTRUCTIONS: "dp4a and dp2a instructions",
    Counter.TEXTURE_INSTRUCTIONS: "Texture fetches",
    Counter.SPECIAL_INSTRUCTIONS: "Special function instructions",
    Counter.DOUBLE_INSTRUCTIONS: "Double precision instructions",
    Counter.FMA_INSTRUCTIONS: "FMA instructions in float32",
    Counter.SHARED_LOAD_INSTRUCTIONS: "Loads from shared memory without ldmatrix",
    Counter.MULTIPLY_INSTRUCTIONS: "Multiplications outside tensor cores and dot products",
    Counter.FMA_PER_SHARED_REQUEST: "FMA instructions per shared memory request",
    Counter.REGISTERS_PER_THREAD: "Registers per thread",
    Counter.SPILLED_BYTES: "Spilled bytes",
    Counter.LOCAL_BYTES_PER_THREAD: "Bytes of local memory per thread",
    Counter.SHARED_BYTES_PER_BLOCK: "Bytes of shared memory per block",
    Counter.OCCUPANCY: "Theoretical occupancy on compute capability 8.0",
    Counter.DEVICE_MEMORY_PEAK: "Peak bytes of allocated device memory",
    Counter.UNFREED_ALLOCATIONS: "Allocations that are not freed",
    Counter.HOST_SYNCHRONISATIONS: "Waits of the host for the device",
    Counter.COPIES_TO_DEVICE: "Copies to the device",
    Counter.COPIES_TO_HOST: "Copies to the host",
    Counter.COPIES_ON_DEVICE: "Copies within the device",
    Counter.BYTES_TO_DEVICE: "Bytes copied to the device",
    Counter.BYTES_TO_HOST: "Bytes copied to the host",
    Counter.COPIES_BETWEEN_DEVICES: "Copies between devices",
    Counter.BYTES_BETWEEN_DEVICES: "Bytes copied between devices",
    Counter.STAGED_BYTES: "Bytes copied between devices without peer access",
    Counter.PEER_BYTES: "Bytes that kernels access in memory of other devices",
    Counter.PAGEABLE_COPIES: "Copies from or to pageable memory",
    Counter.LARGEST_COPY_BYTES: "Bytes of the largest copy between host and device",
    Counter.PIPELINE_SPAN_RATIO: "Span of copies and kernels, as a multiple of the bytes needed",
    Counter.HOST_MEMORY_REQUESTS: "Accesses of kernels to memory that the host can use",
    Counter.DEVICE_ALLOCATIONS: "Allocations of device memory outside streams",
    Counter.STREAM_ORDERED_ALLOCATIONS: "Stream-ordered allocations",
    Counter.PINNED_ALLOCATIONS: "Allocations of pinned memory",
    Counter.MANAGED_ALLOCATIONS: "Allocations of managed memory",
    Counter.DEVICE_FREES: "Frees of device memory outside streams",
    Counter.STREAM_ORDERED_FREES: "Stream-ordered frees",
    Counter.KERNEL_STREAMS: "Streams that run kernels",
    Counter.EVENT_RECORDS: "Records of events",
    Counter.STREAM_WAITS: "Waits of streams for events",
    Counter.TIMED_LAUNCHES: "Kernels between two events whose times are compared",
    Counter.GRAPH_INSTANTIATIONS: "Instantiations of graphs",
    Counter.GRAPH_LAUNCHES: "Graph launches",
    Counter.LAUNCHES_OUTSIDE_GRAPHS: "Kernel launches outside graphs",
    Counter.COOPERATIVE_LAUNCHES: "Cooperative launches",
    Counter.DEVICE_LAUNCHES: "Kernel launches from device code",
    Counter.SAVED_BYTES_RATIO: "Bytes kept for the backward pass, as a multiple of those of the inputs",
    Counter.CUSTOM_OPERATORS: "Custom operators that the call uses",
    Counter.OPERATOR_FAULTS: "Tests of torch.library.opcheck that custom operators fail",
    Counter.GRAPH_BREAKS: "Graph breaks of the call under torch.compile",
    Counter.COLLECTIVES: "Collectives of a rank",
    Counter.MESSAGES: "Messages that a rank sends",
    Counter.SENT_BYTES: "Bytes that a rank passes to collectives and sends",
}


@dataclass(frozen=True, slots=True)
class Figure:
    """The value of a counter, with the line or the call that contributes most to it.

    The value is None if it is unknown. `why` then gives the reason.
    """

    value: float | None
    line: int | None = None
    call: str = ""
    why: str = ""


def counter_name(counter: str) -> str:
    """Return the name of a counter in texts for users."""
    return _NAMES[Counter(counter)]


def compiled_counters(requirements: Iterable[Requirement]) -> tuple[str, ...]:
    """Return the counters that programs must be compiled for, in a fixed order."""
    needed = {_PART_OF.get(requirement.counter, requirement.counter).value for requirement in requirements}
    return tuple(sorted(needed & COMPILED))


def measure(problem: Problem, case: Case, counter: Counter, sums: Sums) -> Figure:
    """Return the figure of `counter` in a call on `case`."""
    if counter not in _OF_TRANSFERS and _computed_on_host(problem, case, sums):
        return Figure(None, why=_ON_HOST)
    if counter in _OF_SHAPES:
        return _of_shapes(_OF_SHAPES[counter], counter, sums.shapes)
    if counter in _OF_MEMORY:
        needed = problem.bytes_moved.number(case.sizes)
        return _OF_MEMORY[counter](sums, needed) if sums.complete else Figure(None, why=_TOO_MUCH)
    if counter is Counter.SAVED_BYTES_RATIO:
        return _saved(problem, case, sums)
    if counter in _OF_LAUNCHES:
        return Figure(_OF_LAUNCHES[counter](sums))
    return _event(sums, counter)


def _computed_on_host(problem: Problem, case: Case, sums: Sums) -> bool:
    """Return whether enough bytes moved to the host and back that host code may have computed the outputs.

    This requires at least half of the input bytes to the host and all output bytes from the host, by copies
    or by kernels that access host memory. Bytes that the host passes on unchanged do not count, as in copies
    from one device to another through the host. Requirements on kernels only see the work of the device.
    """
    arrays = [argument for argument in problem.arguments if argument.role is not Role.SCALAR]
    if any(argument.memory.on_host for argument in arrays):
        return False
    taken = sum(bytes_of(a, case.sizes) for a in arrays if a.role is not Role.OUT)
    given = sum(bytes_of(a, case.sizes) for a in arrays if a.role is not Role.IN)
    by_kernels = _SECTOR_BYTES * sums.host.units
    to_host = sums.events.get(Counter.BYTES_TO_HOST, Event()).amount + by_kernels
    to_device = sums.events.get(Counter.BYTES_TO_DEVICE, Event()).amount + by_kernels - sums.relayed_bytes
    return taken > 0 and 2 * to_host >= taken and to_device >= given


def _of_shapes(
    value: Callable[[LaunchShape], float | None], counter: Counter, shapes: tuple[LaunchShape, ...] | None
) -> Figure:
    """Return the worst figure of all launches: the lowest occupancy, the highest value of others."""
    if shapes is None:
        return Figure(None, why=_MANY_SHAPES)
    known = [(found, shape.line) for shape in shapes if (found := value(shape)) is not None]
    if len(known) != len(shapes):
        return Figure(None, why=_UNKNOWN)
    if not known:
        return Figure(0)
    choose = min if counter is Counter.OCCUPANCY else max
    worst, line = choose(known, key=lambda found: found[0])
    return Figure(worst, line)


def _occupancy(shape: LaunchShape) -> float | None:
    if shape.registers is None:
        return None
    found = occupancy(
        CAPABILITY, registers=shape.registers, shared_bytes=shape.shared_bytes, threads=shape.threads
    )
    return found.warps / found.max_warps if found else None


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _saved(problem: Problem, case: Case, sums: Sums) -> Figure:
    if sums.saved_bytes is None:
        return Figure(None, why=_NO_BACKWARD)
    return Figure(_ratio(sums.saved_bytes, _given_bytes(problem, case)))


def _given_bytes(problem: Problem, case: Case) -> int:
    """Return the bytes of the input arrays that Python programs receive, without parameters of modules."""
    given = call_of(problem).given.names
    return sum(
        bytes_of(argument, case.sizes)
        for argument in problem.arguments
        if argument.role is Role.IN and argument.name in given
    )


def _together(*parts: Sum) -> Sum:
    worst = max(parts, key=lambda found: (found.units - found.fewest, found.units))
    return Sum(
        sum(part.requests for part in parts),
        sum(part.units for part in parts),
        sum(part.fewest for part in parts),
        worst.line,
    )


def _accesses(sums: Sums) -> Sum:
    """Return the sum of loads and stores of global memory."""
    return _together(sums.global_load, sums.global_store)


def _moved(sums: Sums) -> Sum:
    """Return the sum of all accesses that move sectors of device memory, by any instruction or call."""
    return _together(sums.global_load, sums.global_store, sums.texture, sums.global_atomic, sums.copied)


def _plain_loads(sums: Sums) -> Sum:
    """Return the loads of global memory without asynchronous copies."""
    every, copies = sums.global_load, sums.async_load
    return Sum(
        every.requests - copies.requests, every.units - copies.units, every.fewest - copies.fewest, every.line
    )


def _per_request(found: Sum) -> Figure:
    return Figure(_ratio(found.units, found.requests), found.line)


def _per_fewest(found: Sum) -> Figure:
    return Figure(_ratio(found.units, found.fewest), found.line)


def _requests(found: Sum) -> Figure:
    return Figure(found.requests, found.busiest_line)


def _bytes_ratio(found: Sum, needed: float) -> Figure:
    return Figure(_ratio(_SECTOR_BYTES * found.units, needed), found.line)


def _fma_per_shared_request(sums: Sums) -> Figure:
    fma = sums.events.get(Counter.FMA_INSTRUCTIONS, Event())
    return Figure(_ratio(fma.amount, sums.shared.requests), sums.shared.busiest_line)


def _event(sums: Sums, counter: Counter) -> Figure:
    event = sums.events.get(counter, Event())
    return Figure(event.amount, event.line, event.call)


_PART_OF = {Counter.FMA_PER_SHARED_REQUEST: Counter.FMA_INSTRUCTIONS}
# How bytes reach the host. These counters do not depend on what computes.
_OF_TRANSFERS = frozenset(
    (
        *(Counter.COPIES_TO_DEVICE, Counter.COPIES_TO_HOST, Counter.BYTES_TO_DEVICE, Counter.BYTES_TO_HOST),
        *(Counter.STAGED_BYTES, Counter.PINNED_ALLOCATIONS, Counter.MANAGED_ALLOCATIONS),
        Counter.HOST_MEMORY_REQUESTS,
    )
)
_OF_SHAPES: Mapping[Counter, Callable[[LaunchShape], float | None]] = {
    Counter.REGISTERS_PER_THREAD: lambda shape: shape.registers,
    Counter.SPILLED_BYTES: lambda shape: shape.spilled_bytes,
    Counter.LOCAL_BYTES_PER_THREAD: lambda shape: shape.local_bytes,
    Counter.SHARED_BYTES_PER_BLOCK: lambda shape: shape.shared_bytes,
    Counter.OCCUPANCY: _occupancy,
}
_OF_LAUNCHES: Mapping[Counter, Callable[[Sums], float]] = {
    Counter.LAUNCHES: lambda sums: sums.launches,
    Counter.BARRIERS_PER_BLOCK: lambda sums: _ratio(sums.barriers, sums.blocks),
}
# The engine counts accesses and branches up to a bound, and everything else without a bound. The number is
# the bytes that the problem needs.
_OF_MEMORY: Mapping[Counter, Callable[[Sums, float], Figure]] = {
    Counter.GLOBAL_BYTES_RATIO: lambda sums, needed: _bytes_ratio(_moved(sums), needed),
    Counter.PLAIN_LOAD_BYTES_RATIO: lambda sums, needed: _bytes_ratio(_plain_loads(sums), needed),
    Counter.TEXTURE_SECTORS_PER_REQUEST: lambda sums, _: _per_request(sums.texture),
    Counter.HOST_MEMORY_REQUESTS: lambda sums, _: _requests(sums.host),
    Counter.PEER_BYTES: lambda sums, _: _event(sums, Counter.PEER_BYTES),
    Counter.PIPELINE_SPAN_RATIO: lambda sums, needed: Figure(_ratio(sums.pipeline_span, needed)),
    Counter.BUSIEST_BLOCK_SHARE: lambda sums, _: Figure(_ratio(sums.busiest_block, sums.kernel_requests)),
    Counter.BUSIEST_LAUNCH_SHARE: lambda sums, _: Figure(_ratio(sums.busiest_launch, sums.kernel_requests)),
    Counter.GLOBAL_SECTORS_PER_REQUEST: lambda sums, _: _per_request(_accesses(sums)),
    Counter.GLOBAL_LOAD_SECTORS_PER_REQUEST: lambda sums, _: _per_request(sums.global_load),
    Counter.GLOBAL_STORE_SECTORS_PER_REQUEST: lambda sums, _: _per_request(sums.global_store),
    Counter.GLOBAL_SECTORS_RATIO: lambda sums, _: _per_fewest(_moved(sums)),
    Counter.GLOBAL_VECTOR_REQUESTS: lambda sums, _: _event(sums, Counter.GLOBAL_VECTOR_REQUESTS),
    Counter.SHARED_WAVEFRONTS_PER_REQUEST: lambda sums, _: _per_request(sums.shared),
    Counter.SHARED_WAVEFRONTS_RATIO: lambda sums, _: _per_fewest(sums.shared),
    Counter.SHARED_REQUESTS: lambda sums, _: _requests(sums.shared),
    Counter.FMA_PER_SHARED_REQUEST: lambda sums, _: _fma_per_shared_request(sums),
    Counter.DIVERGENT_BRANCHES: lambda sums, _: _per_request(sums.branch),
    Counter.ATOMIC_REQUESTS: lambda sums, _: _requests(sums.atomic),
    Counter.ATOMIC_LANES_PER_ADDRESS: lambda sums, _: _per_request(sums.atomic),
}
