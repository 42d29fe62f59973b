"""Builds the call of a Python program that the manifest describes, from the wire's arguments.

Theory of operation. `problems.calling` documents the manifest. A call is bound once to each set of arguments.
Then modules are created, and their parameters use the memory of the arrays, so that the call also sees
contents that arrive later, as in a timed session. Returned values are copied into the outputs if they fit.
These checks only help honest programs: the process is hostile, and the referee checks its own arrays.
"""

import functools
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, cast

import torch

from sandbox.runner.python_backward import BackwardPass, Gradient, Misfit, SavedBytes, leaf

_TASK = "task"  # the module that programs for GPU MODE import their types from
Value = torch.Tensor | int | float | bool
Bound = Callable[[], object]
_SOLVE, _CUSTOM_KERNEL, _MODEL_NEW, _FUNCTION = "solve", "custom_kernel", "ModelNew", "Function"
_PACKED = "Name its parameters as the problem does, because several of them share an array."


@dataclass(frozen=True, slots=True)
class _Module:
    """Constructor arguments of a module, and the arrays that hold its parameters."""

    init: Mapping[str, Any]
    state: Mapping[str, str]


class PythonCall:
    """The call of one program. `of` finds what the program defines.

    While `counting`, calls with a backward pass store in `saved_bytes` the bytes that they kept for it.
    `traced` is then the function of the program in the call that was bound last, with its arguments.
    """

    def __init__(self, names: Sequence[str], described: Mapping[str, Any], program: ModuleType) -> None:
        self._names = tuple(names)
        self._described = described
        self._returns: tuple[str, ...] = tuple(described["returns"])
        self._model = _Module(described["init"], described["state"])
        self._backward: Mapping[str, Mapping[str, str]] | None = described.get("backward")
        self.counting = False
        self.recorded: Callable[[], Iterable[torch.Tensor]] = tuple  # tensors that the runner keeps
        self.saved_bytes: int | None = None
        self.traced: tuple[Callable[..., Any], Sequence[Any]] | None = None
        self._entry: str = described["entry"]
        found = getattr(program, self._entry, None)
        self._plain = not callable(found)
        if self._plain:
            found = getattr(program, _SOLVE, None)
            self._returns, self._backward = (), None
        if not callable(found):
            known = dict.fromkeys((self._entry, _SOLVE))
            raise Misfit(f"The file does not define {' or '.join(known)}.")
        if self._entry == _FUNCTION and not self._plain:
            if not isinstance(found, type) or not issubclass(found, torch.autograd.Function):
                raise Misfit(f"{_FUNCTION} must be a class derived from torch.autograd.Function.")
            found = found.apply
        self._found = cast("Callable[..., Any]", found)

    @property
    def has_backward(self) -> bool:
        """Whether a backward pass follows the call."""
        return self._backward is not None

    @classmethod
    def of(cls, manifest: Mapping[str, Any], program: ModuleType) -> "PythonCall":
        """The call that `manifest` describes. Raises Misfit when `program` does not define it."""
        return cls([entry["name"] for entry in manifest["arguments"]], manifest["python"], program)

    def bound(self, values: Sequence[Value]) -> Bound:
        """The call of these arguments. Raises Misfit, and whatever the program raises."""
        if self._plain:
            self._keep_for_tracing(self._found, values)
            return functools.partial(_without_gradients, self._found, values)
        known: dict[str, Any] = dict(zip(self._names, values, strict=True))
        for name, dtype in self._described.get("views", {}).items():
            known[name] = known[name].view(getattr(torch, dtype))
        device = next((value.device for value in values if isinstance(value, torch.Tensor)), None)
        for name, described in self._described["modules"].items():
            kind = getattr(torch.nn, described["kind"])
            known[name] = _made(kind, _Module(described["init"], described["state"]), known, device)
        for name in self._backward["gradients"] if self._backward else ():
            if name not in self._model.state.values():  # parameters of the model are leaves already
                known[name] = leaf(known[name])
        passed = _built(self._described["given"], known)
        function, arguments = self._found, passed if isinstance(passed, tuple) else (passed,)
        if self._entry == _CUSTOM_KERNEL:
            arguments = (passed,)
        elif self._entry == _MODEL_NEW:
            function = _made(self._found, self._model, known, device)
        self._keep_for_tracing(function, arguments)
        outputs = {name: known[name] for name in self._returns}
        if self._backward is None:
            return functools.partial(self._call, function, arguments, outputs)
        modules = [value for value in (function, *known.values()) if isinstance(value, torch.nn.Module)]
        parameters = [parameter for module in modules for parameter in module.parameters()]
        backward = self._backward_pass(known, function)
        tensors = [value for value in (*values, *known.values()) if isinstance(value, torch.Tensor)]
        saved = functools.partial(SavedBytes, parameters, tensors)
        return functools.partial(self._call_back, function, arguments, outputs, backward, saved)

    def _keep_for_tracing(self, function: Callable[..., Any], arguments: Sequence[Any]) -> None:
        self.traced = (function, arguments) if self.counting else None

    def _call(
        self, function: Callable[..., Any], arguments: Sequence[Any], outputs: Mapping[str, torch.Tensor]
    ) -> None:
        result = _without_gradients(function, arguments)
        if outputs:
            self._keep(result, outputs)

    def _call_back(
        self,
        function: Callable[..., Any],
        arguments: Sequence[Any],
        outputs: Mapping[str, torch.Tensor],
        backward: BackwardPass,
        saved_bytes: Callable[[], SavedBytes],
    ) -> None:
        """Forward, then backward."""
        with torch.enable_grad():
            if not self.counting:
                returned = self._keep(function(*arguments), outputs)
            else:
                with saved_bytes() as saved:
                    returned = self._keep(function(*arguments), outputs)
                self.saved_bytes = saved.after(returned.values(), self.recorded())
            backward.run(self._entry, returned)

    def _backward_pass(self, known: Mapping[str, Any], function: Callable[..., Any]) -> BackwardPass:
        described = self._backward or {"upstream": {}, "gradients": {}}
        held = _parameters(function)

        def inputs(name: str) -> tuple[torch.Tensor, ...]:
            parts = [parameter for parameter, array in self._model.state.items() if array == name]
            if missing := [part for part in parts if part not in held]:
                raise Misfit(f"{self._entry} has no parameter {missing[0]}. {_PACKED}")
            return tuple(held[part] for part in parts) or (known[name],)

        return BackwardPass(
            {name: known[given] for name, given in described["upstream"].items()},
            tuple(
                Gradient(name, inputs(name), known[output]) for name, output in described["gradients"].items()
            ),
        )

    def _keep(self, result: Any, outputs: Mapping[str, torch.Tensor]) -> Mapping[str, torch.Tensor]:
        """Copy what a call returned into `outputs`. Return it by name."""
        results = result if isinstance(result, tuple | list) and len(outputs) > 1 else (result,)
        if len(results) != len(outputs):
            raise Misfit(f"{self._entry} returned {_what(result)}, expected {', '.join(outputs)}.")
        for (name, output), returned in zip(outputs.items(), results, strict=True):
            _copy(self._entry, name, output, returned)
        return dict(zip(outputs, results, strict=True))


