"""A preview of a drawn case: shapes, ranges, first values, and the times of generator and reference.

Theory of operation. The oracle's sandbox draws the case twice with the same seed: once with a reference that
returns zeros, and once with the author's reference. The first draw gives the time of the generator, and the
difference gives the time of the reference. Both are wall-clock times with an error of some milliseconds. No
submission is involved, so values of hidden cases may be shown to the authors of the problem.
"""

import dataclasses
import math
import secrets
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from judge.drawn import inputs, layout, outputs
from judge.dtypes import storage, widen
from judge.proof.determinism import CaseDataSource
from judge.report import own_scalars
from judge.report_json import storable
from judge.sizes import MAX_SEED, SizesInvalid, check_sizes, shape_of
from problems.schema import Argument, Case, Problem
from problems.vocabulary import Group

FIRST_VALUES = 16
MAX_BYTES = 1 << 30
_ZEROS = """


def reference(xp, **arguments):
    return {answer}
"""

OpenOracle = Callable[[Problem], AbstractContextManager[CaseDataSource]]


class PreviewRefused(ValueError):
    """Raised if the case is unknown or too large. The message is for the author."""


@dataclass(frozen=True, slots=True)
class CaseWanted:
    """A case of the problem by its name, or custom sizes.

    Without a seed, each preview draws other contents.
    """

    case: str = ""
    sizes: Mapping[str, int] = field(default_factory=dict)
    seed: int | None = None

    def to_json(self) -> dict[str, Any]:
        """Return JSON values.

        The seed is a string, because it may have more digits than a number in JSON keeps.
        """
        seed = None if self.seed is None else str(self.seed)
        return {"case": self.case, "sizes": dict(self.sizes), "seed": seed}

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> Self:
        """Rebuild the value from the output of `to_json`."""
        seed = body.get("seed")
        return cls(body.get("case", ""), body.get("sizes") or {}, None if seed is None else int(seed))


@dataclass(frozen=True, slots=True)
class ArrayPreview:
    """One array: `part` is `input` or `expected`. Figures ignore elements that are not finite.

    Without finite elements, they are None.

    `first` are the first elements in C order, as text, so that NaN can be shown and integers keep all digits.
    """

    name: str
    part: str
    dtype: str
    shape: tuple[int, ...]
    size_bytes: int
    least: float | None
    greatest: float | None
    mean: float | None
    nans: int
    infinities: int
    first: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Preview:
    """The contents of a case drawn with `seed`. Times are wall clock, in milliseconds.

    `generator_ms` is None for a case that states its inputs. `scalars` are the drawn scalars, as text.
    """

    case: str
    group: Group
    sizes: Mapping[str, int]
    seed: int
    generator_ms: float | None
    reference_ms: float
    size_bytes: int
    arrays: tuple[ArrayPreview, ...]
    scalars: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return JSON values that any database can store."""
        body: dict[str, Any] = storable(dataclasses.asdict(self))
        return body | {"group": self.group.value, "seed": str(self.seed)}


def wanted_case(problem: Problem, wanted: CaseWanted) -> Case:
    """Return the requested case.

    Raises:
        PreviewRefused: the case is missing, the sizes do not fit the problem, or the case is too large.
    """
    if wanted.seed is not None and not 0 <= wanted.seed <= MAX_SEED:
        raise PreviewRefused(f"A seed is a number from 0 to {MAX_SEED}.")
    if wanted.sizes:
        try:
            check_sizes(problem, wanted.sizes)
        except SizesInvalid as error:
            raise PreviewRefused(str(error)) from error
        return Case("own sizes", Group.SMALL, dict(wanted.sizes))
    found = next((case for case in problem.cases if case.name == wanted.case), None)
    if found is None:
        known = ", ".join(case.name for case in problem.cases)
        raise PreviewRefused(f"Unknown case {wanted.case[:60]!r}. Choose one of: {known}.")
    _, size_bytes = layout(problem, found)
    if size_bytes > MAX_BYTES:
        raise PreviewRefused(
            f"{found.name} takes {size_bytes / 2**30:.1f} GiB; a preview is limited to "
            f"{MAX_BYTES / 2**30:g} GiB. "
            "Choose smaller sizes."
        )
    return found


def preview(problem: Problem, wanted: CaseWanted, open_oracle: OpenOracle) -> Preview:
    """Draw the requested case and describe it.

    Raises:
        PreviewRefused: see `wanted_case`.
        judge.errors.OracleFailed: the author's code fails. The message says where.
    """
    case = wanted_case(problem, wanted)
    seed = secrets.randbits(63) if wanted.seed is None else wanted.seed
    blank_ms = _time(_with_blank_reference(problem, case), case, seed, open_oracle)
    with open_oracle(problem) as oracle:
        started = time.perf_counter()
        drawn = oracle.draw(case, seed)
        both_ms = (time.perf_counter() - started) * 1000
    arrays = [
        _describe(a, "input", widen(drawn.inputs[a.name].view(storage(a.dtype)), a.dtype), case)
        for a in inputs(problem)
    ]
    arrays += [_describe(a, "expected", drawn.expected[a.name], case) for a in outputs(problem)]
    return Preview(
        case=case.name,
        group=case.group,
        sizes=case.sizes,
        seed=seed,
        generator_ms=None if case.inputs else blank_ms,
        reference_ms=max(0.0, both_ms - blank_ms),
        size_bytes=layout(problem, case)[1],
        arrays=tuple(arrays),
        scalars=own_scalars(drawn.case),
    )


def _with_blank_reference(problem: Problem, case: Case) -> Problem:
    def zeros(argument: Argument) -> str:
        dtype = "float64" if argument.dtype.is_float else "int64"
        return f"{argument.name!r}: xp.zeros({shape_of(argument, case.sizes)!r}, dtype=xp.{dtype})"

    blank = _ZEROS.format(answer="{" + ", ".join(map(zeros, outputs(problem))) + "}")
    return dataclasses.replace(problem, reference=problem.reference + blank)


def _time(problem: Problem, case: Case, seed: int, open_oracle: OpenOracle) -> float:
    """Return the time to draw, without loading, in milliseconds."""
    with open_oracle(problem) as oracle:
        started = time.perf_counter()
        oracle.draw(case, seed)
        return (time.perf_counter() - started) * 1000


def _describe(argument: Argument, part: str, values: npt.NDArray[np.generic], case: Case) -> ArrayPreview:
    flat = values.reshape(-1)
    finite = flat
    nans = infinities = 0
    if flat.dtype.kind == "f":
        good = np.isfinite(flat)
        finite, nans = flat[good], int(np.isnan(flat).sum())
        infinities = int(flat.size - good.sum()) - nans
    some = finite.size > 0
    with np.errstate(over="ignore"):
        mean = float(finite.mean(dtype=np.float64)) if some else None
    return ArrayPreview(
        name=argument.name,
        part=part,
        dtype=argument.dtype.value,
        shape=shape_of(argument, case.sizes),
        size_bytes=math.prod(shape_of(argument, case.sizes)) * argument.dtype.itemsize,
        least=float(finite.min()) if some else None,
        greatest=float(finite.max()) if some else None,
        mean=mean,
        nans=nans,
        infinities=infinities,
        first=tuple(_text(value) for value in flat[:FIRST_VALUES]),
    )


def _text(value: np.generic) -> str:
    return f"{float(value):.6g}" if value.dtype.kind == "f" else str(value.item())
