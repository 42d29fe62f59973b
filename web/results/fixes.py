"""One sentence per kind of finding that says how to fix it.

The compiler's findings have advice of their own in their messages.
"""

from collections.abc import Mapping

from problems.vocabulary import DiagnosticKind

FIXES: Mapping[str, str] = {
    DiagnosticKind.BAD_FREE: "Free exactly the pointer that the allocation returned, once.",
    DiagnosticKind.BAD_MASK: "Put exactly the threads that reach the call into the mask.",
    DiagnosticKind.BANK_CONFLICT: "Pad the rows of the shared array by one element, or swap its indices.",
    DiagnosticKind.CANCELLATION: "Rewrite the formula, so that it subtracts before it squares or rounds.",
    DiagnosticKind.CONTENDED_ATOMIC: "Combine the values of a warp or block first. Update the address once.",
    DiagnosticKind.COPY_DIRECTION: "Pass the direction that matches the pointers, or cudaMemcpyDefault.",
    DiagnosticKind.DEADLOCK: "Let every thread of the block reach the same barrier.",
    DiagnosticKind.DIVERGENT_BARRIER: "Move the barrier out of the branch: every thread must reach it.",
    DiagnosticKind.DIVERGENT_BRANCH: "Let whole warps take the same side: branch on ranges of threads.",
    DiagnosticKind.DIVISION_BY_ZERO: "Check the divisor first.",
    DiagnosticKind.EXITED_THREADS: "Do not return before a barrier. Guard the work in between instead.",
    DiagnosticKind.DOUBLE_PRECISION: "Write literals and functions for float, such as 0.5f and powf.",
    DiagnosticKind.HALF_OVERFLOW: "Compute in float, and round the result to half at the end.",
    DiagnosticKind.HOST_ACCESS: "Arrays are in device memory. Read and write them in a kernel, or copy them.",
    DiagnosticKind.HOST_POINTER: "Pass pointers to device memory to kernels.",
    DiagnosticKind.ILLEGAL_ADDRESS: "Check the index against the size before the access.",
    DiagnosticKind.LAUNCH_BOUND: "Launch one grid that covers all rows, instead of one grid per row.",
    DiagnosticKind.LEAK: "Free every allocation before solve returns.",
    DiagnosticKind.LOW_OCCUPANCY: "Launch many blocks. Use a block size divisible by 32, such as 256.",
    DiagnosticKind.MEMORY: "Allocate less, or free what is no longer needed.",
    DiagnosticKind.MISALIGNED: "Cast only to types whose size divides the address.",
    DiagnosticKind.MISALIGNED_VECTORS: "Start the accesses of each warp at a multiple of 32 bytes.",
    DiagnosticKind.NEEDLESS_WAIT: "Launch the next kernel without a wait: a stream keeps the order.",
    DiagnosticKind.NO_KERNEL: "Launch a kernel in solve.",
    DiagnosticKind.NULL_POINTER: "Check that the allocation succeeded and that the pointer was set.",
    DiagnosticKind.OUT_OF_BOUNDS: "Check the index against the size before the access.",
    DiagnosticKind.PAGEABLE_COPY: "Allocate the memory of the host with cudaMallocHost.",
    DiagnosticKind.PEER_ACCESS: "Enable peer access from the device that runs the kernel to the other one.",
    DiagnosticKind.RACE: "Put a barrier between the accesses, or use an atomic operation.",
    DiagnosticKind.REORDERED_READ: "Use a release write and an acquire read for the flag.",
    DiagnosticKind.REDUNDANT_LOADS: "Load a tile into shared memory once and read it from there.",
    DiagnosticKind.RESOURCES: "Use fewer threads per block or less shared memory.",
    DiagnosticKind.ROUNDED_SUM: "Add in blocks or pairwise, or use a wider type for the sum.",
    DiagnosticKind.SHUFFLE_SOURCE: "Shuffle only from lanes that take part in the call.",
    DiagnosticKind.SPILLS: "Keep fewer values per thread, or allow more registers in __launch_bounds__.",
    DiagnosticKind.STACK_OVERFLOW: "Recurse less deeply, or make local arrays smaller.",
    DiagnosticKind.STREAM_HAZARD: "Let the second stream wait for an event after the first, or synchronise.",
    DiagnosticKind.TAIL: "Use smaller blocks, or as many blocks as fit at once, each with a loop.",
    DiagnosticKind.TENSOR_CORES: "Compute tiles of the product with wmma or mma.sync.",
    DiagnosticKind.UNCOALESCED: "Let threads with consecutive threadIdx.x access consecutive elements.",
    DiagnosticKind.UNINITIALISED: "Write the memory before it is read.",
    DiagnosticKind.USE_AFTER_FREE: "Free the memory after its last use.",
    DiagnosticKind.WILD_POINTER: "Compute addresses from the arrays that solve gets or allocates.",
}


def fix_for(kind: str) -> str:
    """Return how to fix a finding of `kind`, empty if nothing general can be said."""
    return FIXES.get(kind, "")
