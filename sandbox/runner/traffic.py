"""Counts the collectives and the messages of a rank, for the requirements of a problem.

`torch.distributed` calls each collective as an operator of the namespace `c10d`, so a dispatch mode sees them
all, whatever function the program called. It does not see calls in other threads of the program. Like all
counts of runners, these help honest programs: the process is hostile.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

import torch
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

from sandbox.runner.session import line_of

COUNTERS = frozenset({"collectives", "messages", "sent_bytes"})
_NAMESPACE = "c10d"
_SEND = "send"
_SENDS_NOTHING = frozenset({"recv_", "recv_any_source_", "check_for_nan"})


class Traffic(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Counts what the rank sends in a `with` block. `filename` is the name of the program's source."""

    def __init__(self, filename: str) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._filename = filename
        self._amounts: dict[str, Counter[int | None]] = {
            name: Counter() for name in sorted(COUNTERS)
        }  # by line

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if func.namespace == _NAMESPACE and (name := func.overloadpacket.__name__) not in _SENDS_NOTHING:
            line = line_of(sys._getframe(1), self._filename)  # noqa: SLF001 - documented, despite its name
            self._amounts["messages" if name == _SEND else "collectives"][line] += 1
            self._amounts["sent_bytes"][line] += _input_bytes(func, args, kwargs)
        return func(*args, **kwargs)

    def amounts(self) -> Iterator[tuple[str, int, int | None]]:
        """Yield each counter with its amount and the line that contributes most."""
        for name, by_line in self._amounts.items():
            line = by_line.most_common(1)[0][0] if by_line else None
            yield name, by_line.total(), line


def _input_bytes(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> int:
    """Return the bytes of the tensors that a collective or a send gets as input.

    They are the arguments whose names start with "input". Other operators work in place on `tensors`. A
    barrier has neither.
    """
    names = [argument.name for argument in func._schema.arguments]  # noqa: SLF001
    given = {**dict(zip(names, args, strict=False)), **kwargs}
    inputs = [value for name, value in given.items() if name.startswith("input") or name == "tensors"]
    tensors = pytree.tree_leaves(inputs)
    return sum(value.numel() * value.element_size() for value in tensors if isinstance(value, torch.Tensor))
