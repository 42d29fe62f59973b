"""Names that CUDA programs use: suggestions for unknown names, and the headers that declare them."""

import difflib
from collections.abc import Iterable

# Declared without an include.
BUILT_IN = tuple(
    """
    threadIdx blockIdx blockDim gridDim warpSize dim3 float2 float3 float4 double2 int2 int3 int4 uint3 uint4
    make_float2 make_float3 make_float4 make_double2 make_int2 make_int4
    __syncthreads __syncthreads_count __syncthreads_and __syncthreads_or __syncwarp __threadfence
    __threadfence_block __threadfence_system __shfl_sync __shfl_up_sync __shfl_down_sync __shfl_xor_sync
    __ballot_sync __all_sync __any_sync __activemask __popc __ffs __clz __ldg __restrict__ __shared__
    __device__ __global__ __host__ __constant__ __launch_bounds__ __forceinline__ __float_as_int
    __int_as_float __float2int_rn __expf __logf __sinf __cosf __powf __fdividef __fsqrt_rn __frcp_rn
    atomicAdd atomicSub atomicExch atomicMin atomicMax atomicInc atomicDec atomicCAS atomicAnd atomicOr
    atomicXor cudaMalloc cudaFree cudaMemcpy cudaMemcpyAsync cudaMemset cudaMemsetAsync cudaMallocAsync
    cudaFreeAsync cudaMemcpyToSymbol cudaDeviceSynchronize cudaStreamSynchronize cudaStreamCreate
    cudaStreamDestroy cudaGetLastError cudaGetErrorString cudaFuncSetAttribute cudaSuccess cudaError_t
    cudaStream_t cudaEvent_t cudaMemcpyHostToDevice cudaMemcpyDeviceToHost cudaMemcpyDeviceToDevice
    cudaFuncAttributeMaxDynamicSharedMemorySize cudaOccupancyMaxActiveBlocksPerMultiprocessor
    fmaxf fminf fabsf sqrtf rsqrtf expf logf powf sinf cosf tanhf fmaf floorf ceilf roundf erff
    int float double const unsigned void return size_t include
    """.split()  # noqa: SIM905 - one name a line would be a hundred lines
)

_HEADERS = {
    "cstdio": "printf puts",
    "cassert": "assert",
    "cfloat": "FLT_MAX FLT_MIN FLT_EPSILON DBL_MAX DBL_EPSILON",
    "climits": "INT_MAX INT_MIN UINT_MAX LLONG_MAX",
    "cmath": "INFINITY NAN M_PI HUGE_VALF",
    "cstdint": "int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t uintptr_t",
    "cuda_fp16.h": "half half2 __half __half2 __half2float __float2half __float2half_rn __float22half2_rn "
    "__half22float2 __hadd __hmul __hfma __hadd2 __hmul2 __hfma2 __halves2half2 __low2float __high2float",
    "cuda_bf16.h": "__nv_bfloat16 __nv_bfloat162 nv_bfloat16 __bfloat162float __float2bfloat16",
    "cuda_fp8.h": "__nv_fp8_e4m3 __nv_fp8_e5m2",
    "cooperative_groups.h": "cooperative_groups cg",
    "mma.h": "nvcuda wmma",
    "cub/cub.cuh": "cub",
    "thrust/device_vector.h": "thrust",
    "curand_kernel.h": "curandState curand_init curand_uniform",
    "cuda/barrier": "cuda",
}
_HEADER_OF = {name: header for header, names in _HEADERS.items() for name in names.split()}
# Names that need another spelling or a namespace.
SYNONYMS = {"wmma": "nvcuda::wmma", "cg": "cooperative_groups"}
HEADERS = (
    *_HEADERS,
    "cuda_runtime.h",
    "cuda.h",
    "cuda_runtime_api.h",
    "algorithm",
    "vector",
    "limits",
    "thrust/sort.h",
)

_MAX_NAME = 60
_NEAR = 0.8


def header_of(name: str) -> str:
    """Return the header that declares `name`, empty if none is known."""
    return _HEADER_OF.get(name, "")


def nearest(name: str, own: Iterable[str] = ()) -> str:
    """Return the known name, or `own` name of the program, most similar to `name`.

    Empty if none is similar.
    """
    if not 2 < len(name) <= _MAX_NAME:
        return ""
    known = [*BUILT_IN, *_HEADER_OF, *own]
    for other in known:
        if other != name and other.lower() == name.lower():
            return other
    found = difflib.get_close_matches(name, [other for other in known if other != name], n=1, cutoff=_NEAR)
    return found[0] if found else ""
