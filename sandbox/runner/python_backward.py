"""The backward pass of a call in Python, and the bytes that a program keeps for it.

Theory of operation. If the manifest requests the gradient of an input, this input becomes a leaf of autograd
over the memory of the array, so that the call also sees contents that arrive later. After the call, the given
upstream gradients start the backward pass, and the gradients of the leaves are copied into the outputs.

`SavedBytes` counts what stays in memory from the end of the forward pass until the backward pass: tensors
that autograd saves, including those of `ctx.save_for_backward`, tensors that are attributes of a `ctx`, and
all other tensors that the call made and something still refers to. Storages count once and whole; of those of
results, what lies beyond the results counts. Parameters of modules do not count, because they stay in memory
anyway. Memory that was there before, such as a global buffer, counts if the forward pass has changed it. Like
all counts of runners it helps honest programs: the process is hostile, and `judge.requirements` says what
follows from that.
"""

import gc
import weakref
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import torch


class Misfit(Exception):
    """Raised if a program does not match the way in which it is called. The message is for its author."""


@dataclass(frozen=True, slots=True)
class Gradient:
    """A gradient to compute: with respect to `inputs`, the parts of the array `name`, into `output`."""

    name: str
    inputs: tuple[torch.Tensor, ...]
    output: torch.Tensor


@dataclass(frozen=True, slots=True)
class BackwardPass:
    """The upstream gradients by the names of the returned arrays, and the gradients to compute."""

    upstream: Mapping[str, torch.Tensor]
    gradients: tuple[Gradient, ...]

    def run(self, entry: str, returned: Mapping[str, torch.Tensor]) -> None:
        """Compute all gradients. Raises Misfit, and whatever the program raises."""
        for name in self.upstream:
            if not returned[name].requires_grad:
                raise Misfit(
                    f"{entry} returned {name} without a gradient function. Compute it from the tensors that "
                    "were given, with autograd on."
                )
        found = iter(
            torch.autograd.grad(
                [returned[name] for name in self.upstream],
                [part for gradient in self.gradients for part in gradient.inputs],
                [given.reshape(returned[name].shape) for name, given in self.upstream.items()],
                allow_unused=True,
            )
        )
        for gradient in self.gradients:
            parts = [next(found) for _ in gradient.inputs]
            if any(part is None for part in parts):
                raise Misfit(f"The backward pass gave no gradient with respect to {gradient.name}.")
            with torch.no_grad():
                _store(parts, gradient.output)


def leaf(tensor: torch.Tensor) -> torch.Tensor:
    """A leaf of autograd over the memory of `tensor`."""
    return tensor.detach().requires_grad_()


def _store(parts: Sequence[torch.Tensor], output: torch.Tensor) -> None:
    start = 0
    flat = output.view(-1)
    for part in parts:
        flat[start : start + part.numel()].copy_(part.reshape(-1))
        start += part.numel()


class _Held:
    """A tensor that autograd saved. It lives as long as the node that saved it."""

    __slots__ = ("__weakref__", "tensor", "version")

    def __init__(self, tensor: torch.Tensor) -> None:
        self.tensor = tensor.detach()  # a result that its own node saves would keep the node otherwise
        self.version = tensor._version  # noqa: SLF001 - documented, despite its name


