"""Trivial programs, derived from a signature. A good problem fails all of them."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from judge.sizes import shape_of
from problems.binding import signature, signature_triton
from problems.binding_python import call_of
from problems.calling import PythonEntry
from problems.formula import Formula
from problems.schema import Argument, Problem
from problems.vocabulary import Dtype, Language, Role

_FILLS = {"zeros": "0", "ones": "1", "nan": "NAN"}
_MAX_COPIES = 4

_CUDA_HEAD = """\
#include <cmath>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <typename To> __global__ void fill(To* to, long long count, float value) {
    for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        to[i] = static_cast<To>(value);
    }
}

template <typename From, typename To>
__global__ void copy(const From* from, long long length, To* to, long long count) {
    for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        to[i] = static_cast<To>(static_cast<float>(from[i % length]));
    }
}

__device__ double mean_of_all;

template <typename From> __global__ void find_mean(const From* from, long long length) {
    double sum = 0.0;
    for (long long i = 0; i < length; ++i) {
        sum += static_cast<float>(from[i]);
    }
    mean_of_all = sum / length;
}

template <typename To> __global__ void fill_mean(To* to, long long count) {
    for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        to[i] = static_cast<To>(static_cast<float>(mean_of_all));
    }
}
"""

# For arrays in host memory: a copy in device memory that is copied back at the end.
_STAGED = """
template <typename T> struct Staged {
    Staged(T* from, long long elements) : host(from), bytes(elements * sizeof(T)) {
        cudaMalloc(&device, bytes);
        cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice);
    }
    ~Staged() {
        cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost);
        cudaFree(device);
    }
    T* host;
    long long bytes;
    T* device = nullptr;
};
"""

_TRITON_HEAD = """\
import torch
import triton
import triton.language as tl


