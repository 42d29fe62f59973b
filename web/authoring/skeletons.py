"""A starter with holes, derived from the signature: a kernel, its launch, and comments on what is missing."""

from problems.binding import signature, starter
from problems.schema import Problem
from problems.vocabulary import Language

_HERE = "Launch your kernels here."
_CUDA_KERNEL = """\
__global__ void {kernel}({parameters}) {{
    // 1. Compute the index of this thread from blockIdx.x, blockDim.x and threadIdx.x.
    // 2. Let only threads with an element continue.
    // 3. Compute the element and write it.
}}

"""
_CUDA_LAUNCH = """\
// 4. Launch enough blocks for all elements.
    {kernel}<<<1, 256>>>({names});"""
_TRITON_KERNEL = """\
@triton.jit
def {kernel}({names}, BLOCK: tl.constexpr):
    # 1. Compute the elements of this program from tl.program_id(0), BLOCK and tl.arange(0, BLOCK).
    # 2. Which of them exist? Make a mask.
    # 3. Load with the mask, compute, and store with the mask.
    pass


"""
_TRITON_LAUNCH = """\
# 4. Launch enough programs for all elements.
    {kernel}[(1,)]({names}, BLOCK=1024)"""


def skeleton(problem: Problem, language: Language) -> str | None:
    """Return a starter with a kernel that has holes, None for `python`, whose programs need no kernel.

    It compiles, and it writes no output.
    """
    if language is Language.PYTHON:
        return None
    arguments = [argument.name for argument in problem.arguments]
    names = ", ".join(arguments)
    kernel = "kernel"
    while kernel in arguments:
        kernel += "_"
    empty = starter(problem, language)
    if language is Language.TRITON:
        head, comment, rest = empty.partition("# Arrays")
        written = _TRITON_KERNEL.format(kernel=kernel, names=names)
        launch = _TRITON_LAUNCH.format(kernel=kernel, names=names)
        return head + written + comment + rest.replace(f"# {_HERE}\n    pass", launch)
    head, comment, rest = empty.partition("// Arrays")
    parameters = signature(problem, language).partition("(")[2].removesuffix(")")
    written = _CUDA_KERNEL.format(kernel=kernel, parameters=parameters)
    launch = _CUDA_LAUNCH.format(kernel=kernel, names=names)
    return head + written + comment + rest.replace(f"// {_HERE}", launch)