class SavedBytes:
    """A context manager that counts the bytes that a forward pass keeps.

    `exempt` are the parameters of its modules. `given` are the arrays of the call, which may change in it.
    """

    def __init__(self, exempt: Iterable[torch.Tensor] = (), given: Iterable[torch.Tensor] = ()) -> None:
        self._exempt = dict(filter(None, map(_storage, exempt)))
        self._given = dict(filter(None, map(_storage, given)))
        self._held: weakref.WeakSet[_Held] = weakref.WeakSet()
        self._hooks = torch.autograd.graph.saved_tensors_hooks(self._pack, _unpack)
        self._before: dict[int, torch.UntypedStorage] = {}
        self._sums: dict[int, int | None] = {}

    def __enter__(self) -> Self:
        # Kept, so that no address comes again.
        self._before = dict(filter(None, map(_storage, _all_tensors())))
        self._sums = {at: _sum(storage) for at, storage in self._before.items() if at not in self._given}
        self._hooks.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._hooks.__exit__(kind, error, trace)

    def after(self, returned: Iterable[torch.Tensor], ours: Iterable[torch.Tensor] = ()) -> int:
        """The bytes in memory now. `returned` are the results, which count only if they are saved.

        `ours` are tensors of the runner, which do not count.
        """
        returned = tuple(returned)
        results = dict(filter(None, map(_storage, returned)))
        made = dict(filter(None, map(_storage, _all_tensors())))
        counted = {at: s for at, s in made.items() if at not in self._before and at not in results}
        counted |= {
            at: self._before[at] for at, before in self._sums.items() if _sum(self._before[at]) != before
        }
        counted |= dict(filter(None, (_storage(held.tensor) for held in self._held)))
        counted |= dict(filter(None, map(_storage, _attributes_of_nodes(returned))))
        exempt = self._exempt | dict(filter(None, map(_storage, ours)))
        kept = sum(storage.nbytes() for at, storage in counted.items() if at not in exempt)
        known = {*counted, *exempt, *self._before}
        return kept + sum(_beyond(returned, at, results[at]) for at in results if at not in known)

    def _pack(self, tensor: torch.Tensor) -> _Held:
        held = _Held(tensor)
        self._held.add(held)
        return held


def _unpack(held: _Held) -> torch.Tensor:
    if held.tensor._version != held.version:  # noqa: SLF001 - autograd does not look itself where there are hooks
        raise RuntimeError("A tensor that was saved for backward has been changed in place since.")
    return held.tensor


def _storage(tensor: torch.Tensor) -> tuple[int, torch.UntypedStorage] | None:
    """Address and storage of a tensor, None where it has no memory of its own."""
    try:
        with torch._C.DisableTorchFunctionSubclass():  # noqa: SLF001 - the only way past overrides
            storage = tensor.untyped_storage()
            return (storage.data_ptr(), storage) if storage.nbytes() else None
    except (RuntimeError, NotImplementedError):
        return None


def _beyond(returned: Sequence[torch.Tensor], at: int, storage: torch.UntypedStorage) -> int:
    """The bytes of a storage at address `at` that none of the results that share it uses."""
    used = sum(each.nbytes for each in returned if (_storage(each) or (0,))[0] == at)
    return max(0, storage.nbytes() - used)


def _sum(storage: torch.UntypedStorage) -> int | None:
    """A checksum of the contents, None if they cannot be read."""
    try:
        flat = torch.empty(0, dtype=torch.uint8, device=storage.device).set_(storage)
        return zlib.crc32(memoryview(flat.cpu().numpy()))  # type: ignore[arg-type]  # an array is a buffer
    except (RuntimeError, NotImplementedError, TypeError):
        return None


def _all_tensors() -> Iterator[torch.Tensor]:
    """All tensors that Python knows."""
    return (found for found in gc.get_objects() if issubclass(type(found), torch.Tensor))


def _attributes_of_nodes(returned: Iterable[torch.Tensor]) -> Iterator[torch.Tensor]:
    """Tensors that programs keep as attributes of `ctx`, alone or in a list, a tuple or a dict."""
    nodes: list[Any] = [tensor.grad_fn for tensor in returned if tensor.grad_fn is not None]
    seen = set(nodes)
    while nodes:
        node = nodes.pop()
        for value in list(getattr(node, "__dict__", {}).values()):
            values = value if isinstance(value, list | tuple) else [value]
            values = list(value.values()) if isinstance(value, dict) else values
            yield from (found for found in values if isinstance(found, torch.Tensor))
        fresh = {following for following, _ in node.next_functions if following is not None} - seen
        seen |= fresh
        nodes.extend(fresh)
