"""Examines one imported problem inside the sandbox: its tests, their shapes and contents, its reference.

Theory of operation. The importer passes `/work/imported.py`, which contains the author's files and an adapter
for their format; see `problems/importing/adapters`. It defines `describe`, `tests`, `arguments_of`,
`compute`, `operations`, `seeded` and `forget`. Their results are written to `/work/description.json`. The
importer bounds and checks this file, because the process that writes it has run foreign code.

Every test is created without memory, which gives the shapes even of gigabytes. If it is small and there is
time, it is also created in memory. Then the reference runs on it with two different initial contents of the
outputs and two states of the global random generators. Elements that keep their initial contents are not
written. Other differences show that results depend on the initial contents or on chance. The time of a run is
estimated from the slowest earlier run per byte. If this exceeds the remaining time, only the shapes are
reported. The same applies if the reference needs more memory than available, which may be far more than its
arguments need, as for an unfolded convolution.
"""

import contextlib
import json
import resource
import sys
import time
import traceback
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch

from sandbox.runner.session import run_module
from sandbox.runner.torch_host import asked_for_cuda, place_on_host

SOURCE = Path("/work/imported.py")
ANSWER = Path("/work/description.json")
_SHOWN = 1024  # elements of an array of an example
_IN_MEMORY_BYTES = 24 << 20
_BUDGET_S = 30.0  # of CPU time, so that a busy host makes no difference
# Less than the sandbox allows, so that PyTorch gets an error and the other tests continue.
_MEMORY_BYTES = 3 << 30
_NO_MEMORY = "DefaultCPUAllocator"  # in what PyTorch says then, which has no type of its own
_LEAST_BYTES = 1 << 20  # the time of a run on fewer bytes does not predict larger runs
_FURTHER_RUNS = 5  # of the reference on a test that has run once
_MOST_TESTS = 64
_SENTENCE = 400
_SHORT = 8  # elements of a list that may say the dimensions of another array
_NAMES = {
    torch.float64: "float64",
    torch.float32: "float32",
    torch.float16: "float16",
    torch.bfloat16: "bfloat16",
    torch.int64: "int64",
    torch.int32: "int32",
    torch.int16: "int16",
    torch.int8: "int8",
    torch.uint32: "uint32",
    torch.uint8: "uint8",
    torch.bool: "bool",
}
# Number formats of a byte or less, for which PyTorch lacks most operations. They are compared by their bits.
_BITS = {
    dtype: name
    for name in (
        "float8_e4m3fn",
        "float8_e4m3fnuz",
        "float8_e5m2",
        "float8_e5m2fnuz",
        "float8_e8m0fnu",
        "float4_e2m1fn_x2",
    )
    if (dtype := getattr(torch, name, None)) is not None
}
_NAMES |= _BITS
_PACKED = {dtype for dtype, name in _BITS.items() if name.startswith("float4")}

Values = dict[str, Any]


def main() -> None:
    """Write the description, or the reason why there is none."""
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    bound = _MEMORY_BYTES if hard == resource.RLIM_INFINITY else min(_MEMORY_BYTES, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (bound, hard))
    ANSWER.write_text(json.dumps(describe(SOURCE.read_text(encoding="utf-8"))), encoding="utf-8")


def describe(source: str) -> dict[str, Any]:
    """Run the adapter `source` with the author's files.

    Return the description, or `failed` with a sentence.
    """
    try:
        return _describe(source)
    except BaseException as error:  # noqa: BLE001 - an author's code may raise anything
        return {"failed": _sentence(error)}


def _describe(source: str) -> dict[str, Any]:
    deadline_s = time.process_time() + _BUDGET_S
    with place_on_host():
        code = compile(source, "imported.py", "exec", dont_inherit=True)
        module = run_module(code, "imported")
        description: dict[str, Any] = _without_memory_first(lambda: cast("Any", module).describe())
        listed = _without_memory_first(lambda: list(cast("Any", module).tests()))[:_MOST_TESTS]
        budget = _Budget(deadline_s)
        examined = [_test(module, description, *entry, budget=budget) for entry in listed]
    return {**description, "tests": examined}


