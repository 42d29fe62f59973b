"""Selects the additions whose rounding errors a counting run measures.

A counting run watches an addition if its result returns as one of its operands. This is so if a loop adds
terms to a sum. If the loop adds in float32 but stores the sum as a half, the sum has half precision.
Additions of packed halves are not watched.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from .definitions import Definitions
from .syntax import Instruction, Name, Number

_TYPES = {"f32": "kFloat32", "f16": "kFloat16", "bf16": "kBfloat16"}
_SUMS = ("add", "fma")
_BFLOAT16_ONE = 0x3F80
_THROUGH = ("mov", "selp", "cvt", *_SUMS)


@dataclass(frozen=True, slots=True)
class Accumulation:
    """An addition of a term to a sum.

    `sum` is the place of the operand with the previous sum, and `factors` are the places of the operands
    whose product is the term. `type` is the type of the addition. `format` is the C++ name of the format in
    which the loop keeps the sum.
    """

    type: str
    format: str
    sum: int
    factors: tuple[int, ...]


def watched_accumulation(instruction: Instruction, definitions: Definitions) -> Accumulation | None:
    """Return how `instruction` adds to a sum, or None if it is not watched."""
    if instruction.name not in _SUMS or len(instruction.types) != 1:
        return None
    kind = instruction.types[0].name
    if kind not in _TYPES or instruction.has("sat") or instruction.has("relu"):
        return None
    for place, term in _readings(instruction, definitions):
        narrowed = _comes_back(instruction, place, definitions)
        if narrowed is not None:
            return Accumulation(kind, _TYPES[narrowed if kind == "f32" else kind], place, term)
    return None


def _readings(instruction: Instruction, definitions: Definitions) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield each place at which the sum can be, with the places of the factors of the term."""
    if instruction.name == "add":
        yield from ((1, (2,)), (2, (1,)))
        return
    yield 3, (1, 2)
    # Where the GPU has no addition of bfloat16, CUDA's headers multiply by 1.
    factor = instruction.operand(2)
    if isinstance(factor, Name) and any(map(_is_bfloat16_one, definitions.of(factor.text))):
        yield from ((1, (3,)), (3, (1,)))


def _is_bfloat16_one(instruction: Instruction) -> bool:
    value = instruction.operand(1) if instruction.name == "mov" else None
    return isinstance(value, Number) and value.value == _BFLOAT16_ONE


def _comes_back(instruction: Instruction, place: int, definitions: Definitions) -> str | None:
    """Return the narrowest type that the sum has between `instruction` and its operand at `place`.

    Returns None if that operand does not come from `instruction`.
    """
    operand = instruction.operand(place)
    if not isinstance(operand, Name):
        return None
    if not definitions.reaches(operand.text, lambda found: found is instruction, _passes):
        return None
    for narrow in ("f16", "bf16"):
        if definitions.reaches(operand.text, lambda found, to=narrow: _narrows(found, to), _passes):  # type: ignore[misc]
            return narrow
    return "f32"


def _passes(instruction: Instruction) -> bool:
    return instruction.name in _THROUGH


def _narrows(instruction: Instruction, to: str) -> bool:
    return instruction.name == "cvt" and [kind.name for kind in instruction.types] == [to, "f32"]
