"""Generates declarations, starters and an example call for programs in Python."""

from collections.abc import Mapping

from problems.calling import Pattern, PythonCallSpec, PythonEntry
from problems.schema import Argument, Problem
from problems.vocabulary import Dtype, Role


def signature_python(problem: Problem) -> str:
    """Return the required declaration, such as `def custom_kernel(data) -> torch.Tensor`."""
    call = call_of(problem)
    result = _result(call)
    match call.entry:
        case PythonEntry.CUSTOM_KERNEL:
            return f"def custom_kernel(data) -> {result}"
        case PythonEntry.MODEL_NEW:
            return "class ModelNew(torch.nn.Module)"
        case PythonEntry.FUNCTION:
            return "class Function(torch.autograd.Function)"
    return f"def solve({', '.join(_parameters(problem, call))}) -> {result}"


def call_of(problem: Problem) -> PythonCallSpec:
    """Return the form of the call of Python programs; by default `solve` with all arguments in order."""
    names = tuple(argument.name for argument in problem.arguments)
    return problem.python or PythonCallSpec(PythonEntry.SOLVE, Pattern.of_names(names))


def _communicates(problem: Problem) -> list[str]:
    """Return comments on the ranks of a program; none if it is one process."""
    if problem.ranks == 1:
        return []
    return [
        f"Each of {problem.ranks} ranks calls solve in a process of its own, with its part of each array.",
        "The process group already exists: use dist.get_rank() and the functions of torch.distributed.",
    ]


def starter_python(problem: Problem, explanations: list[str]) -> str:
    """Return a starter: it loads, explains every argument, and computes nothing."""
    call = call_of(problem)
    imports = ["import torch", *(["import torch.distributed as dist"] if problem.ranks > 1 else [])]
    notes = [*_communicates(problem), *_notes(call, explanations)]
    lines = [*imports, "", "", *(f"# {line}" for line in notes)]
    match call.entry:
        case PythonEntry.CUSTOM_KERNEL:
            lines += [f"{signature_python(problem)}:", *_unpacking(call.given)]
        case PythonEntry.MODEL_NEW:
            lines += ["class ModelNew(torch.nn.Module):", *_model(problem, call)]
        case PythonEntry.FUNCTION:
            return "\n".join([*lines, f"{signature_python(problem)}:", *_function(problem, call), ""])
        case _:
            lines.append(f"{signature_python(problem)}:")
    indent = "        " if call.entry is PythonEntry.MODEL_NEW else "    "
    if call.returns:
        lines += [f"{indent}# Return {', '.join(call.returns)}.", f"{indent}return None"]
    else:
        lines += [f"{indent}# Write {', '.join(_written(problem))}.", f"{indent}pass"]
    return "\n".join([*lines, ""])


def _notes(call: PythonCallSpec, explanations: list[str]) -> list[str]:
    notes = ["Arrays are tensors, scalars are numbers.", *(f"  {line}" for line in explanations)]
    if call.entry is PythonEntry.CUSTOM_KERNEL:
        notes.append(f"data is {call.given.text}.")
    if call.backward is not None:
        notes.append("The judge then starts the backward pass:")
        upstream = call.backward.upstream.items()
        notes += [f"  {gradient} is the gradient with respect to {name}." for name, gradient in upstream]
        wanted = call.backward.gradients.items()
        notes += [
            f"  It compares {gradient}, the gradient with respect to {name}." for name, gradient in wanted
        ]
    notes += [f"{name} is a tensor of dtype torch.{dtype}." for name, dtype in call.views.items()]
    if call.state:
        notes.append("The parameters of ModelNew are set before each call:")
        notes += [f"  {parameter} gets the values of {array}." for parameter, array in call.state.items()]
    for name, module in call.modules.items():
        held = ", ".join(f"{parameter} is {array}" for parameter, array in module.state.items())
        notes.append(f"{name} is torch.nn.{module.kind}{module.init.text}: {held}")
    return notes


def _unpacking(given: Pattern) -> list[str]:
    """Return a line that unpacks `data` if it is a plain tuple of names."""
    plain = isinstance(given.form.get("tuple"), list) and given.form == Pattern.of_names(given.names).form
    return [f"    {given.text.strip('()').rstrip(',')} = data"] if plain and len(given.names) > 1 else []


def _model(problem: Problem, call: PythonCallSpec) -> list[str]:
    made_with = ", ".join(["self", *call.init.names])
    parts = call.init.form["tuple"]
    count = len(parts) if isinstance(parts, list) else 0
    if count != len(call.init.names):  # some are constants, which have no names
        made_with = "self, *made_with"
    known = {argument.name: argument for argument in problem.arguments}
    taken = ", ".join(["self", *(_declared(known, name) for name in call.given.names)])
    return [
        f"    def __init__({made_with}):",
        "        super().__init__()",
        "        # Make the parameters here, named as above.",
        "",
        f"    def forward({taken}) -> {_result(call)}:",
    ]


def _function(problem: Problem, call: PythonCallSpec) -> list[str]:
    known = {argument.name: argument for argument in problem.arguments}
    forward = ", ".join(["ctx", *_parameters(problem, call)])
    upstream = call.backward.upstream if call.backward else {}
    backward = ", ".join(["ctx", *(_declared(known, upstream.get(name, name)) for name in call.returns)])
    return [
        "    @staticmethod",
        f"    def forward({forward}) -> {_result(call)}:",
        f"        # Keep what backward needs with ctx.save_for_backward. Return {', '.join(call.returns)}.",
        "        return None",
        "",
        "    @staticmethod",
        f"    def backward({backward}):",
        "        # Return a gradient for each argument of forward, None for those that need none.",
        "        return None",
    ]


def _parameters(problem: Problem, call: PythonCallSpec) -> list[str]:
    known = {argument.name: argument for argument in problem.arguments}
    parts = call.given.form.get("tuple")
    taken = []
    for index, part in enumerate(parts if isinstance(parts, list) else []):
        name = part.get("name")
        taken.append(_declared(known, name) if isinstance(name, str) else f"part_{index}")
    return taken


def _declared(known: Mapping[str, Argument], name: str) -> str:
    return f"{name}: {python_type(known[name]) if name in known else 'torch.nn.Module'}"


def _written(problem: Problem) -> list[str]:
    return [argument.name for argument in problem.arguments if argument.role in {Role.OUT, Role.INOUT}]


def _result(call: PythonCallSpec) -> str:
    if not call.returns:
        return "None"
    if len(call.returns) == 1:
        return "torch.Tensor"
    return f"tuple[{', '.join('torch.Tensor' for _ in call.returns)}]"


def python_type(argument: Argument) -> str:
    """The type of an argument in Python."""
    if argument.role is not Role.SCALAR:
        return "torch.Tensor"
    if argument.dtype is Dtype.BOOL:
        return "bool"
    return "float" if argument.dtype.is_float else "int"
