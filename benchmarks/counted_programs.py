"""The programs for `benchmarks.counters_against_ncu`, and the file that carries them to a machine with a GPU.

The file contains the sources, the bindings, the bytes of the arguments, and the counters of functional mode.
So the machine with the GPU needs neither NumPy nor the packages of the problems.
"""

import base64
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

FORMAT = 1
# Accepted solutions, and correct ones that miss a requirement, with one kernel: up to two for each problem.
# Each runs on the largest small case of its problem. Their launches depend only on their arguments.
PROGRAMS = (
    "aos-to-soa/staged.cu records",
    "aos-to-soa/record-per-thread.cu records",
    "async-pipeline-gemm/two-buffers.cu primes",
    "async-pipeline-gemm/through-registers.cu primes",
    "batch-deadline/plain.cu full-warp",
    "batch-deadline/earliest.cu full-warp",
    "batch-norm/plain.cu several-shares",
    "blelloch-scan/one-block.cu prime",
    "block-skip-int4/tiles.cu wide-blocks",
    "block-skip-int4/plain.cu wide-blocks",
    "box-blur/fused-tile.cu prime",
    "canary/plain.cu long-trace",
    "canary/ballots.cu long-trace",
    "conflict-free-transpose/padded.cu tiles",
    "conflict-free-transpose/no-padding.cu tiles",
    "continuous-batching/steps.cu strict",
    "continuous-batching/events.cu strict",
    "conv-layer-capstone/plain.cu points",
    "conv-layer-capstone/shared-tiles.cu points",
    "convolution-2d/plain.cu even-kernel",
    "convolution-2d/tiled.cu even-kernel",
    "distillation-loss/plain.cu odd-classes",
    "distillation-loss/online.cu odd-classes",
    "fake-quant/plain.cu two-bits",
    "fake-quant/vectors.cu two-bits",
    "fix-tiled-product/guards.cu several-steps",
    "fix-tiled-product/clamped.cu several-steps",
    "flash-attention/quads.cu odd-causal",
    "flash-attention/warps.cu odd-causal",
    "gelu-backward/plain.cu one-more-than-a-block",
    "gelu-backward/sigmoid.cu one-more-than-a-block",
    "gemm-bias-gelu/tiles.cu hidden-layer",
    "gemm-bias-gelu/bands.cu hidden-layer",
    "grid-sync-stats/last-block.cu many-blocks",
    "grid-sync-stats/shifted-sums.cu many-blocks",
    "grouped-query-attention/plain.cu wide-head",
    "grouped-query-attention/warps.cu wide-head",
    "hybrid-4-8/plain.cu one-of-four-bits",
    "hybrid-4-8/scalar.cu one-of-four-bits",
    "im2col/plain.cu wide-windows",
    "im2col/window-per-thread.cu wide-windows",
    "int4-linear/plain.cu two-tokens",
    "int4-linear/warps.cu two-tokens",
    "int4-pack/plain.cu groups-of-32",
    "int4-pack/warps.cu groups-of-32",
    "jacobi-3d/planes.cu flat-and-wide",
    "jacobi-3d/plain.cu flat-and-wide",
    "layer-bits/plain.cu prime",
    "layer-bits/blocks.cu prime",
    "layer-norm/plain.cu almost-a-block",
    "layer-norm/welford.cu almost-a-block",
    "layernorm-dropout/plain.cu primes",
    "layernorm-dropout/counters.cu primes",
    "matrix-multiply/plain.cu just-over-tiles",
    "matrix-multiply/shared-tiles.cu just-over-tiles",
    "matrix-transpose/plain.cu just-over-tiles",
    "matrix-transpose/padded-tile.cu just-over-tiles",
    "mma-by-hand/ldmatrix.cu full-blocks",
    "mma-by-hand/scalar.cu full-blocks",
    "paged-attention/plain.cu huge-pages",
    "paged-attention/pages.cu huge-pages",
    "philox/plain.cu two-left-over",
    "philox/counters.cu two-left-over",
    "register-tiled-gemm/eight-by-eight.cu just-over-tiles",
    "register-tiled-gemm/one-by-one.cu just-over-tiles",
    "relu/plain.cu prime",
    "relu/float4.cu prime",
    "rgb-to-grayscale/plain.cu prime",
    "rgb-to-grayscale/four-pixels.cu prime",
    "sgemm-capstone/plain.cu just-over-tiles",
    "sgemm-capstone/shared-tiles.cu just-over-tiles",
    "shared-reverse/plain.cu more-than-a-block",
    "shared-reverse/direct.cu more-than-a-block",
    "single-head-attention/warps.cu odd-head",
    "single-head-attention/tiles.cu odd-head",
    "sobel-edges/wide-tile.cu tiles",
    "sobel-edges/plain.cu tiles",
    "softmax/plain.cu just-over-a-block",
    "spmv-csr/plain.cu primes",
    "spmv-csr/warp-per-row.cu primes",
    "spot-planner/plain.cu all-families",
    "spot-planner/warps.cu all-families",
    "strided-copy/plain.cu padded-rows",
    "strided-copy/merged.cu padded-rows",
    "texture-lookup/array.cu many-places",
    "texture-lookup/loads.cu many-places",
    "tf32-rounding/plain.cu prime",
    "tf32-rounding/instruction.cu prime",
    "two-of-four/plain.cu wide",
    "two-of-four/vector.cu wide",
    "vector-add/plain.cu prime",
    "vector-add/grid-stride.cu prime",
    "warp-divergence/select.cu hidden-mixed",
    "warp-divergence/branches.cu hidden-mixed",
    "warp-rows/plain.cu rows-of-512",
    "warp-rows/shared-tree.cu rows-of-512",
    "wmma-gemm/scalar.cu tall-by-wide",
)


