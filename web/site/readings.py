"""The readings of the curriculum: one short page for each day, to read before its problem.

The texts and figures are in `web.learn`. This module knows only names, so that every page can link.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from django.urls import reverse


@dataclass(frozen=True, slots=True)
class Reading:
    """A page to read before the problem or quiz `slug` of a day.

    `unlinked` names the terms of GPU programming that its text uses in another sense.
    """

    day: int
    slug: str
    title: str
    unlinked: tuple[str, ...] = ()

    @property
    def url(self) -> str:
        """Return the address of its page."""
        return reverse("reading", args=[self.slug])


# In the order of the days.
READINGS: Mapping[str, Reading] = {
    reading.slug: reading
    for reading in (
        Reading(1, "device-arithmetic", "Peak rates of a GPU", ("Lane",)),
        Reading(2, "who-am-i", "The position of a thread"),
        Reading(3, "vector-add", "One thread for each element"),
        Reading(4, "box-blur", "Grids and blocks in two dimensions"),
        Reading(5, "shared-reverse", "From near memory to far memory"),
        Reading(6, "fix-tiled-product", "What a barrier promises"),
        Reading(7, "host-saxpy", "The way to the device and back", ("Lane",)),
        Reading(8, "read-a-profile", "From a profile to the next change"),
        Reading(9, "warp-divergence", "One instruction for 32 threads"),
        Reading(10, "occupancy-tuning", "How many warps fit on a multiprocessor"),
        Reading(11, "reduction-sum", "Many threads, one result"),
        Reading(12, "managed-vectors", "Memory that moves on demand"),
        Reading(13, "stream-overlap", "Copies and kernels at the same time"),
        Reading(14, "fix-the-stopwatch", "Clocks for work that does not wait"),
        Reading(15, "conflict-free-transpose", "The banks of shared memory"),
        Reading(16, "texture-lookup", "Two read-only memories"),
        Reading(17, "child-kernels", "Kernels that launch kernels"),
        Reading(18, "graph-replay", "Many launches in one call"),
        Reading(19, "fix-the-pipeline", "Gaps in a timeline", ("Thread",)),
        Reading(20, "sgemm-capstone", "Tiles at every level of memory"),
        Reading(21, "register-tiled-gemm", "Results that stay in registers"),
        Reading(22, "async-pipeline-gemm", "Load the next tile early"),
        Reading(23, "warp-rows", "Threads that read each other's registers"),
        Reading(24, "blelloch-scan", "Sums on the way up and down a tree"),
        Reading(25, "histogram", "Updates that compete"),
        Reading(26, "sobel-edges", "Windows that overlap"),
        Reading(27, "call-cublas", "Matrices stored by columns", ("Thread",)),
        Reading(28, "power-spectrum", "Frequencies of a signal"),
        Reading(29, "sum-by-key", "Algorithms from a library"),
        Reading(30, "triple-buffer", "Buffers that are used in turn"),
        Reading(31, "pinned-staging", "Pages that stay in place", ("Thread",)),
        Reading(32, "wmma-gemm", "Small matrices in a warp"),
        Reading(33, "mma-by-hand", "The registers of one instruction"),
        Reading(34, "graph-update", "A graph with changing values"),
        Reading(35, "peer-swap", "Copies without the host", ("Block", "Thread")),
        Reading(36, "grid-sync-stats", "A barrier for the whole grid"),
        Reading(37, "stream-ordered-alloc", "Memory in the order of a stream"),
        Reading(38, "three-slow-kernels", "From a metric to its cause"),
        Reading(39, "gemm-bias-gelu", "The epilogue of a product"),
        Reading(40, "conv-layer-capstone", "A matrix that is never stored"),
        Reading(41, "hello-extension", "An operator in two languages"),
        Reading(42, "gelu-operator", "Tensors of every layout"),
        Reading(43, "gelu-backward", "A derivative and what it needs"),
        Reading(44, "softmax", "Exponentials that cannot overflow"),
        Reading(45, "batch-norm", "Mean and variance of a channel"),
        Reading(46, "single-head-attention", "A weighted mean with computed weights"),
        Reading(47, "grouped-query-attention", "Query heads that share keys"),
        Reading(48, "flash-attention", "Attention in tiles"),
        Reading(49, "transformer-block", "The launches of a block", ("Block",)),
        Reading(50, "fold-batchnorm", "Two linear functions in one"),
        Reading(51, "qdq-export", "A graph that carries its scales"),
        Reading(52, "triton-matmul", "Programs that work on tiles"),
        Reading(53, "same-kernel-twice", "Two listings of one kernel"),
        Reading(54, "write-the-tuner", "A search with few measurements"),
        Reading(55, "compile-friendly", "A model as one graph"),
        Reading(56, "timeline-idle", "Time as a union of intervals"),
        Reading(57, "tensor-allocator", "Gaps between tensors", ("Block",)),
        Reading(58, "prefetch-loader", "Producers, a queue and a consumer", ("Thread",)),
        Reading(59, "dynamic-loss-scale", "The narrow range of float16"),
        Reading(60, "clip-loss", "Contrastive loss for pairs"),
        Reading(61, "magnitude-prune", "Selection instead of sorting"),
        Reading(62, "two-of-four", "A fixed pattern of zeros"),
        Reading(63, "distil-student", "An experiment within a budget"),
        Reading(64, "distillation-loss", "Soft targets and temperature", ("Divergence",)),
        Reading(65, "int8-outliers", "Columns of large activations"),
        Reading(66, "calibrate-scale", "Rounding against clipping"),
        Reading(67, "fake-quant", "Gradients through a rounding", ("Grid",)),
        Reading(68, "int4-pack", "A scale for each group of weights"),
        Reading(69, "int4-linear", "Weights that are decoded in registers"),
        Reading(70, "quantisation-error", "Errors by channel, size and shape"),
        Reading(71, "layer-bits", "Bits where they gain most"),
        Reading(72, "block-skip-int4", "One flag for many weights", ("Block",)),
        Reading(73, "hybrid-4-8", "Four products in one instruction"),
        Reading(74, "predict-decode", "The bytes of each token"),
        Reading(75, "quantised-vlm", "An image as tokens"),
        Reading(76, "qlora-linear", "A low-rank correction"),
        Reading(77, "fp8-block-gemm", "Small floats with block scales", ("Block",)),
        Reading(78, "static-int8-onnx", "Scales from sample data", ("Divergence",)),
        Reading(79, "choice-likelihood", "The likelihood of an answer"),
        Reading(80, "four-bit-student", "Training with rounded weights"),
        Reading(81, "ring-all-reduce", "Chunks that travel around a ring"),
        Reading(82, "ddp-buckets", "Sums of gradients during the backward pass"),
        Reading(83, "zero-optimiser", "An optimiser in shards"),
        Reading(84, "tensor-parallel-mlp", "Columns first, then rows", ("Block",)),
        Reading(85, "checkpointing", "Activations that are computed twice"),
        Reading(86, "fused-allreduce", "Many gradients in one message"),
        Reading(87, "elastic-training", "A state that survives a failure"),
        Reading(88, "mps-arithmetic", "Three ways to share a GPU"),
        Reading(89, "gpu-pod", "Containers that ask for a GPU", ("Shared memory",)),
        Reading(90, "write-the-tests", "Tests that fail for wrong programs"),
        Reading(91, "gpu-alerts", "Conditions that last"),
        Reading(92, "find-the-straggler", "Ranks that wait for the last one"),
        Reading(93, "continuous-batching", "A batch that changes at every step"),
        Reading(94, "canary", "A sum of evidence"),
        Reading(95, "harden-the-checker", "Programs that satisfy only the checker"),
        Reading(96, "batch-deadline", "The age of the oldest request"),
        Reading(97, "spot-planner", "Expected costs and interruptions"),
        Reading(98, "explain-a-kernel", "Claims with evidence", ("Thread",)),
        Reading(99, "mock-interview", "Estimates and kernels on paper", ("Lane",)),
        Reading(100, "tiny-llm", "Three programs and their interfaces"),
    )
}


def reading_of(slug: str) -> Reading | None:
    """Return the reading for the problem or quiz `slug`, None if there is none."""
    return READINGS.get(slug)
