"""Calls a problem author's `checker.py` and encodes its answer for the referee.

Theory of operation. The author's function gets copies of arrays and says which elements are right. The
referee does not parse this answer. For every output, it reads an array of the exact values that the output
must hold. This module writes that array: for a right element, the program's value; for a wrong element, the
expected value, or another value if both are equal. So a rejected element always differs and an accepted
element never does. The referee's comparison decides, counts and reports, as it does without a checker. If the
problem has a score, the author returns it with the answer. If the file defines `RULES`, the author also
returns the name of the rule that the whole answer breaks, or None. A rule counts only if all elements are
right. This module then marks all elements as wrong, so that the referee rejects the answer. It writes an
array of two numbers: the score, and the index of the rule or NO_RULE.

It works over NumPy and over CuPy alike, and runs where `reference.py` does.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, cast

from sandbox.runner.contract import Array, ArrayModule, ContractError, widened
from sandbox.runner.programs import Programs
from sandbox.runner.session import scalar_of
from sandbox.wire import NO_RULE, Request

FILE = "checker.py"


@dataclass(frozen=True, slots=True)
class CheckerSignature:
    """The manifest: names of inputs, sizes and outputs in wire order, and the tolerance of each output."""

    inputs: tuple[str, ...]
    sizes: tuple[str, ...]
    outputs: tuple[str, ...]
    tolerance: Mapping[str, Mapping[str, Any]]
    score: tuple[float, float] | None = None  # its least and greatest value, if the problem has one
    rules: tuple[str, ...] = ()  # their names


def parse_checker(manifest: Mapping[str, Any]) -> CheckerSignature:
    """The part of a manifest that is about a checker."""
    score = manifest.get("score")
    return CheckerSignature(
        inputs=tuple(manifest["inputs"]),
        sizes=tuple(manifest["sizes"]),
        outputs=tuple(manifest["outputs"]),
        tolerance=manifest["tolerance"],
        score=(score["least"], score["most"]) if score else None,
        rules=tuple(manifest.get("rules", ())),
    )


def require_check(module: ModuleType) -> None:
    """Raises ContractError where there is no function `check`."""
    if not callable(getattr(module, "check", None)):
        raise ContractError(f"{FILE} does not define a function named check")


def carry_out(
    xp: ArrayModule,
    module: Any,
    signature: CheckerSignature,
    programs: Programs,
    request: Request,
    views: Sequence[Array | None],
) -> None:
    """Call the author's checker for one case, and write the answer over the expected values."""
    wire = iter(zip(request.arguments, views, strict=True))
    inputs: dict[str, Any] = {}
    for name in signature.inputs:
        argument, view = next(wire)
        inputs[name] = scalar_of(argument) if argument.scalar else widened(view, argument.dtype)
    size = {name: int(scalar_of(next(wire)[0])) for name in signature.sizes}
    given: dict[str, Array] = {}
    places: dict[str, Array] = {}
    for name in signature.outputs:
        argument, view = next(wire)
        given[name] = widened(view, argument.dtype)
        _, places[name] = next(wire)
    program = programs.keywords(size)
    right = module.check(
        xp,
        inputs,
        {name: place.copy() for name, place in places.items()},
        {name: values.copy() for name, values in given.items()},
        size=size,
        tolerance={name: dict(signature.tolerance[name]) for name in signature.outputs},
        **program,
    )
    right, score, broken = _parts(right, signature)
    masks = _masks(xp, right, given)
    accepted = all(bool(mask.all()) for mask in masks.values())
    if not accepted:
        broken = None
    elif broken is not None:
        masks = _masks(xp, False, given)
    for name, mask in masks.items():
        place = places[name]
        place[...] = acceptable(xp, mask, given[name], place)
    if signature.score is not None or signature.rules:
        place = cast("Array", next(wire)[1])
        scored = accepted and broken is None
        place[0] = _number(score, *signature.score) if scored and signature.score is not None else math.nan
        place[1] = NO_RULE if broken is None else signature.rules.index(broken)


def _parts(answer: object, signature: CheckerSignature) -> tuple[object, object, str | None]:
    """The author's answer: which elements are right, the score or None, the broken rule or None."""
    names = ["which elements are right"]
    names += ["the score"] if signature.score is not None else []
    names += ["the name of the broken rule or None"] if signature.rules else []
    if len(names) == 1:
        return answer, None, None
    if not isinstance(answer, tuple) or len(answer) != len(names):
        raise ContractError(f"check must return {len(names)} values: {', and '.join(names)}")
    broken = answer[-1] if signature.rules else None
    if broken is not None and broken not in signature.rules:
        raise ContractError(f"check returned the rule {broken!r}, which is not in RULES")
    return answer[0], answer[1] if signature.score is not None else None, broken


def _number(score: object, least: float, most: float) -> float:
    """The author's score of a right output as a float. Raises ContractError where it is not within bounds."""
    try:
        value = float(cast("Any", score))
    except (TypeError, ValueError) as error:
        raise ContractError(
            f"check returned {type(score).__name__} as the score, expected a number"
        ) from error
    if not least <= value <= most:  # also rejects NaN
        raise ContractError(f"check returned the score {value}, which is not from {least:g} to {most:g}")
    return value


def acceptable(xp: ArrayModule, right: Array, given: Array, expected: Array) -> Array:
    """Return the exact values an output must hold: `given` where right, another value elsewhere."""
    unlike = (given == 0).astype(given.dtype)
    useless = given == expected
    if given.dtype.kind == "f":  # a large expected value may be rounded to infinity
        useless = useless | ~xp.isfinite(given)
    return xp.where(right, given, xp.where(useless, unlike, expected))


def _masks(xp: ArrayModule, answer: object, given: Mapping[str, Array]) -> Mapping[str, Array]:
    """The author's answer as one array of bools for each output."""
    if not isinstance(answer, Mapping):
        answer = dict.fromkeys(given, answer)
    if set(answer) != set(given):
        raise ContractError(f"check returned results for {sorted(answer)}, expected {sorted(given)}")
    return {name: _mask(xp, answer[name], values.shape, name) for name, values in given.items()}


def _mask(xp: ArrayModule, answer: object, shape: tuple[int, ...], name: str) -> Array:
    mask = xp.asarray(answer)
    if mask.dtype.kind != "b":
        raise ContractError(f"check returned {mask.dtype} for {name}, expected a bool or an array of bool")
    if mask.shape not in {(), shape}:
        raise ContractError(f"check returned shape {mask.shape} for {name}, expected {shape}")
    return xp.broadcast_to(mask, shape)
