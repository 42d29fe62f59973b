"""The arguments of a problem, as the statement's table shows them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Argument:
    """A row of the table of arguments."""

    name: str
    role: str
    dtype: str
    shape: str
