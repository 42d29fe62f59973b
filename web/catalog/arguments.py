"""The arguments of a problem, for the statement's table."""

from dataclasses import dataclass

from problems import schema
from problems.vocabulary import ArrayMemory, Role


@dataclass(frozen=True, slots=True)
class Argument:
    """A row of the table of arguments.

    `memory` is empty for scalars, and for arrays in device memory unless a program uses several GPUs.
    """

    name: str
    role: str
    dtype: str
    shape: str
    memory: str = ""

    on_host: bool = False


_HOST = {ArrayMemory.HOST: "host, pageable", ArrayMemory.PINNED: "host, pinned"}


def argument_row(argument: schema.Argument, *, gpus: int) -> Argument:
    """Return the row of an argument of a problem whose programs use that many GPUs."""
    on_device = f"GPU {argument.device}" if gpus > 1 and argument.role is not Role.SCALAR else ""
    return Argument(
        argument.name,
        argument.role.value,
        argument.dtype.value,
        " \N{MULTIPLICATION SIGN} ".join(formula.text for formula in argument.shape),
        _HOST.get(argument.memory, on_device),
        argument.memory.on_host,
    )
