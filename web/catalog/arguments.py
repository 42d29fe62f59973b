"""The arguments of a problem, for the statement's table."""

from dataclasses import dataclass

from problems.vocabulary import ArrayMemory


@dataclass(frozen=True, slots=True)
class Argument:
    """A row of the table of arguments. `memory` is empty for arrays in device memory and for scalars."""

    name: str
    role: str
    dtype: str
    shape: str
    memory: str = ""


def memory_text(memory: ArrayMemory) -> str:
    """Return what the table says of an array in host memory; empty for one in device memory."""
    return {ArrayMemory.DEVICE: "", ArrayMemory.HOST: "host, pageable", ArrayMemory.PINNED: "host, pinned"}[
        memory
    ]
