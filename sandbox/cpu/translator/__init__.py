"""PTX → C++: translates nvcc's output into one C++ file that runs on the CPU.

    text ──lexer──▶ tokens ──parser──▶ syntax ──function, tables──▶ C++ ──module──▶ one file

The file includes `abi.h` (the contract with the runtime) and `semantics*.h` (what instructions compute).
"""

from collections.abc import Callable, Collection, Mapping

from .module import Resources, emit_module, no_resources
from .parser import parse


def translate(
    ptx: str,
    counters: Collection[str] = (),
    resources: Callable[[], Mapping[str, Resources]] = no_resources,
) -> str:
    """The C++ text for a PTX file, which also counts what `counters` name (`families`, `branches`).

    `resources` returns those of kernels, by mangled name. It is called late, as it may wait for ptxas.

    An unsupported instruction becomes a call that fails when it is reached.

    Raises:
        PtxSyntaxError: when the text is not PTX.
    """
    return emit_module(parse(ptx), counters, resources)
