"""Rules for `[python]` and the arguments: every argument is passed, and every output is returned."""

import re
from collections.abc import Iterable, Mapping

from problems.calling import Backward, ModuleArgument, PythonCallSpec, PythonEntry
from problems.faults import FILE, Faults
from problems.schema import Argument
from problems.vocabulary import Dtype, Language, Role

_IDENTIFIER = "[a-z][a-z0-9_]{0,31}"
_PARAMETER = r"[A-Za-z_][A-Za-z0-9_]*([.][A-Za-z0-9_]+)*"


def check_python(
    call: PythonCallSpec | None,
    languages: tuple[Language, ...],
    arguments: tuple[Argument, ...],
    faults: Faults,
) -> None:
    """Check `[python]` against the arguments."""
    if call is None:
        return
    if Language.PYTHON not in languages:
        faults.add(
            FILE, "python", f'is only for problems in that language; add "{Language.PYTHON}" to languages'
        )
    roles = {argument.name: argument.role for argument in arguments}
    for name in call.modules:
        if name in roles or not re.fullmatch(_IDENTIFIER, name):
            faults.add(
                FILE,
                f"python.modules.{name[:40]}",
                "this name is an argument; choose another name, such as 'model'",
            )
    known = {**roles, **dict.fromkeys(call.modules)}
    _known("python.given", call.given.names, known, faults)
    _module("python", ModuleArgument("", call.init, call.state), roles, faults)
    for name, module in call.modules.items():
        _module(f"python.modules.{name[:40]}", module, roles, faults)
    _check_views(call, arguments, faults)
    if call.backward is not None:
        _check_backward(call, call.backward, arguments, faults)
    elif call.entry is PythonEntry.FUNCTION:
        faults.add(FILE, "python.backward", f'is missing; entry = "{PythonEntry.FUNCTION}" needs it')
    _check_uses(call, roles, faults)


def _check_backward(
    call: PythonCallSpec, backward: Backward, arguments: Iterable[Argument], faults: Faults
) -> None:
    """Check that the gradients fit what they are gradients of."""
    known = {argument.name: argument for argument in arguments}
    taken = {*call.given.names, *call.state.values()}
    seen: set[str] = set()
    for name, gradient in backward.upstream.items():
        key = f"python.backward.upstream.{name[:40]}"
        if name not in call.returns:
            faults.add(FILE, key, f"{name[:40]!r} is not in returns")
        if gradient in taken:
            faults.add(FILE, key, f"{gradient!r} is given to the forward pass; remove it from given")
        _check_pair(key, known.get(name), known.get(gradient), Role.IN, faults)
    for name, gradient in backward.gradients.items():
        key = f"python.backward.gradients.{name[:40]}"
        if name not in taken:
            faults.add(FILE, key, f"{name[:40]!r} is neither given nor in state")
        if name in known and known[name].role is not Role.IN:
            faults.add(FILE, key, f"{name!r} is not an array of role in")
        if gradient in seen or gradient in call.returns:
            faults.add(FILE, key, f"{gradient!r} is used twice; give each gradient an output of its own")
        seen.add(gradient)
        _check_pair(key, known.get(name), known.get(gradient), Role.OUT, faults)


def _check_pair(
    key: str, one: Argument | None, gradient: Argument | None, role: Role, faults: Faults
) -> None:
    """Check that `gradient` is an array of `role`, of the dtype and shape of `one`."""
    if gradient is None or gradient.role is not role:
        faults.add(FILE, key, f"must name an array of role {role}")
    elif one is not None and (
        not one.dtype.is_float
        or (one.dtype, [formula.text for formula in one.shape])
        != (gradient.dtype, [formula.text for formula in gradient.shape])
    ):
        faults.add(FILE, key, f"{gradient.name} must have the shape and the float dtype of {one.name}")


def _check_views(call: PythonCallSpec, arguments: Iterable[Argument], faults: Faults) -> None:
    bytes_arrays = {a.name for a in arguments if a.role is not Role.SCALAR and a.dtype is Dtype.UINT8}
    for name in call.views:
        if name not in bytes_arrays:
            faults.add(FILE, f"python.views.{name[:40]}", f"is not an array of dtype {Dtype.UINT8}")


def _known(place: str, names: Iterable[str], known: Mapping[str, object], faults: Faults) -> None:
    for name in names:
        if name not in known:
            faults.add(FILE, place, f"{name[:40]!r} is unknown; known names are {', '.join(known)}")


def _module(place: str, module: ModuleArgument, roles: Mapping[str, Role], faults: Faults) -> None:
    scalars = {name: role for name, role in roles.items() if role is Role.SCALAR}
    for name in module.init.names:
        if name not in scalars:
            faults.add(
                FILE, f"{place}.init", f"{name[:40]!r} is not a scalar; modules are created before arrays"
            )
    for parameter, name in module.state.items():
        key = f"{place}.state.{parameter[:60]}"
        if not re.fullmatch(_PARAMETER, parameter):
            faults.add(FILE, key, "is not a parameter name; write it like 'linear.weight'")
        if roles.get(name) is not Role.IN:
            faults.add(FILE, key, f"{name[:40]!r} is not an array of role in")


def _used(call: PythonCallSpec) -> set[str]:
    """The arrays that the call or the backward pass gets."""
    used = {*call.given.names, *call.state.values()}
    for module in call.modules.values():
        used.update(module.state.values())
    return used | set(call.backward.upstream.values() if call.backward else ())


def _check_uses(call: PythonCallSpec, roles: Mapping[str, Role], faults: Faults) -> None:
    used, gradients = _used(call), set(call.backward.gradients.values() if call.backward else ())
    for index, name in enumerate(call.returns):
        if roles.get(name) is not Role.OUT:
            faults.add(FILE, f"python.returns[{index}]", f"{name[:40]!r} is not an array of role out")
        if name in call.returns[:index]:
            faults.add(FILE, f"python.returns[{index}]", f"{name!r} is returned twice; keep one")
    for name, role in roles.items():
        if role is Role.OUT and name not in {*call.returns, *gradients, *used}:
            faults.add(FILE, "python", f"the output {name} is neither given nor returned; add it to returns")
        if role in {Role.IN, Role.INOUT} and name not in used:
            faults.add(FILE, "python.given", f"{name} is not given; add it")
    for name in call.modules:
        if name not in call.given.names:
            faults.add(FILE, "python.given", f"the module {name} is not given; add it")
