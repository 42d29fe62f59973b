"""The arguments of a problem, for the statement's table."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Argument:
    """A row of the table of arguments."""

    name: str
    role: str
    dtype: str
    shape: str
