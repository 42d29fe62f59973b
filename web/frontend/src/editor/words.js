// Words of CUDA C++ and Triton that the languages' own grammars do not know, with what they mean.

const device = (label, info) => ({ label, type: "keyword", info });
const variable = (label, info) => ({ label, type: "variable", info });
const call = (label, detail, info) => ({ label, type: "function", detail, info });

export const CUDA = [
  device("__global__", "A kernel: runs on the device, launched from the host."),
  device("__device__", "Runs on the device, called from the device; or a variable in global memory."),
  device("__host__", "Runs on the host."),
  device("__shared__", "One copy per block, in on-chip memory."),
  device("__constant__", "Read-only device memory, cached and broadcast."),
  device("__managed__", "A variable that host and device both reach."),
  device("__restrict__", "No other pointer reaches this memory."),
  device("__launch_bounds__", "__launch_bounds__(max threads per block, min blocks per SM)"),
  device("__forceinline__", "Always inlined."),
  device("__noinline__", "Never inlined."),
  variable("threadIdx", "Index of the thread in its block: .x .y .z"),
  variable("blockIdx", "Index of the block in the grid: .x .y .z"),
  variable("blockDim", "Threads per block: .x .y .z"),
  variable("gridDim", "Blocks per grid: .x .y .z"),
  variable("warpSize", "Threads per warp: 32."),
  call("__syncthreads", "()", "Waits for all threads of the block; orders their memory accesses."),
  call("__syncwarp", "(mask)", "Waits for the threads of the warp in mask."),
  call("__threadfence", "()", "Orders this thread's writes before its later ones, for the whole device."),
  call("__threadfence_block", "()", "The same, for the block."),
  call("__shfl_sync", "(mask, value, lane)", "The value that another lane of the warp holds."),
  call("__shfl_down_sync", "(mask, value, delta)", "The value of the lane delta above."),
  call("__shfl_up_sync", "(mask, value, delta)", "The value of the lane delta below."),
  call("__shfl_xor_sync", "(mask, value, lanemask)", "The value of the lane with bits flipped: a butterfly."),
  call("__ballot_sync", "(mask, predicate)", "One bit per lane: where predicate is true."),
  call("__all_sync", "(mask, predicate)", "Whether predicate holds in all lanes."),
  call("__any_sync", "(mask, predicate)", "Whether predicate holds in any lane."),
  call("__activemask", "()", "The lanes that are active here."),
  call("__popc", "(x)", "Number of set bits."),
  call("__clz", "(x)", "Number of leading zero bits."),
  call("__ldg", "(pointer)", "Loads through the read-only cache."),
  call("__float2int_rn", "(x)", "Rounds to the nearest integer, ties to even."),
  call("__fdividef", "(x, y)", "Fast, approximate division."),
  call("__expf", "(x)", "Fast, approximate exponential."),
  call("atomicAdd", "(address, value)", "Adds atomically; returns the old value."),
  call("atomicMax", "(address, value)", "Maximum, atomically; returns the old value."),
  call("atomicMin", "(address, value)", "Minimum, atomically; returns the old value."),
  call("atomicExch", "(address, value)", "Exchanges atomically; returns the old value."),
  call("atomicCAS", "(address, compare, value)", "Compare and swap; returns the old value."),
  call("rsqrtf", "(x)", "1 / sqrt(x)."),
  call("fmaf", "(x, y, z)", "x * y + z with one rounding."),
  call("cudaMalloc", "(&pointer, bytes)", "Allocates device memory."),
  call("cudaMallocAsync", "(&pointer, bytes, stream)", "Allocates in stream order."),
  call("cudaFree", "(pointer)", "Frees device memory."),
  call("cudaMemcpy", "(to, from, bytes, kind)", "Copies; waits for the host's side."),
  call("cudaMemcpyAsync", "(to, from, bytes, kind, stream)", "Copies in stream order."),
  call("cudaMemset", "(pointer, byte, bytes)", "Sets every byte."),
  call("cudaMemsetAsync", "(pointer, byte, bytes, stream)", "Sets every byte in stream order."),
  call("cudaDeviceSynchronize", "()", "Waits for all work on the device."),
  call("cudaGetLastError", "()", "The last launch's error, which it clears."),
  call("cudaFuncSetAttribute", "(kernel, attribute, value)", "For example more dynamic shared memory."),
  { label: "dim3", type: "class", info: "Three extents: dim3(x, y, z)." },
  { label: "float4", type: "class", info: "Four floats, loaded in one 16-byte access when aligned." },
  { label: "float2", type: "class", info: "Two floats, loaded in one 8-byte access when aligned." },
  { label: "cudaStream_t", type: "class", info: "A queue of device work." },
  { label: "cudaError_t", type: "class", info: "What a runtime call answers; cudaSuccess is 0." },
  { label: "cooperative_groups", type: "namespace", info: "#include <cooperative_groups.h>" },
];

