"""Runs a problem author's `reference.py`: draws inputs from a seed and computes expected outputs.

Theory of operation: see `session`. A RUN carries the problem's arguments, then the sizes, then one array per
expected output. `generate` draws the inputs, which are rounded to the arguments' dtypes, unless they are
given: the last descriptor then holds the bytes of those that a case states. `reference` computes from the
rounded values, with floats widened to float64, so that its results belong to the inputs that the submitted
program really gets. Every failure is attributed to the author and reported with a line.

This program works in host memory, with NumPy. `device_oracle_runner` does the same on a GPU, with CuPy.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, NoReturn, Protocol, cast

import numpy as np

from sandbox.runner import checker_work
from sandbox.runner.contract import Array, ArrayModule, ContractError, every, named, rounded, widened
from sandbox.runner.generator import Generator, HostGenerator
from sandbox.runner.programs import Programs
from sandbox.runner.session import (
    STORAGE,
    Load,
    Runner,
    array_of,
    compile_source,
    explain,
    read,
    run_module,
    scalar_of,
    serve,
    stop,
)
from sandbox.wire import ExitStatus, Request, RunFlag, WireArgument

_FILE = "reference.py"


class Arrays(Protocol):
    """The array backend of an oracle: memory, module and conversions."""

    @property
    def xp(self) -> ArrayModule:
        """The array module that authors write against."""

    def prepare(self) -> None:
        """Open the GPU, if there is one."""

    def generator(self, seed: int) -> Generator:
        """Random numbers from `seed`."""

    def every(self, holds: Array) -> bool:
        """Whether all of an array of bools is true."""

    def view(self, request: Request, descriptors: Sequence[int]) -> Sequence[Array | None]:
        """One array over shared memory for each array argument of `request`, None for scalars."""

    def finish(self) -> None:
        """Wait until everything is computed, and release shared memory. No view may be in use."""


class HostArrays:
    """NumPy over memfds."""

    xp: ArrayModule = np

    def prepare(self) -> None:
        """Do nothing: there is not a GPU."""

    def generator(self, seed: int) -> Generator:
        """NumPy's."""
        return HostGenerator(seed)

    def every(self, holds: Array) -> bool:
        """NumPy's `all`."""
        return every(holds)

    def view(self, request: Request, descriptors: Sequence[int]) -> Sequence[Array | None]:
        """Return memory maps, each of which exists as long as its arrays."""
        return [None if a.scalar else array_of(a, descriptors) for a in request.arguments]

    def finish(self) -> None:
        """Do nothing: no work is queued."""


@dataclass(frozen=True, slots=True)
class _Signature:
    """The manifest: argument names with role and dtype, size names, expected names, in wire order."""

    arguments: tuple[tuple[str, str, str], ...]
    sizes: tuple[str, ...]
    expected: tuple[str, ...]