class _Budget:
    """The CPU time left for runs of the reference, and the times of earlier runs."""

    def __init__(self, deadline_s: float) -> None:
        self._deadline_s = deadline_s
        self._slowest_s = 0.0  # for each byte of a test

    def allows(self, runs: int, total_bytes: int) -> bool:
        """Return whether this many runs of a test will probably end in time."""
        likely_s = runs * max(total_bytes, _LEAST_BYTES) * self._slowest_s
        return time.process_time() + likely_s < self._deadline_s

    @contextlib.contextmanager
    def run(self, total_bytes: int) -> Iterator[None]:
        """Record the time of the run in the block."""
        begun_s = time.process_time()
        yield
        spent_s = time.process_time() - begun_s
        self._slowest_s = max(self._slowest_s, spent_s / max(total_bytes, _LEAST_BYTES))


def _without_memory_first(make: Callable[[], Any]) -> Any:
    """Return the result of `make`, without contents if it supports that."""
    try:
        with place_on_host(meta=True):
            return make()
    except Exception:  # noqa: BLE001 - not all that authors do works without contents
        return make()


def _test(
    module: Any, description: Mapping[str, Any], part: str, number: int, name: str, *, budget: _Budget
) -> dict[str, Any]:
    entry: dict[str, Any] = {"part": part, "number": number, "name": str(name)[:120]}
    outputs = [a["name"] for a in description["arguments"] if a["role"] in {"out", "inout"}]
    known = {a["name"] for a in description["arguments"]}
    try:
        values = _without_memory_first(lambda: _of(module, part, number, known))
        total_bytes = _bytes_of(values)
        operations = module.operations(part, number)
        entry["operations"] = None if operations is None else float(operations)
        probed: dict[str, Any] | None = None
        if total_bytes <= _IN_MEMORY_BYTES and budget.allows(1, total_bytes):
            module.forget()  # drops objects without memory that the author's code keeps
            with module.seeded(1):
                values = _of(module, part, number, known)
            alone = {a["name"] for a in description["arguments"] if a["role"] == "out"}
            tolerance = (float(description["absolute"]), float(description["relative"]))
            probed = _probe(
                module,
                values,
                outputs,
                alone,
                tolerance=tolerance,
                show=part == "example",
                budget=budget,
            )
            if probed and "expected" in probed:
                probed["zeroed"] = _zeroed(module, part, number, alone & values.keys())
        entry |= probed or _shapes(module, values, outputs)
    except Exception as error:  # noqa: BLE001 - an author's code may raise anything
        entry["failed"] = _sentence(error)
    return entry


def _bytes_of(values: Values) -> int:
    return sum(v.numel() * v.element_size() for v in values.values() if _is_tensor(v))


def _zeroed(module: Any, part: str, number: int, outputs: Collection[str]) -> list[str]:
    """The outputs that the author's code makes as zeros, and does not leave empty."""
    module.FRESH = 1
    module.forget()
    try:
        with module.seeded(1):
            made = _of(module, part, number, outputs)
    finally:
        module.FRESH = 0
        module.forget()
    return [name for name, value in made.items() if _is_tensor(value) and not bool(_plain(value).any())]


def _of(module: Any, part: str, number: int, known: Iterable[str]) -> Values:
    return {name: value for name, value in module.arguments_of(part, number).items() if name in set(known)}


def _shapes(module: Any, values: Values, outputs: Iterable[str]) -> dict[str, Any]:
    """A test whose reference did not run. Outputs that it does not bring are made without contents.

    Not all that a reference does works so. `unmade` says why then, and other tests may tell their shapes.
    """
    entry: dict[str, Any] = {}
    found = dict(values)
    if not all(name in values for name in outputs):
        try:
            with place_on_host(meta=True):
                given = {name: v.to("meta") if _is_tensor(v) else v for name, v in values.items()}
                found |= module.compute(given)
        except Exception as error:  # noqa: BLE001 - an author's code may raise anything
            entry["unmade"] = _sentence(error)
        found = {name: values.get(name, value) for name, value in found.items()}
    return entry | {"arguments": {name: _described(value, show=False) for name, value in found.items()}}


