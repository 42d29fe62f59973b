"""Runs PyTorch code for `cuda` on a machine without a GPU, in host memory.

Problem sets place their tensors with `device="cuda"`, `.cuda()` or `.to("cuda")`, and query the device of
tensors. Under `place_on_host`, all of these use the host. With `meta=True`, tensors have a shape but no
contents, so that tests of gigabytes can be inspected without memory. Tensors requested on a GPU report a GPU
device, as far as that is tracked.
"""

import contextlib
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils import _device

from sandbox.runner import host_streams
from sandbox.runner.block_scaled import is_packed_product, packed_product
from sandbox.runner.virtual_device import ANSWERS

_ASKED, _HOST = "_asked_for_cuda", "_made_on_host"
_HISTOGRAMS = {torch.histc, torch.Tensor.histc}  # of integers, which a GPU counts and a host refuses
# Functions whose new tensor is in host memory unless a device is named.
_FACTORIES = {
    *(torch.arange, torch.empty, torch.eye, torch.full, torch.linspace, torch.logspace, torch.ones),
    *(torch.rand, torch.randint, torch.randn, torch.randperm, torch.tensor, torch.zeros),
}
# Functions that read contents, or change nothing else. Without contents, the answer is 1, so that the
# examination of shapes continues.
_CONTENTS = {
    torch.Tensor.item,
    torch.Tensor.__float__,
    torch.Tensor.__int__,
    torch.Tensor.__bool__,
    torch.Tensor.__setitem__,
}


def _is_cuda(value: object) -> bool:
    if isinstance(value, torch.device):
        return value.type == "cuda"
    return isinstance(value, str) and (value == "cuda" or value.startswith("cuda:"))


class _OnHost(TorchFunctionMode):
    """Replaces the device in every call that names one."""

    def __init__(self, place: str, device: torch.device) -> None:
        super().__init__()
        self._here = device
        self._place = torch.device(place)
        tensor: Any = torch.Tensor  # its attributes are described as values
        self._device = tensor.device.__get__
        self._is_cuda = tensor.is_cuda.__get__
        self._is_meta = tensor.is_meta.__get__

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        del types
        named = dict(kwargs or {})
        if func in _CONTENTS and self._place.type == "meta":
            return _content(func, *args)
        if func == self._device:
            return self._here
        if func == self._is_cuda:
            return True
        if func is torch.Tensor.cuda:
            return _asked(args[0].to(self._place))
        asked = any(_is_cuda(value) for value in (*args, *named.values()))
        if not asked:
            return self._without_device(func, args, named)
        moved = [self._place if _is_cuda(value) else value for value in args]
        named = {name: self._place if _is_cuda(value) else value for name, value in named.items()}
        # A device may be requested with an index, which the host's device does not have.
        return self._place if func is torch.device else _asked(func(*moved, **named))

    def _without_device(
        self, func: Callable[..., Any], args: Sequence[Any], named: Mapping[str, Any]
    ) -> object:
        first = args[0] if args else None
        result = _as_a_gpu(func, first)(*args, **named)
        has_device = named.get("device") is not None or _device.CURRENT_DEVICE is not None
        if func in _FACTORIES and not isinstance(first, torch.Tensor) and not has_device:
            return _marked(result, _HOST)
        return _asked(result) if func is torch.Tensor.to and _is_cuda_tensor(args[1:]) else result


def asked_for_cuda(tensor: torch.Tensor) -> bool:
    """Return whether a tensor was requested on a GPU. False if unknown."""
    return bool(getattr(tensor, _ASKED, False))


def is_host_tensor(tensor: torch.Tensor) -> bool:
    """Return whether a GPU cannot access a tensor: it, or the one it views, was made without a device."""
    with torch._C.DisableTorchFunction():  # noqa: SLF001 - torch.overrides has no public one
        related = [tensor, tensor._base]  # noqa: SLF001 - the documented way to the viewed tensor
    return not any(getattr(one, _ASKED, False) for one in related) and any(
        getattr(one, _HOST, False) for one in related
    )


@contextlib.contextmanager
def place_on_host(*, meta: bool = False, device: int = 0, devices: int = 1) -> Iterator[None]:
    """Within this context, a GPU is the host's memory, or with `meta` no memory at all.

    It is number `device` of `devices`.
    """
    here = torch.device("cuda", device)  # created here: within the mode, creating one counts as a GPU request
    place = "meta" if meta else "cpu"
    generator = torch.Generator

    class HostGenerator(generator):  # type: ignore[misc, valid-type]  # its base is a variable
        """A generator on the host, whatever device is requested."""

        def __new__(cls, device: object = None) -> Any:
            del device
            return super().__new__(cls)

    replaced: Mapping[str, Any] = {
        "synchronize": lambda _device=None: None,
        "is_available": lambda: True,
        "empty_cache": lambda: None,
        "manual_seed": lambda _seed: None,
        "manual_seed_all": lambda _seed: None,
        "current_device": lambda: device,
        "device_count": lambda: devices,
        **ANSWERS,
        **host_streams.REPLACED,
    }
    before = {name: getattr(torch.cuda, name) for name in replaced}
    compile_model, torch.compile = torch.compile, _compiled
    torch.Generator = HostGenerator  # type: ignore[misc]  # it stands in for the class
    for name, function in replaced.items():
        setattr(torch.cuda, name, function)
    try:
        with _OnHost(place, here):
            yield
    finally:
        torch.Generator = generator  # type: ignore[misc]  # the class itself again
        torch.compile = compile_model
        for name, function in before.items():
            setattr(torch.cuda, name, function)


def _content(func: Callable[..., Any], tensor: torch.Tensor, *rest: Any) -> Any:
    if not tensor.is_meta:
        return func(tensor, *rest)
    if func is torch.Tensor.__setitem__:
        return None  # a mask for an index would need contents
    floating = func is torch.Tensor.__float__ or (func is torch.Tensor.item and tensor.is_floating_point())
    return True if func is torch.Tensor.__bool__ else 1.0 if floating else 1


def _as_a_gpu(func: Callable[..., Any], first: object) -> Callable[..., Any]:
    """Return what computes `func` of a first argument as a GPU does, where a host refuses."""
    if is_packed_product(func, first):
        return packed_product
    if func in _HISTOGRAMS and isinstance(first, torch.Tensor) and not first.is_floating_point():
        return functools.partial(_counted, func)
    return func


def _counted(func: Callable[..., Any], tensor: torch.Tensor, *rest: Any, **named: Any) -> torch.Tensor:
    """Count integers as float64, which holds them and the counts exactly up to 2^53."""
    out = named.pop("out", None)
    counts: torch.Tensor = func(tensor.double(), *rest, **named).to(tensor.dtype)
    return counts if out is None else out.copy_(counts)


def _compiled(model: Any = None, **_: object) -> Any:
    """Return the argument without compiling it. Called without an argument, return a decorator."""
    return model if model is not None else _compiled


def _is_cuda_tensor(values: Sequence[Any]) -> bool:
    return bool(values) and isinstance(values[0], torch.Tensor) and not is_host_tensor(values[0])


def _asked(result: Any) -> Any:
    return _marked(result, _ASKED)


def _marked(result: Any, mark: str) -> Any:
    if isinstance(result, torch.Tensor):
        with contextlib.suppress(Exception):
            setattr(result, mark, True)
    return result
