"""The arguments of a problem, for the statement's table."""

from collections.abc import Sequence
from dataclasses import dataclass

from problems import schema
from problems.vocabulary import ArrayMemory, Role


@dataclass(frozen=True, slots=True)
class Argument:
    """A row of the table of arguments.

    `value` says how a scalar follows from the sizes of a case, and is empty if it is the size of its name.
    `memory` is empty for scalars, and for arrays in device memory unless a program uses several GPUs.
    """

    name: str
    role: str
    dtype: str
    shape: str
    value: str = ""
    memory: str = ""
    on_host: bool = False


@dataclass(frozen=True, slots=True)
class CaseSize:
    """A size of the first sample. `use` says what it decides, empty if it is an argument of the same name.

    `most` is its greatest value in a custom case.
    """

    name: str
    value: int
    use: str
    most: int


_HOST = {ArrayMemory.HOST: "host, pageable", ArrayMemory.PINNED: "host, pinned"}


def argument_row(argument: schema.Argument, *, gpus: int) -> Argument:
    """Return the row of an argument of a problem whose programs use that many GPUs in one process."""
    formula = argument.value.text if argument.value else argument.name
    on_device = f"GPU {argument.device}" if gpus > 1 and argument.role is not Role.SCALAR else ""
    return Argument(
        argument.name,
        argument.role.value,
        argument.dtype.value,
        _shape([extent.text for extent in argument.shape]),
        "" if formula == argument.name else formula,
        _HOST.get(argument.memory, on_device),
        argument.memory.on_host,
    )


def _shape(extents: Sequence[str]) -> str:
    """Return the extents with signs between them, and with parentheses around calculations."""
    if len(extents) > 1:
        extents = [text if text.isidentifier() or text.isdigit() else f"({text})" for text in extents]
    return " \N{MULTIPLICATION SIGN} ".join(extents)


def case_size(name: str, value: int, arguments: Sequence[schema.Argument], *, most: int) -> CaseSize:
    """Return the size `name` of a case of a problem with these `arguments`."""
    scalars = {argument.name: argument.value.text for argument in arguments if argument.value is not None}
    if scalars.get(name) == name:
        return CaseSize(name, value, "", most)
    of_scalars = [
        f"{argument.name} = {argument.value.text}"
        for argument in arguments
        if argument.value is not None and name in argument.value.names
    ]
    of_shapes = [
        f"shape of {argument.name}: {argument_row(argument, gpus=1).shape}"
        for argument in arguments
        if any(name in formula.names for formula in argument.shape)
    ]
    use = "; ".join(of_scalars or of_shapes) or "decides how the data is drawn"
    return CaseSize(name, value, use, most)