@triton.jit
def copy(source, length, to, count, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    tl.store(to + at, tl.load(source + at % length, mask=at < count, other=0), mask=at < count)


@triton.jit
def fill_mean(source, length, to, count, BLOCK: tl.constexpr):
    total = tl.zeros((BLOCK,), tl.float32)
    for first in range(0, length, BLOCK):
        at = first + tl.arange(0, BLOCK)
        total += tl.load(source + at, mask=at < length, other=0).to(tl.float32)
    mean = tl.sum(total, axis=0) / length
    for first in range(0, count, BLOCK):
        at = first + tl.arange(0, BLOCK)
        tl.store(to + at, tl.zeros((BLOCK,), tl.float32) + mean, mask=at < count)
"""


@dataclass(frozen=True, slots=True)
class Trivial:
    """A trivial program. Its name says what it does: `nothing`, `zeros`, `copy of a`, `mean of a`."""

    name: str
    language: Language
    source: str


def trivial_programs(problem: Problem) -> Iterator[Trivial]:
    """Yield the trivial programs in every language of the problem.

    If the scalars do not determine the length of an array, CUDA programs that need it are left out.
    """
    for language in problem.languages:
        for name, source in _sources(problem, language):
            yield Trivial(name, language, source)


def _sources(problem: Problem, language: Language) -> Iterator[tuple[str, str]]:
    yield "nothing", _program(problem, language, [])
    outputs = [a for a in problem.arguments if a.role in {Role.OUT, Role.INOUT}]
    inputs = [a for a in problem.arguments if a.role is Role.IN]
    if language is Language.CUDA:
        lengths = {a.name: cuda_length(problem, a) for a in (*outputs, *inputs)}
        outputs = [a for a in outputs if lengths[a.name]]
        inputs = [a for a in inputs if lengths[a.name]]
        if not outputs:
            return
    for name, value in _FILLS.items():
        if name != "nan" or any(a.dtype.is_float for a in outputs):
            yield name, _program(problem, language, [_fill(problem, language, a, value) for a in outputs])
    for source in inputs[:_MAX_COPIES]:
        calls = [_copy(problem, language, source, a) for a in outputs]
        yield f"copy of {source.name}", _program(problem, language, calls)
    if _one_number(problem, outputs):
        return  # if the output is one number, computing a mean is not trivial, and may be the task
    for source in inputs[:_MAX_COPIES]:
        calls = [_mean(problem, language, source, a) for a in outputs]
        yield f"mean of {source.name}", _program(problem, language, calls)


def _one_number(problem: Problem, outputs: list[Argument]) -> bool:
    """Return whether all `outputs` have one element each in every case."""
    return all(math.prod(shape_of(a, case.sizes)) == 1 for a in outputs for case in problem.cases)


def cuda_length(problem: Problem, argument: Argument) -> str:
    """Return the length of an array as a C++ expression over the scalars of `solve`; empty if unknown."""
    scalars = {a.value.text: a.name for a in problem.arguments if a.value and a.value.text in a.value.names}
    computed = {a.value.text: a.name for a in problem.arguments if a.value and not a.dtype.is_float}
    factors = [
        f"({computed[formula.text]})" if formula.text in computed else _expression(formula, scalars)
        for formula in argument.shape
    ]
    return " * ".join(["1ll", *factors]) if all(factors) else ""


def _expression(formula: Formula, scalars: dict[str, str]) -> str:
    if not formula.names <= scalars.keys():
        return ""
    named = re.sub(r"[a-z][a-z0-9_]*", lambda match: scalars[match[0]], formula.text)
    return f"({named.replace('//', '/')})"


def _program(problem: Problem, language: Language, calls: list[str]) -> str:
    head = _head(problem, language)
    if language is Language.CUDA:
        staged = [_stage(problem, argument) for argument in problem.arguments if argument.memory.on_host]
        lines = (*_peer_access(problem.gpus), *filter(None, staged if calls else ()), *calls)
        body = "".join(f"    {line}\n" for line in lines)
        return f'{_CUDA_HEAD}{_STAGED if staged else ""}\nextern "C" {head} {{\n{body}}}\n'
    body = "".join(f"    {call}\n" for call in calls or ["pass"])
    imports = _TRITON_HEAD if language is Language.TRITON else "import torch\n"
    return f"{imports}\n\n{head}:\n{body}"


def _peer_access(gpus: int) -> Iterator[str]:
    """Yield the lines that let device 0 use memory of the other devices; none for a single GPU."""
    for peer in range(1, gpus):
        yield f"if (cudaDeviceEnablePeerAccess({peer}, 0) != cudaSuccess) cudaGetLastError();"


def _stage(problem: Problem, argument: Argument) -> str:
    """Return a line that copies an array to device memory; empty if its length is unknown."""
    name, length = argument.name, cuda_length(problem, argument)
    origin = f"const_cast<{argument.dtype.c_type}*>({name})"
    return f"Staged<{argument.dtype.c_type}> staged_{name}({origin}, {length});" if length else ""


def _on_device(argument: Argument) -> str:
    """Return the pointer to an array in device memory, in CUDA C++."""
    return f"staged_{argument.name}.device" if argument.memory.on_host else argument.name


def _head(problem: Problem, language: Language) -> str:
    """Return the declaration of a function that writes in place, also if Python allows another form."""
    plain = language is Language.PYTHON and call_of(problem).entry is not PythonEntry.SOLVE
    return signature_triton(problem) if plain else signature(problem, language)


def _fill(problem: Problem, language: Language, to: Argument, value: str) -> str:
    if value == "NAN" and not to.dtype.is_float:
        value = "0"
    if language is Language.CUDA:
        return f"fill<<<64, 256>>>({_on_device(to)}, {cuda_length(problem, to)}, {value});"
    if value == "NAN":
        return f'{to.name}.fill_(float("nan"))'
    return f"{to.name}.fill_({bool(int(value)) if to.dtype is Dtype.BOOL else value})"


def _copy(problem: Problem, language: Language, source: Argument, to: Argument) -> str:
    if language is Language.CUDA:
        length, count = cuda_length(problem, source), cuda_length(problem, to)
        return f"copy<<<64, 256>>>({_on_device(source)}, {length}, {_on_device(to)}, {count});"
    if language is Language.TRITON:
        return (
            f"copy[(triton.cdiv({to.name}.numel(), 4096),)]"
            f"({source.name}, {source.name}.numel(), {to.name}, {to.name}.numel(), BLOCK=4096)"
        )
    index = f"torch.arange({to.name}.numel()) % {source.name}.numel()"
    return f"{to.name}.view(-1).copy_({source.name}.view(-1)[{index}])"


def _mean(problem: Problem, language: Language, source: Argument, to: Argument) -> str:
    if language is Language.CUDA:
        find = f"find_mean<<<1, 1>>>({_on_device(source)}, {cuda_length(problem, source)});"
        return f"{find} fill_mean<<<64, 256>>>({_on_device(to)}, {cuda_length(problem, to)});"
    if language is Language.TRITON:
        return (
            f"fill_mean[(1,)]({source.name}, {source.name}.numel(), {to.name}, {to.name}.numel(), BLOCK=4096)"
        )
    return f"{to.name}.copy_({source.name}.to(torch.float64).mean().expand({to.name}.shape))"