class OracleRunner(Runner):
    """Serves one `reference.py`, or one `checker.py` if the manifest says so; see `checker_work`."""

    def __init__(self, arrays: Arrays) -> None:
        self._file = _FILE
        self._checker: checker_work.CheckerSignature | None = None
        self._arrays = arrays
        self._load: Load | None = None
        self._module: ModuleType | None = None
        self._signature = _Signature((), (), ())
        self._programs = Programs()

    def prepare(self) -> None:
        """Open the GPU, if there is one."""
        self._arrays.prepare()

    def load(self, load: Load) -> None:
        """Run the author's module."""
        self._load = load
        manifest = cast("Mapping[str, Any]", load.manifest)
        self._programs = Programs(manifest.get("programs", ()))
        if manifest.get("checker"):
            self._file = checker_work.FILE
            self._checker = checker_work.parse_checker(manifest)
        else:
            self._signature = _parse(manifest)
        code = compile_source(load, self._file)
        try:
            self._module = run_module(code, self._file.removesuffix(".py"))
            (checker_work.require_check if self._checker else _require_functions)(self._module)
        except BaseException as error:  # noqa: BLE001 - an author's code may raise anything
            self._fail(error, ExitStatus.LOAD_ERROR)

    def run(self, request: Request, descriptors: Sequence[int]) -> None:
        """Draw one case, or check one."""
        try:
            views = self._arrays.view(request, descriptors)
            if self._checker is not None:
                with np.errstate(all="ignore"):  # unwritten elements may hold any value
                    checker_work.carry_out(
                        self._arrays.xp, self._module, self._checker, self._programs, request, views
                    )
            else:
                stated = read_given(descriptors[-1]) if request.flags & RunFlag.GIVEN else {}
                self._draw(request, views, stated)
            del views
            self._arrays.finish()
        except BaseException as error:  # noqa: BLE001 - an author's code may raise anything
            self._fail(error, ExitStatus.RUNTIME_ERROR)

    def _fail(self, error: BaseException, status: ExitStatus) -> NoReturn:
        message, line = explain(error, self._file)
        if self._load is not None:
            self._load.diagnostics.say("error", "oracle", message, line=line)
        stop(status)

    def _draw(self, request: Request, views: Sequence[Array | None], stated: Mapping[str, bytes]) -> None:
        xp, module, signature = self._arrays.xp, cast("Any", self._module), self._signature
        wire = iter(zip(request.arguments, views, strict=True))
        wired = {name: (role, *next(wire)) for name, role, _ in signature.arguments}
        size = {name: int(scalar_of(next(wire)[0])) for name in signature.sizes}
        expected = {name: next(wire) for name in signature.expected}
        given = {name: view for name, (role, _, view) in wired.items() if role in {"in", "inout"}}
        if given.keys() - stated.keys():
            program = self._programs.keywords(size)
            drawn = module.generate(xp, self._arrays.generator(request.seed), dict(size), **program)
            for name, values in named(xp, drawn, given, "generate").items():
                what = f"generate: {name}"
                finite = not self._programs  # a faulty program may compute any value
                _store(given[name], self._rounded(values, wired[name][1], what, finite=finite))
            del drawn
        for name, content in stated.items():
            argument = wired[name][1]
            values = np.frombuffer(content, STORAGE[argument.dtype]).reshape(argument.shape)
            _store(given[name], xp.asarray(values))
        arguments: dict[str, Any] = {}
        for name, (role, argument, view) in wired.items():
            if role == "scalar":
                arguments[name] = scalar_of(argument)
            elif role != "out":
                arguments[name] = widened(view, argument.dtype)
        computed = named(xp, module.reference(xp, **arguments), expected, "reference")
        for name, (argument, view) in expected.items():
            _store(view, self._rounded(computed[name], argument, f"reference: {name}", finite=False))

    def _rounded(self, values: Array, argument: WireArgument, what: str, *, finite: bool = True) -> Array:
        arrays = self._arrays
        return rounded(arrays.xp, values, argument, what, finite=finite, every=arrays.every)


def _store(view: Array, values: Array) -> None:
    view[...] = values


def read_given(descriptor: int) -> Mapping[str, bytes]:
    """Return the stored bytes of the inputs that a case states, by name."""
    return {name: bytes.fromhex(content) for name, content in json.loads(read(descriptor)).items()}


def _require_functions(module: ModuleType) -> None:
    for name in ("generate", "reference"):
        if not callable(getattr(module, name, None)):
            raise ContractError(f"reference.py does not define a function named {name}")


def _parse(manifest: Mapping[str, Any]) -> _Signature:
    return _Signature(
        tuple((entry["name"], entry["role"], entry["dtype"]) for entry in manifest["arguments"]),
        tuple(manifest["sizes"]),
        tuple(manifest["expected"]),
    )


def main() -> None:
    """Serve until the host closes the channel."""
    serve(OracleRunner(HostArrays()))


if __name__ == "__main__":
    main()
    sys.exit(0)