def _probe(
    module: Any,
    values: Values,
    outputs: list[str],
    alone: Collection[str],
    *,
    tolerance: tuple[float, float],
    show: bool,
    budget: _Budget,
) -> dict[str, Any] | None:
    """Run the reference on one test in several ways, or once where the time does not suffice for more.

    Arguments in `alone` are pure outputs and get other initial contents. None if the reference needs too much
    memory.
    """
    try:
        return _probed(module, values, outputs, alone, tolerance=tolerance, show=show, budget=budget)
    except Exception as error:
        if not _is_no_memory(error):
            raise
        return None


def _is_no_memory(error: Exception) -> bool:
    return isinstance(error, MemoryError) or _NO_MEMORY in str(error)


def _probed(
    module: Any,
    values: Values,
    outputs: list[str],
    alone: Collection[str],
    *,
    tolerance: tuple[float, float],
    show: bool,
    budget: _Budget,
) -> dict[str, Any]:
    brought = [name for name in outputs if name in values and name in alone]
    total_bytes = _bytes_of(values)
    with budget.run(total_bytes):
        plain = _compute(module, values)
    every = values | {name: plain[name] for name in outputs if name not in values}
    arguments = {name: _described(value, show=show) for name, value in every.items()}
    if not budget.allows(_FURTHER_RUNS, total_bytes):
        return {"arguments": arguments}
    entry: dict[str, Any] = {
        "arguments": arguments,
        "expected": {name: _described(plain[name], show=show) for name in outputs},
        "random": any(not _same(plain[n], _compute(module, values, seed=2)[n]) for n in outputs),
        "changed": _changed(module, values, outputs),
    }
    entry["wide"], entry["drift"] = _wide(module, values, plain, outputs, tolerance)
    first = _compute(module, values | {name: _filled(values[name], 0) for name in brought})
    second = _compute(module, values | {name: _filled(values[name], 1) for name in brought})
    entry["initial"] = {
        name: _use_of(first[name], second[name], values[name]) if name in brought else "written"
        for name in outputs
    }
    return entry


def _compute(module: Any, values: Values, *, seed: int = 1) -> Values:
    copies = {name: value.clone() if _is_tensor(value) else value for name, value in values.items()}
    torch.manual_seed(seed)
    with torch.no_grad():
        return dict(module.compute(copies))


def _changed(module: Any, values: Values, outputs: Iterable[str]) -> list[str]:
    """The inputs that the reference writes to."""
    copies = {name: value.clone() if _is_tensor(value) else value for name, value in values.items()}
    with torch.no_grad():
        module.compute(copies)
    return [
        name
        for name, value in values.items()
        if name not in set(outputs) and _is_tensor(value) and not _same(value, copies[name])
    ]


def _wide(
    module: Any, values: Values, plain: Values, outputs: Iterable[str], tolerance: tuple[float, float]
) -> tuple[bool | None, float]:
    """Whether the reference also works in float64, to nearly the same result. None where memory is short.

    And how far the results are from those in float64, as a multiple of `tolerance`, absolute and relative.
    """
    floating = {n: v for n, v in values.items() if _is_tensor(v) and _is_real(v)}
    if not floating:
        return False, 0.0
    module.WIDE = True
    module.forget()  # assertions on dtypes go
    try:
        exact = _compute(module, values | {name: value.double() for name, value in floating.items()})
    except Exception as error:  # noqa: BLE001 - then it does not
        return (None if _is_no_memory(error) else False), 0.0
    finally:
        module.WIDE = False
        module.forget()
    good = all(_as_good(exact[name], plain[name]) for name in outputs)
    return good, max((_drift(exact[name], plain[name], *tolerance) for name in outputs), default=0.0)


def _drift(exact: Any, plain: Any, absolute: float, relative: float) -> float:
    """The greatest difference of two outputs as a multiple of the tolerance; 0 where none is allowed."""
    if not _is_real(plain) or plain.shape != exact.shape or not plain.numel():
        return 0.0
    shares = (plain.double() - exact).abs() / (absolute + relative * exact.abs())
    finite = shares[torch.isfinite(shares)]
    return float(finite.max()) if finite.numel() else 0.0


def _as_good(exact: Any, plain: Any) -> bool:
    if not _is_real(plain):
        return _same(exact, plain)
    return exact.dtype is torch.float64 and torch.allclose(
        exact, plain.double(), rtol=0.05, atol=0.05, equal_nan=True
    )