@dataclass(frozen=True, slots=True)
class GivenArgument:
    """One argument of `solve`: an array in device memory, or a scalar. `data` are its bytes."""

    array: bool
    data: bytes


@dataclass(frozen=True, slots=True)
class CountedProgram:
    """A call of a program with one kernel, and the counters of functional mode by name."""

    name: str
    kernel: str
    source: str
    binding: str
    arguments: tuple[GivenArgument, ...]
    counts: Mapping[str, float]


def write_programs(path: Path, programs: Iterable[CountedProgram]) -> None:
    """Write `programs` for `read_programs`."""
    bodies = [
        {**asdict(one), "arguments": [[given.array, _packed(given.data)] for given in one.arguments]}
        for one in programs
    ]
    path.write_text(json.dumps({"format": FORMAT, "programs": bodies}, indent=1) + "\n", encoding="utf-8")


def read_programs(path: Path) -> tuple[CountedProgram, ...]:
    """The programs in a file of `write_programs`. Raises SystemExit if it is another file."""
    try:
        body = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SystemExit(f"{path} cannot be read: {error}. Write it with --engine-to.") from error
    if not isinstance(body, dict) or body.get("format") != FORMAT:
        raise SystemExit(f"{path} is not a file of this version. Write it again with --engine-to.")
    return tuple(
        CountedProgram(**{**one, "arguments": tuple(_arguments(one["arguments"]))})
        for one in body["programs"]
    )


def argument_file(arguments: Sequence[GivenArgument]) -> bytes:
    """The file that `kernels/call_once.h` reads."""
    parts = [_number(len(arguments))]
    for given in arguments:
        parts += [_number(given.array), _number(len(given.data)), given.data]
    return b"".join(parts)


def _number(value: int) -> bytes:
    return value.to_bytes(8, "little")


def _packed(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data)).decode("ascii")


def _arguments(bodies: Iterable[tuple[bool, str]]) -> Iterable[GivenArgument]:
    return (GivenArgument(array, zlib.decompress(base64.b64decode(text))) for array, text in bodies)
