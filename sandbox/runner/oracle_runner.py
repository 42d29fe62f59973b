"""Runs a problem author's `reference.py`: draws inputs from a seed and computes what is expected.

Theory of operation: see `session`. A RUN carries the problem's arguments, then the sizes, then one array
per expected output. `generate` draws the inputs, which are rounded to the arguments' dtypes; `reference`
computes from the rounded values, floats widened to float64, so that it is an oracle for what the
program under test was really given. Whatever breaks is the author's fault and says so with a line.
"""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any, NoReturn, cast

import numpy as np

from sandbox.runner.session import (
    Array,
    Load,
    array_of,
    compile_source,
    explain,
    run_module,
    scalar_of,
    serve,
    stop,
)
from sandbox.wire import ExitStatus, Flag, Request, WireArgument

_FILE = "reference.py"
_FLOATS = {"float64", "float32", "float16", "bfloat16"}


class ContractError(Exception):
    """Raised when `reference.py` returns something that the problem does not describe."""


@dataclass(frozen=True, slots=True)
class _Signature:
    """The manifest: argument names with role and dtype, size names, expected names, in wire order."""

    arguments: tuple[tuple[str, str, str], ...]
    sizes: tuple[str, ...]
    expected: tuple[str, ...]


def main() -> None:
    """Serve until the host goes."""
    serve(_load)


def _load(load: Load) -> Callable[[Request, list[int]], None]:
    signature = _parse(cast("Mapping[str, Any]", load.manifest))
    code = compile_source(load, _FILE)
    try:
        module = run_module(code, "reference")
        _require_functions(module)
    except BaseException as error:  # noqa: BLE001 - an author's code may raise anything
        _fail(error, load, ExitStatus.LOAD_ERROR)

    def run(request: Request, descriptors: list[int]) -> None:
        try:
            _draw(module, signature, request, descriptors)
        except BaseException as error:  # noqa: BLE001 - an author's code may raise anything
            _fail(error, load, ExitStatus.RUNTIME_ERROR)

    return run


def _require_functions(module: ModuleType) -> None:
    for name in ("generate", "reference"):
        if not callable(getattr(module, name, None)):
            raise ContractError(f"reference.py defines no function named {name}")


def _fail(error: BaseException, load: Load, status: ExitStatus) -> NoReturn:
    message, line = explain(error, _FILE)
    load.diagnostics.say("error", "oracle", message, line=line)
    stop(status)


def _parse(manifest: Mapping[str, Any]) -> _Signature:
    return _Signature(
        tuple((entry["name"], entry["role"], entry["dtype"]) for entry in manifest["arguments"]),
        tuple(manifest["sizes"]),
        tuple(manifest["expected"]),
    )


def _draw(module: ModuleType, signature: _Signature, request: Request, descriptors: list[int]) -> None:
    wire = iter(request.arguments)
    wired = {name: (role, next(wire)) for name, role, _ in signature.arguments}
    size = {name: int(scalar_of(next(wire))) for name in signature.sizes}
    expected = {name: next(wire) for name in signature.expected}
    given = {
        name: array_of(argument, descriptors)
        for name, (role, argument) in wired.items()
        if role in {"in", "inout"}
    }
    if not request.flags & Flag.GIVEN:
        rng = np.random.Generator(np.random.PCG64(request.seed))
        drawn = module.generate(np, rng, dict(size))
        for name, values in _named(drawn, given, "generate").items():
            given[name][...] = _rounded(values, wired[name][1], f"generate: {name}")
    arguments: dict[str, Any] = {}
    for name, (role, argument) in wired.items():
        if role == "scalar":
            arguments[name] = scalar_of(argument)
        elif role != "out":
            arguments[name] = _widened(given[name], argument.dtype)
    computed = _named(module.reference(np, **arguments), expected, "reference")
    for name, argument in expected.items():
        array_of(argument, descriptors)[...] = _rounded(
            computed[name], argument, f"reference: {name}", finite=False
        )


def _named(returned: object, wanted: Mapping[str, object], function: str) -> dict[str, Array]:
    """What `function` returned, as arrays under exactly the names that are wanted."""
    if not isinstance(returned, Mapping):
        raise ContractError(f"{function} returned {type(returned).__name__}, not a dict of arrays")
    if set(returned) != set(wanted):
        raise ContractError(f"{function} returned {sorted(returned)}, wanted {sorted(wanted)}")
    return {name: np.asarray(values) for name, values in returned.items()}


def _rounded(values: Array, argument: WireArgument, what: str, *, finite: bool = True) -> Array:
    """`values` in the storage of the argument's dtype. Raises ContractError where that loses more."""
    if values.shape != argument.shape:
        raise ContractError(f"{what} has shape {values.shape}, not {argument.shape}")
    if values.dtype.kind not in "biuf":
        raise ContractError(f"{what} has dtype {values.dtype}, which is no number")
    if argument.dtype in _FLOATS:
        return _as_float(values, argument.dtype, what, finite=finite)
    if values.dtype.kind == "f":
        raise ContractError(f"{what} holds floats, wanted {argument.dtype}; convert it with astype")
    if argument.dtype == "bool":
        if values.dtype.kind != "b" and np.any((values != 0) & (values != 1)):
            raise ContractError(f"{what} holds integers other than 0 and 1, wanted bool")
        return values.astype(np.bool_)
    limits = np.iinfo(argument.dtype)
    if values.size and (int(values.min()) < limits.min or int(values.max()) > limits.max):
        raise ContractError(f"{what} holds values that do not fit {argument.dtype}")
    return values.astype(argument.dtype)


def _as_float(values: Array, dtype: str, what: str, *, finite: bool) -> Array:
    with np.errstate(over="ignore"):
        if dtype == "bfloat16":
            result = _bfloat16_bits(values.astype(np.float32))
            checked = _widened(result, dtype)
        else:
            result = checked = values.astype(dtype)
    if finite and not np.isfinite(checked).all():
        raise ContractError(f"{what} holds values that are not finite in {dtype}")
    return result


def _bfloat16_bits(values: "np.ndarray[Any, np.dtype[np.float32]]") -> Array:
    """Round to nearest, ties to even: the upper half of a float32."""
    bits = values.view(np.uint32)
    return ((bits + (((bits >> 16) & 1) + 0x7FFF)) >> 16).astype(np.uint16)


def _widened(values: Array, dtype: str) -> Array:
    """A copy for the reference: floats as float64, the rest as they are."""
    if dtype == "bfloat16":
        return (values.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return values.astype(np.float64) if dtype in _FLOATS else values.copy()


if __name__ == "__main__":
    main()
    sys.exit(0)
