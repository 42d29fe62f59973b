"""Refuses launch options that Triton refuses. The interpreter ignores all options."""

from collections.abc import Collection, Mapping
from dataclasses import fields

from triton.backends.nvidia.compiler import CUDAOptions  # type: ignore[import-untyped]

from sandbox.runner.triton_syntax import Refused

_OPTIONS = frozenset(field.name for field in fields(CUDAOptions))
_OF_CALLS = frozenset(("grid", "warmup"))  # of JITFunction.run


def check_options(kernel: str, parameters: Collection[str], named: Mapping[str, object]) -> None:
    """Check the keyword arguments of a launch.

    Raises:
        Refused: one of them is neither a parameter nor an option, or `num_warps` is not a power of 2.
    """
    for name, value in named.items():
        if name in parameters or name in _OF_CALLS:
            continue
        if name not in _OPTIONS:
            raise Refused(
                f"Triton cannot launch kernel {kernel}: the keyword argument {name} is unrecognised. "
                "It is neither a parameter of the kernel nor an option of launches."
            )
        if name == "num_warps" and not _is_power_of_two(value):
            raise Refused(
                f"Triton cannot compile kernel {kernel}: num_warps must be a power of 2, and it is {value}."
            )


def _is_power_of_two(value: object) -> bool:
    return isinstance(value, int) and value > 0 and value & (value - 1) == 0
