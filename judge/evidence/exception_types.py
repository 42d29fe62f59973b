"""Recognises the type of an exception from the text of the finding on it, which the program controls.

`exception_type` returns only names of this list. So a program can choose one, but it cannot pass on other
text.
"""

import re

_PYTHON = frozenset(
    """
    ArithmeticError AssertionError AttributeError BufferError EOFError FileNotFoundError ImportError
    IndexError KeyError LookupError ModuleNotFoundError NameError NotImplementedError OSError OverflowError
    PermissionError RecursionError RuntimeError StopIteration TypeError UnboundLocalError ValueError
    ZeroDivisionError
    torch.AcceleratorError torch.OutOfMemoryError triton.compiler.errors.CompilationError
    """.split()  # noqa: SIM905 - one name a line would be thirty lines
)
_THREW = "solve() threw an exception: "
# The beginning of `what()` in libstdc++. A C++ runner does not report the type itself.
_CPP = {
    "std::bad_alloc": "std::bad_alloc",
    "std::bad_array_new_length": "std::bad_array_new_length",
    "std::bad_cast": "std::bad_cast",
    "bad_function_call": "std::bad_function_call",
    "bad optional access": "std::bad_optional_access",
    "std::get: wrong index for variant": "std::bad_variant_access",
    "array::at": "std::out_of_range",
    "basic_string::at": "std::out_of_range",
    "basic_string::substr": "std::out_of_range",
    "map::at": "std::out_of_range",
    "unordered_map::at": "std::out_of_range",
    "vector::_M_range_check": "std::out_of_range",
    "cannot create std::vector larger than max_size()": "std::length_error",
    "basic_string::_M_create": "std::length_error",
    "vector::": "std::length_error",  # all others are about the length
}
_NAME = re.compile(r"[A-Za-z.]{1,60}(?=: |$)")


def exception_type(message: str) -> str:
    """Return the type of the exception in `message` of a runner; empty if it is not in the list."""
    if message.startswith(_THREW):
        what = message.removeprefix(_THREW)
        return next((name for begin, name in _CPP.items() if what.startswith(begin)), "")
    name = _NAME.match(message)
    return name[0] if name and name[0] in _PYTHON else ""