class _AnyType(ModuleType):
    """A module in which every name stands for any type."""

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        return Any


def offer_types(described: Mapping[str, Any]) -> None:
    """Let a program that defines `custom_kernel` import its types, which are for readers alone."""
    if described["entry"] == _CUSTOM_KERNEL:
        sys.modules.setdefault(_TASK, _AnyType(_TASK))


def _without_gradients(function: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    with torch.no_grad():
        return function(*arguments)


def _parameters(function: Callable[..., Any]) -> Mapping[str, torch.Tensor]:
    return dict(function.named_parameters()) if isinstance(function, torch.nn.Module) else {}


def _copy(entry: str, name: str, output: torch.Tensor, returned: object) -> None:
    wanted = f"{name}, which is {_what(output)}"
    if not isinstance(returned, torch.Tensor):
        raise Misfit(f"{entry} returned {_what(returned)}, expected {wanted}.")
    if returned.dim() == 0 and output.numel() == 1:
        returned = returned.reshape(output.shape)
    if returned.shape != output.shape or returned.dtype != output.dtype:
        raise Misfit(f"{entry} returned {_what(returned)} for {wanted}.")
    if returned.data_ptr() != output.data_ptr() or returned.stride() != output.stride():
        with torch.no_grad():
            output.copy_(returned)


def _what(value: object) -> str:
    """`float32[3, 4]`, or the name of a type."""
    if isinstance(value, torch.Tensor):
        return f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}"
    if isinstance(value, tuple | list):
        return f"{type(value).__name__} of {len(value)}"
    return "None" if value is None else type(value).__name__


def _built(form: Mapping[str, Any], known: Mapping[str, Any]) -> Any:
    """Return the value that a pattern describes."""
    match form:
        case {"name": name}:
            return known[name]
        case {"tuple": items}:
            return tuple(_built(item, known) for item in items)
        case {"list": items}:
            return [_built(item, known) for item in items]
        case {"dict": pairs}:
            return {key: _built(value, known) for key, value in pairs}
    return form["value"]


def _made(
    kind: Callable[..., Any], described: _Module, known: Mapping[str, Any], device: torch.device | None
) -> Any:
    """A module over the arrays of its parameters."""
    module = kind(*_built(described.init, known))
    if not isinstance(module, torch.nn.Module):
        raise Misfit(f"{getattr(kind, '__name__', 'it')} must be a torch.nn.Module.")
    if device is not None:
        module = module.to(device)
    own = type(module).load_state_dict is not torch.nn.Module.load_state_dict
    if described.state:
        state = _whole(described.state, known) if own else _parts(module, described.state, known)
        module.load_state_dict(state, strict=False, assign=True)
    return module


def _whole(state: Mapping[str, str], known: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """The arrays as they are, for a module that loads them in its own way."""
    if len(set(state.values())) != len(state):
        raise Misfit(_PACKED)
    return {parameter: known[array] for parameter, array in state.items()}


def _parts(
    module: torch.nn.Module, state: Mapping[str, str], known: Mapping[str, torch.Tensor]
) -> dict[str, torch.Tensor]:
    """The array of each parameter, or the part of an array that several share."""
    has = {name: tuple(parameter.shape) for name, parameter in module.named_parameters()}
    who = type(module).__name__
    if set(has) != set(state):
        raise Misfit(
            f"{who} has the parameters {', '.join(has) or 'none'}; the problem sets {', '.join(state)}. "
            "Use these names, or define load_state_dict."
        )
    used = dict.fromkeys(state.values(), 0)
    sharing = list(state.values())
    found = {}
    for parameter, array in state.items():
        tensor, shape = known[array], has[parameter]
        if sharing.count(array) == 1 and tuple(tensor.shape) != shape:
            raise Misfit(f"{parameter} of {who} has shape {list(shape)}, but {array} is {_what(tensor)}.")
        start = used[array]
        used[array] += (count := _product(shape))
        found[parameter] = tensor.reshape(-1)[start : start + count].view(shape)
    for array, count in used.items():
        if known[array].numel() != count:
            raise Misfit(
                f"The parameters of {who} have {count} elements, but {array} is {_what(known[array])}."
            )
    return found


def _product(shape: Sequence[int]) -> int:
    return int(torch.Size(shape).numel())
