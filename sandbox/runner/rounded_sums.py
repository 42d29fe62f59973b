"""Finds sums in half precision whose rounding errors add up, in Triton's interpreter.

Theory of operation. An addition in float16 or bfloat16 continues a sum if one operand is the last result of
the same line. Each sum is also computed in double precision. When a program of the grid has ended, its sums
are compared: the largest error of a line is told in units of the typical sum of the line, which is the root
of the mean square of its sums in double precision. `tl.sum` of a half-precision block is such a sum too,
because Triton adds in the type of the block. The judge keeps the note if the error explains a wrong answer
(judge/evidence/rounded_sums.py). CUDA programs get the same note from sandbox/cpu/runtime/rounded_sums.h.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from sandbox.runner.session import Diagnostics, line_of

_LEAST_ADDITIONS = 4
_MOST_ELEMENTS = 1 << 24  # that are added in double precision in one call
_HALF = {"fp16": ("float16", 2.0**-11), "bf16": ("bfloat16", 2.0**-8)}
_CHAIN = "rounded sum"  # the attribute of a handle with the sum whose last result it is

_Doubles = npt.NDArray[np.float64]


@dataclass(slots=True)
class _Chain:
    """A sum so far, element by element. The first addition is computed when a second one follows."""

    line: int
    last: Any  # the handle with the result of the last addition
    first: tuple[Any, Any]
    exact: _Doubles | None = None
    magnitude: _Doubles | None = None
    additions: int = 1


@dataclass(slots=True)
class _Worst:
    """The sum of a line with the largest error."""

    error: float = 0.0
    last: float = 0.0
    exact: float = 0.0
    magnitude: float = 0.0
    additions: int = 0


@dataclass(slots=True)
class _Line:
    kernel: str
    dtype: str
    verb: str
    sums: int = 0
    squares: float = 0.0  # of the exact sums
    worst: _Worst = field(default_factory=_Worst)


class RoundedSums:
    """The sums of the call that is being executed. `widen` returns the values of a handle as doubles."""

    def __init__(self, filename: str, kernel: Callable[[], str], widen: Callable[[Any], _Doubles]) -> None:
        self._filename = filename
        self._kernel = kernel
        self._widen = widen
        self._chains: list[_Chain] = []
        self._lines: dict[int, _Line] = {}
        self._elements = 0
        self._told: dict[int, float] = {}  # the largest error, by line

    def install(self, builder: Any, reductions: Any) -> None:
        """Watch the additions of `builder`, the ends of its programs, and the sums of `reductions`."""
        operate, place, add_up = builder.binary_op, builder.set_grid_idx, reductions.sum

        def operating(made: Any, left: Any, right: Any, operation: Any) -> Any:
            result = operate(made, left, right, operation)
            if operation is np.add and result.dtype.name in _HALF:
                self._add(left, right, result)
            return result

        def placed(made: Any, *at: int) -> None:
            self._end_program()
            place(made, *at)

        def adding_up(made: Any, values: Any) -> Any:
            total = add_up(made, values)
            if values.dtype.name in _HALF:
                self._reduce(values.handle, total.handle, made.axis)
            return total

        builder.binary_op, builder.set_grid_idx, reductions.sum = operating, placed, adding_up

    def start_call(self) -> None:
        """Forget the sums of earlier calls."""
        self._chains.clear()
        self._lines.clear()
        self._elements = 0

    def report(self, diagnostics: Diagnostics) -> None:
        """Tell of each line whose largest error exceeds those of earlier calls."""
        self._end_program()
        for number, line in self._lines.items():
            typical = (line.squares / line.sums) ** 0.5 if line.sums else 0.0
            if (
                line.worst.error == 0
                or typical == 0
                or line.worst.error / typical <= self._told.get(number, 0)
            ):
                continue
            self._told[number] = line.worst.error / typical
            diagnostics.say("note", "rounded_sum", _message(line, typical), kernel=line.kernel, line=number)

    def _add(self, left: Any, right: Any, result: Any) -> None:
        if self._elements > _MOST_ELEMENTS:
            return
        number = self._line_number()
        if number is None:
            return
        for before, term in ((left, right), (right, left)):
            chain = before.attr.get(_CHAIN)
            if chain is not None and chain.last is before and chain.line == number:
                self._continue(chain, term, result)
                return
        result.attr[_CHAIN] = _Chain(number, result, (left, right))

    def _continue(self, chain: _Chain, term: Any, result: Any) -> None:
        values = self._widen(term)
        if chain.exact is None or chain.magnitude is None:
            one, other = map(self._widen, chain.first)
            chain.exact, chain.magnitude = one + other, np.abs(one) + np.abs(other)
            chain.first = (None, None)
            self._chains.append(chain)
            name, _ = _HALF[result.dtype.name]
            self._lines.setdefault(chain.line, _Line(self._kernel(), name, "one after the other, "))
        chain.exact = chain.exact + values
        chain.magnitude = chain.magnitude + np.abs(values)
        chain.additions += 1
        chain.last = result
        result.attr[_CHAIN] = chain
        self._elements += chain.exact.size

    def _reduce(self, handle: Any, total: Any, axis: int | None) -> None:
        number = self._line_number()
        if number is None or self._elements > _MOST_ELEMENTS:
            return
        values = self._widen(handle)
        name, _ = _HALF[handle.dtype.name]
        line = self._lines.setdefault(number, _Line(self._kernel(), name, ""))
        exact = np.asarray(np.sum(values, axis=axis))
        magnitude = np.asarray(np.sum(np.abs(values), axis=axis))
        additions = values.size if axis is None else values.shape[axis]
        _note(line, self._widen(total).reshape(exact.shape), exact, magnitude, additions)
        self._elements += values.size

    def _line_number(self) -> int | None:
        return line_of(sys._getframe(), self._filename)  # noqa: SLF001 - documented, despite its name

    def _end_program(self) -> None:
        for chain in self._chains:
            if chain.exact is not None and chain.magnitude is not None:
                last = np.broadcast_to(self._widen(chain.last), chain.exact.shape)
                _note(self._lines[chain.line], last, chain.exact, chain.magnitude, chain.additions)
        self._chains.clear()


def _note(line: _Line, last: _Doubles, exact: _Doubles, magnitude: _Doubles, additions: int) -> None:
    """Add finished sums to those of their line."""
    finite = np.isfinite(last) & np.isfinite(exact)
    if additions < _LEAST_ADDITIONS or not finite.any():
        return
    last, exact, magnitude = last[finite], exact[finite], magnitude[finite]
    line.sums += exact.size
    line.squares += float(np.sum(exact * exact))
    errors = np.abs(last - exact)
    at = int(np.argmax(errors))
    if errors[at] > line.worst.error:
        line.worst = _Worst(
            float(errors[at]), float(last[at]), float(exact[at]), float(magnitude[at]), additions
        )


def _message(line: _Line, typical: float) -> str:
    """The text, as in sandbox/cpu/runtime/rounded_sums.cpp."""
    worst = line.worst
    epsilon = next(epsilon for name, epsilon in _HALF.values() if name == line.dtype)
    bound = worst.additions * epsilon * worst.magnitude
    return (
        f"In kernel {line.kernel}, this line adds up {worst.additions} terms in {line.dtype}, {line.verb}"
        f"to {worst.last:.9g}. In double precision, the same terms give {worst.exact:.9g}. "
        f"The largest error is {worst.error / typical:.1e} of a typical sum. It can be "
        f"up to {bound / typical:.1e}: n * eps * sum of |x|."
    )