def _filled(tensor: Any, way: int) -> Any:
    if tensor.dtype is torch.bool:
        return torch.full_like(tensor, bool(way))
    if tensor.dtype in _BITS:
        return _filled(tensor.view(torch.uint8), way).view(tensor.dtype)
    return torch.full_like(tensor, (83, 41)[way])


def _use_of(first: Any, second: Any, before: Any) -> str:
    """Return how the reference uses an output's initial contents: overwritten, kept in part, or read."""
    untouched = (_plain(first) == _plain(_filled(before, 0))) & (_plain(second) == _plain(_filled(before, 1)))
    if bool(untouched.any()):
        return "kept"
    return "written" if _same(first, second) else "read"


def _same(left: Any, right: Any) -> bool:
    if left.shape != right.shape or left.dtype != right.dtype:
        return False
    return bool(torch.allclose(_plain(left), _plain(right), rtol=0, atol=0, equal_nan=True))


def _plain(tensor: Any) -> Any:
    """A tensor that can be compared: PyTorch hardly knows unsigned numbers of more than eight bits."""
    if tensor.dtype in _BITS:
        return tensor.view(torch.uint8)
    return tensor.to(torch.int64) if tensor.dtype is torch.uint32 else tensor


def _is_real(tensor: Any) -> bool:
    """Whether a tensor holds floating-point numbers that PyTorch can calculate with."""
    return bool(tensor.is_floating_point()) and tensor.dtype not in _BITS


def _is_tensor(value: object) -> bool:
    return isinstance(value, torch.Tensor)


def _described(value: Any, *, show: bool) -> dict[str, Any]:
    if isinstance(value, torch.nn.Module):
        return {"kind": "module"}
    if not _is_tensor(value):
        plain = value.item() if hasattr(value, "item") else value
        if isinstance(plain, float):
            return {"kind": "scalar", "value": plain, "whole": False}
        if isinstance(plain, bool | int):
            return {"kind": "scalar", "value": int(plain), "whole": True}
        return {"kind": "unknown", "type": type(value).__name__}
    entry: dict[str, Any] = {
        "kind": "array",
        "dtype": _NAMES.get(value.dtype, str(value.dtype)),
        "shape": list(value.shape),
        "device": asked_for_cuda(value),
    }
    base: Any = torch._C._TensorBase  # noqa: SLF001 - the plain question, not the mode's answer
    is_meta = base.is_meta.__get__(value)
    if is_meta or value.numel() == 0 or value.is_complex():
        return entry
    if value.dtype in _PACKED:
        value = value.view(torch.uint8)
    # Whole numbers of 64 bits are more than float64 can tell apart.
    wide = torch.float64 if value.is_floating_point() else torch.int64
    numbers = value.detach().cpu().to(wide).numpy().reshape(-1)
    finite = numbers[np.isfinite(numbers)]
    entry |= {"finite": bool(finite.size == numbers.size), "nan": bool(np.isnan(numbers).any())}
    if finite.size:
        entry |= {
            "low": finite.min().item(),
            "high": finite.max().item(),
            "deviation": float(finite.std()),
            "mean": float(finite.mean()),
            "whole": bool((finite == np.rint(finite)).all()),
            "ordered": _ascends(numbers.reshape(value.shape)),
        }
    is_list = not value.is_floating_point() and numbers.size <= _SHORT
    if (show or is_list) and numbers.size <= _SHOWN and finite.size == numbers.size:
        entry["flat"] = numbers.tolist()
    return entry


def _ascends(numbers: Any) -> bool:
    """Whether no element is less than the one before it in its row."""
    return numbers.ndim > 0 and bool((numbers[..., 1:] >= numbers[..., :-1]).all())


def _sentence(error: BaseException) -> str:
    """The error and the line of the author's that led to it."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if not f.filename.startswith("/")]
    place = f" ({frames[-1].filename}, line {frames[-1].lineno})" if frames else ""
    text = "".join(traceback.format_exception_only(error)).strip()
    return text[:_SENTENCE] + place[:_SENTENCE]


if __name__ == "__main__":
    main()
    sys.exit(0)
