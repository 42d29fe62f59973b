"""Counts the custom operators of a PyTorch program, their faults, and the graph breaks of its call.

Theory of operation. Operators of the program are those in namespaces that did not exist before it was loaded.
`CustomOperators` records the first call of each of them in a `with` block. Then `torch.library.opcheck` tests
each operator with copies of the recorded arguments: its schema, its gradient, its fake implementation, and
its tracing with dynamic shapes. Each test that fails is a fault. `graph_breaks` has Dynamo trace a call with
copies of its arguments, as `torch.compile` does, and returns the places at which it splits the graph. Nothing
is compiled. Like all counts of runners, these help honest programs: the process is hostile.
"""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch._library.custom_ops import OPDEFS
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

MOST_OPERATORS = 8  # that are tested; a test takes up to a second
_NO_BACKWARD_PASS = -1
_JUMP = "generic_jump"  # Dynamo's name of a branch


@dataclass(frozen=True, slots=True)
class OperatorFault:
    """A test of `torch.library.opcheck` that an operator fails, and the first line of the reason.

    `line` is the first line of the function that implements the operator, if it is known.
    """

    operator: str
    test: str
    reason: str
    line: int | None


@dataclass(frozen=True, slots=True)
class GraphBreak:
    """A place at which Dynamo splits the graph: the reason, and the line of the program."""

    reason: str
    line: int | None


def namespaces() -> frozenset[str]:
    """Return the namespaces of all operators that are registered now."""
    return frozenset(name.split("::")[0] for name in torch._C._dispatch_get_all_op_names())  # noqa: SLF001


class CustomOperators(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Records the first call of each operator outside the namespaces `known`.

    With `gradients`, floating-point arguments require gradients in the tests of operators that the forward
    pass calls.
    """

    def __init__(self, known: frozenset[str], *, gradients: bool) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._known = known
        self._gradients = gradients
        self._calls: dict[Any, tuple[tuple[Any, ...], dict[str, Any]]] = {}

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if func.namespace not in self._known and func not in self._calls:
            forward = torch._C._current_graph_task_id() == _NO_BACKWARD_PASS  # noqa: SLF001 - the only way to know
            copies = _copied((args, kwargs), gradients=self._gradients and forward)
            self._calls[func] = copies
        return func(*args, **kwargs)

    @property
    def count(self) -> int:
        """The number of different operators that were called."""
        return len(self._calls)

    def faults(self) -> Iterator[OperatorFault]:
        """Test the operators, at most MOST_OPERATORS, and yield their faults."""
        for operator, (args, kwargs) in [*self._calls.items()][:MOST_OPERATORS]:
            name = operator.name()
            try:
                found: Mapping[str, object] = torch.library.opcheck(
                    operator, args, kwargs, raise_exception=False
                )
            except Exception as error:  # noqa: BLE001 - foreign code may raise anything
                found = {"its call": error}
            for test, result in found.items():
                if result != "SUCCESS":
                    yield OperatorFault(name, test, _first_line(result), _line_of(name))

    def tensors(self) -> list[torch.Tensor]:
        """Return the copies of arguments that the recorder keeps."""
        return [
            leaf for leaf in pytree.tree_leaves([*self._calls.values()]) if isinstance(leaf, torch.Tensor)
        ]


def _copied(values: Any, *, gradients: bool) -> Any:
    def copy(tensor: torch.Tensor) -> torch.Tensor:
        return tensor.detach().clone().requires_grad_(gradients and tensor.is_floating_point())

    return pytree.tree_map_only(torch.Tensor, copy, values)


def _line_of(operator: str) -> int | None:
    name, _, _ = operator.partition(".")
    code = getattr(getattr(OPDEFS.get(name), "_init_fn", None), "__code__", None)
    return None if code is None else int(code.co_firstlineno)


def graph_breaks(function: Callable[..., Any], arguments: Sequence[Any], filename: str) -> list[GraphBreak]:
    """Trace `function` with copies of `arguments`. Lines are those of `filename`.

    If Dynamo captures nothing, this is the only break.
    """
    import torch._dynamo as dynamo  # noqa: PLC0415 - takes a second, and few problems count graph breaks

    logging.getLogger("torch._dynamo").setLevel(logging.ERROR)
    dynamo.reset()
    copies = _copied(tuple(arguments), gradients=False)
    try:
        found = dynamo.explain(function)(*copies)
    except Exception as error:  # noqa: BLE001 - foreign code may raise anything
        return [GraphBreak(_first_line(error), None)]
    if not found.graph_count:
        return [GraphBreak("Dynamo could not capture any part of the call.", None)]
    return [
        GraphBreak(_explained(reason.reason), _line(reason.user_stack, filename))
        for reason in found.break_reasons
        if reason.graph_break
    ]


def _line(stack: Sequence[Any], filename: str) -> int | None:
    lines = [frame.lineno for frame in stack if Path(frame.filename).name == filename]
    return lines[-1] if lines else None


def _explained(reason: str) -> str:
    """Return Dynamo's explanation in one line."""
    if reason.startswith(_JUMP):
        return "a branch depends on the contents of a tensor."
    _, found, explanation = reason.partition("Explanation: ")
    return _first_line(explanation if found else reason)


def _first_line(reason: object) -> str:
    return next(filter(None, map(str.strip, str(reason).splitlines())), type(reason).__name__)
