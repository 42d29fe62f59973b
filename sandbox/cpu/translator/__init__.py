"""PTX → C++: translates nvcc's output into one C++ file that runs on the CPU.

    text ──lexer──▶ tokens ──parser──▶ syntax ──function, tables──▶ C++ ──module──▶ one file

The file includes `abi.h` (the contract with the runtime) and `semantics*.h` (what instructions compute).
"""

from .module import emit_module
from .parser import parse


def translate(ptx: str) -> str:
    """The C++ text for a PTX file.

    An unsupported instruction becomes a call that fails when it is reached.

    Raises:
        PtxSyntaxError: when the text is not PTX.
    """
    return emit_module(parse(ptx))