export const TRITON = [
  call("triton.jit", "", "Decorator: compiles the function as a kernel."),
  call("triton.autotune", "(configs, key)", "Decorator: times several configurations."),
  call("triton.cdiv", "(x, y)", "x / y, rounded up."),
  call("triton.next_power_of_2", "(n)", "The smallest power of two that is at least n."),
  call("tl.program_id", "(axis)", "Index of this program in the grid."),
  call("tl.num_programs", "(axis)", "Programs along that axis."),
  call("tl.arange", "(start, end)", "Consecutive integers; end - start is a power of two."),
  call("tl.load", "(pointers, mask, other)", "Loads a block; other where mask is false."),
  call("tl.store", "(pointers, value, mask)", "Stores a block where mask is true."),
  call("tl.zeros", "(shape, dtype)", "A block of zeros."),
  call("tl.full", "(shape, value, dtype)", "A block of one value."),
  call("tl.dot", "(a, b, acc)", "Matrix product of two blocks."),
  call("tl.sum", "(x, axis)", "Sum along an axis."),
  call("tl.max", "(x, axis)", "Maximum along an axis."),
  call("tl.min", "(x, axis)", "Minimum along an axis."),
  call("tl.argmax", "(x, axis)", "Index of the maximum along an axis."),
  call("tl.cumsum", "(x, axis)", "Inclusive scan along an axis."),
  call("tl.associative_scan", "(x, axis, combine)", "Scan with a function of your own."),
  call("tl.reduce", "(x, axis, combine)", "Reduction with a function of your own."),
  call("tl.sort", "(x, dim)", "Sorts along a dimension."),
  call("tl.where", "(condition, x, y)", "x where condition is true, else y."),
  call("tl.maximum", "(x, y)", "Element-wise maximum."),
  call("tl.minimum", "(x, y)", "Element-wise minimum."),
  call("tl.exp", "(x)", "Element-wise exponential."),
  call("tl.log", "(x)", "Element-wise natural logarithm."),
  call("tl.sqrt", "(x)", "Element-wise square root."),
  call("tl.rsqrt", "(x)", "Element-wise 1 / sqrt(x)."),
  call("tl.sigmoid", "(x)", "Element-wise 1 / (1 + exp(-x))."),
  call("tl.trans", "(x)", "Transposes a block."),
  call("tl.reshape", "(x, shape)", "The same elements in another shape."),
  call("tl.histogram", "(x, bins)", "Counts of the values 0 to bins - 1."),
  call("tl.atomic_add", "(pointers, value, mask)", "Adds atomically; returns the old values."),
  call("tl.atomic_max", "(pointers, value, mask)", "Maximum, atomically."),
  call("tl.static_range", "(end)", "A loop that is unrolled."),
  call("tl.range", "(start, end, step)", "A loop that may be pipelined."),
  { label: "tl.constexpr", type: "type", info: "A parameter known when the kernel is compiled." },
  { label: "tl.float32", type: "type" },
  { label: "tl.float16", type: "type" },
  { label: "tl.int32", type: "type" },
  { label: "tl.int64", type: "type" },
];

const ESCAPE = /[.*+?^${}()|[\]\\]/g;

/** A global pattern that finds the words of `list` as whole words. */
export function pattern(list) {
  const words = list.map(({ label }) => label.replace(ESCAPE, String.raw`\$&`)).sort((a, b) => b.length - a.length);
  return new RegExp(String.raw`(?<![\w.])(?:${words.join("|")})(?!\w)`, "g");
}

/** Completions for the word that ends `text`, or null when there is no word and none was asked for. */
export function complete(list, text, { explicit }) {
  const word = /[\w.]*$/.exec(text)[0];
  if (!word && !explicit) return null;
  return { length: word.length, options: list };
}
