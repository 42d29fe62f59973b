"""Functions of CUDA and its libraries that functional mode lacks, and what to use instead.

A program that calls one of them compiles, but does not load, because the runner of functional mode lacks the
function.
"""

import re

_OF_CUDA = re.compile(
    r"(?:cuda|cu|cublas(?:Lt|Xt)?|cufft|curand|cusparse|cusolver\w{0,8}|cudnn|nvrtc|nvml|nccl)[A-Z]"
)
_SUFFIX = re.compile(r"_(?:v\d|ptsz|ptds)$")
_INSTEAD = tuple(
    (re.compile(pattern), advice)
    for pattern, advice in (
        (
            r"cudaGraphExec(?!Destroy)|cudaGraph(?:KernelNode|MemcpyNode|MemsetNode|HostNode)\w{0,40}Set",
            "Let the graph read its parameters from device memory, and change that memory between launches.",
        ),
        (
            r"cudaGraph|cudaStream\w{0,20}Capture",
            "Record work with cudaStreamBeginCapture and cudaStreamEndCapture.",
        ),
        (r"cudaIpc", "The program is a single process, so pass the pointer or the event itself."),
        (
            r"cudaMemPool|cudaMem(?:Get|Set)\w{0,10}MemPool|cudaDeviceSetMemPool",
            "Use cudaMallocAsync and cudaFreeAsync.",
        ),
        (r"cudaMemcpy\w{0,20}Batch", "Call cudaMemcpyAsync for each copy."),
        (r"cudaMem\w{0,30}Batch", "Call the function for a single range instead."),
        (
            r"cudaMemcpy\w{0,20}Peer|cudaDevice\w{0,20}Peer|cudaDevice\w{0,20}P2P",
            "There is one device: use cudaMemcpyAsync.",
        ),
        (r"cudaMemcpy\w{0,10}(?:To|From)Array", "Use cudaMemcpy2DToArray or cudaMemcpy2DFromArray."),
        (r"cuda\w{0,20}Mipmapped", "Use cudaMallocArray, without levels."),
        (
            r"cudaLaunchKernel|cudaLibrary|cudaGetKernel|cudaKernel",
            "Launch the kernel with kernel<<<blocks, threads>>>.",
        ),
        (
            r"cuda\w{0,20}External|cudaGraphics",
            "Programs exchange data with the judge only through the arguments.",
        ),
        (r"cu[A-Z]", "Use the runtime API: cudaMalloc, cudaMemcpy and kernel<<<blocks, threads>>>."),
        (r"curand", "Use the device functions of <curand_kernel.h>."),
        (r"cublas|cufft", "docs/functional-mode-libraries.md lists the calls that it supports."),
        (r"cu(?:sparse|solver|dnn)", "Write the computation as a kernel."),
    )
)


def of_cuda(name: str) -> bool:
    """Return whether a function `name` belongs to CUDA or one of its libraries."""
    return _OF_CUDA.match(name) is not None


def plain_function(name: str) -> str:
    """Return the name that programs use for the function with the linker's name `name`."""
    return _SUFFIX.sub("", name)


def unsupported_text(name: str) -> str:
    """Return the message for a program that calls `name`, a function that functional mode lacks."""
    instead = next((advice for pattern, advice in _INSTEAD if pattern.match(name)), "")
    said = f"Functional mode does not support {name}. The program may be right on a GPU."
    return f"{said} {instead}" if instead else said
