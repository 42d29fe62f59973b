"""The words of each language that have their own class, by short names of Pygments."""

import builtins
import keyword
from collections.abc import Mapping


def looks(**words: str) -> Mapping[str, str]:
    """Return the class of each word. `words` maps each class to its words, separated by spaces."""
    return {word: look for look, some in words.items() for word in some.split()}


CPP = looks(
    k="""
        alignas alignof asm auto break case catch class concept const const_cast consteval constexpr
        constinit continue co_await co_return co_yield decltype default delete do dynamic_cast else enum
        explicit export extern final for friend goto if inline mutable namespace new noexcept nullptr
        operator override private protected public register reinterpret_cast requires return sizeof static
        static_assert static_cast struct switch template this thread_local throw try typedef typeid typename
        union using virtual volatile while
    """,
    kt="""
        bool char char8_t char16_t char32_t double float int long short signed unsigned void wchar_t size_t
        ssize_t ptrdiff_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t intptr_t
        uintptr_t dim3 half half2 __half __half2 __nv_bfloat16 __nv_bfloat162 cudaStream_t cudaEvent_t
        cudaError_t __shared__ __constant__ __managed__ __restrict__ char1 char2 char3 char4 uchar1 uchar2
        uchar3 uchar4 short1 short2 short3 short4 ushort1 ushort2 ushort3 ushort4 int1 int2 int3 int4 uint1
        uint2 uint3 uint4 long1 long2 long3 long4 ulong1 ulong2 ulong3 ulong4 longlong1 longlong2 longlong3
        longlong4 ulonglong1 ulonglong2 ulonglong3 ulonglong4 float1 float2 float3 float4 double1 double2
        double3 double4
    """,
    kr="""
        __global__ __device__ __host__ __noinline__ __forceinline__ __launch_bounds__ __grid_constant__
    """,
    kc="""
        true false NULL
    """,
    nb="""
        gridDim blockIdx blockDim threadIdx warpSize
    """,
)

PTX = looks(
    k="""
        abs activemask add addc alloca and applypriority atom bar barrier bfe bfi bfind bmsk bra brev brkpt
        brx call clz cnot copysign cos cp createpolicy cvt cvta discard div dp2a dp4a elect ex2 exit fence
        fma fns getctarank griddepcontrol isspacep istypep ld ldmatrix ldu lg2 lop3 mad mad24 madc mapa
        match max mbarrier membar min mma mov movmatrix mul mul24 multimem nanosleep neg not or pmevent popc
        prefetch prefetchu prmt rcp red redux rem ret rsqrt sad selp set setmaxnreg setp shf shfl shl shr
        sin slct sqrt st stackrestore stacksave stmatrix sub subc suld suq sured sust szext tanh tcgen05
        tensormap testp tex tld4 trap txq vabsdiff vadd vavrg vmad vmax vmin vote vset vshl vshr vsub wgmma
        wmma xor
    """,
    kp="""
        .const .global .local .param .shared .sreg .tex .wide .loc
    """,
    kr="""
        .address_size .alias .align .branchtargets .callprototype .calltargets .common .entry
        .explicitcluster .extern .file .func .maxclusterrank .maxnctapersm .maxnreg .maxntid .minnctapersm
        .noreturn .pragma .reg .reqnctapercluster .reqntid .section .target .version .visible .weak
    """,
    kt="""
        .s8 .s16 .s32 .s64 .u8 .u16 .u32 .u64 .f16 .f16x2 .bf16 .bf16x2 .tf32 .f32 .f64 .b8 .b16 .b32 .b64
        .b128 .pred
    """,
)

PYTHON = {
    **{name: "nb" for name in dir(builtins) if not name.startswith("_")},
    **dict.fromkeys((*keyword.kwlist, "match", "case"), "k"),
    **looks(kc="True False None", bp="self cls", ow="and or not in is", kn="import from"),
}

SHELL = looks(
    k="""
        case do done elif else esac fi for function if in select then until while
    """,
    nb="""
        alias cd command echo eval exec exit export local printf pwd read return set shift source test trap
        umask unset
    """,
)
