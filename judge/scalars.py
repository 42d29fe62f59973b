"""Draws the scalars for which a problem gives a range and no formula: one value for each case.

Theory of operation. The value follows from a seed, the name of the case and the name of the argument. So the
same seed gives the same value, as for the contents of arrays, and values differ between cases. The value is
known before the case is drawn. Oracle, runner, checker and clock get it like any other scalar, and all sets
of a timed case share it. The sets in a secret pool were drawn with other values, so a case with a drawn
scalar is never taken from there (`judge.gpu.pool.source`).
"""

from dataclasses import replace
from hashlib import blake2b

import numpy as np

from judge.dtypes import narrow, widen
from problems.formula import FormulaError
from problems.schema import Argument, Case, Problem

_BITS = 128


def with_scalars(problem: Problem, case: Case, seed: int) -> Case:
    """Return `case` with a value for each drawn scalar of `problem` that it does not state.

    Raises FormulaError if the range cannot be computed or is empty.
    """
    missing = [a for a in problem.arguments if a.drawn and a.name not in case.scalars]
    if not missing:
        return case
    drawn = {argument.name: _draw(argument, case, seed) for argument in missing}
    return replace(case, scalars={**case.scalars, **drawn})


def _draw(argument: Argument, case: Case, seed: int) -> int | float:
    rule = argument.values
    if rule is None or rule.least is None or rule.most is None:
        raise FormulaError(f"{argument.name} has no range")
    least, most = rule.least.number(case.sizes), rule.most.number(case.sizes)
    if least > most:
        raise FormulaError(f"the range of {argument.name} is empty with these sizes")
    key = f"{seed}/{case.name}/{argument.name}".encode()
    bits = int.from_bytes(blake2b(key, digest_size=_BITS // 8).digest(), "little")
    if not argument.dtype.is_float:
        return int(least) + bits % (int(most) - int(least) + 1)
    value = least + (most - least) * (bits / 2**_BITS)
    return float(min(most, max(least, _rounded(argument, value))))


def _rounded(argument: Argument, value: float) -> float:
    """Return `value` rounded to the dtype."""
    return float(widen(narrow(np.array([value]), argument.dtype), argument.dtype)[0])
