"""Counts one call of a PyTorch program for the requirements of a problem, and reports what it counted.

The record begins with `python`. `judge.evidence.sums` parses it. What the program gets wrong is reported in
notes too.
"""

import contextlib
import io
from collections.abc import Collection, Iterator
from contextlib import contextmanager

from sandbox.runner.python_call import PythonCall
from sandbox.runner.python_operators import CustomOperators, graph_breaks
from sandbox.runner.session import Diagnostics
from sandbox.runner.traffic import COUNTERS as TRAFFIC
from sandbox.runner.traffic import Traffic

OPERATORS = frozenset({"custom_operators", "operator_faults"})
BREAKS = "graph_breaks"


class PythonCounts:
    """The counts of the next call of `program`.

    `counters` are the counters that requirements need. `known` are the namespaces of operators that existed
    before the program was loaded, and `filename` is the name of its source.
    """

    def __init__(
        self, program: PythonCall, counters: Collection[str], known: frozenset[str], filename: str
    ) -> None:
        self._program = program
        self._counters = counters
        self._filename = filename
        self._operators = CustomOperators(known, gradients=program.has_backward)
        self._traffic = Traffic(filename)
        program.counting = True
        program.recorded = self._operators.tensors

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Record the operators and the messages of the calls in the block."""
        with contextlib.ExitStack() as modes:
            if OPERATORS & {*self._counters}:
                modes.enter_context(self._operators)
            if TRAFFIC & {*self._counters}:
                modes.enter_context(self._traffic)
            yield

    def report(self, diagnostics: Diagnostics) -> None:
        """Test the operators, trace the call once more, and write the record.

        What the program prints meanwhile is dropped.
        """
        self._program.counting = False
        traced, self._program.traced = self._program.traced, None
        counts = [] if self._program.saved_bytes is None else [f"saved={self._program.saved_bytes}"]
        if TRAFFIC & {*self._counters}:
            counts += [_event(*found) for found in self._traffic.amounts()]
        with contextlib.redirect_stdout(io.StringIO()):
            if OPERATORS & {*self._counters}:
                faults = list(self._operators.faults())
                for fault in faults:
                    message = f"{fault.operator} fails {fault.test} of torch.library.opcheck: {fault.reason}"
                    diagnostics.say("note", "operator", message, line=fault.line)
                lines = [fault.line for fault in faults]
                counts += [
                    _event("custom_operators", self._operators.count),
                    _faults("operator_faults", lines),
                ]
            if BREAKS in self._counters and traced is not None:
                breaks = graph_breaks(*traced, self._filename)
                for found in breaks:
                    diagnostics.say("note", "graph_break", f"Graph break: {found.reason}", line=found.line)
                counts.append(_faults(BREAKS, [found.line for found in breaks]))
        diagnostics.say("note", "sums", " ".join(["python", *counts]))


def _faults(name: str, lines: list[int | None]) -> str:
    return _event(name, len(lines), next(filter(None, lines), None))


def _event(name: str, amount: int, line: int | None = None) -> str:
    return f"{name}={amount}" + (f"@{line}" if line else "")
