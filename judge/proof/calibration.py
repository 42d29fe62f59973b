"""Checks that tolerances accept honest programs with a margin, and reject lower precision.

Theory of operation. The exact answer is the reference's result in float64. Then the reference runs on the
same inputs in other variants (`sandbox.runner.trials`). Honest variants use the output's own precision and
add in the orders that kernels use; they must pass. Other variants use lower precisions, or inputs rounded to
them; they must fail at least one hidden case. All errors are measured in multiples of the tolerance.

The errors of the honest variants determine a tolerance that would accept all of them with a margin. This
tolerance is advised only if it still rejects the lower precisions.
"""

import dataclasses
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from judge.drawn import inputs, outputs
from judge.dtypes import narrow, widen
from judge.oracle import Drawn
from judge.proof.checker_audit import Accepts, Stored
from judge.proof.determinism import SEED, Expected, OpenOracle
from judge.proof.results import Attempt, ProofFinding, ToleranceReport, error, warning
from judge.runner.comparison import compare
from judge.sizes import shape_of
from problems.schema import Argument, Problem, Tolerance
from problems.vocabulary import Dtype

LEAST_MARGIN = 2.0  # between the worst honest error and the tolerance
_ADVISED_MARGIN = 4.0
_TELLING_ELEMENTS = 16  # fewer elements do not show how errors depend on values
_APPENDIX = """

from sandbox.runner.trials import attempted as _attempted

reference = _attempted(reference, {variants!r})
"""
_ORDERS = {
    "plain": "",
    "sequential": ", sums one after the other",
    "reversed": ", sums from the end",
    "lanes": ", sums in lanes",
}
# The lower precisions of each dtype: formats to which inputs may be rounded, or in which programs may
# compute.
_BELOW = {
    Dtype.FLOAT64: ("float32",),
    Dtype.FLOAT32: ("tf32", "float16", "bfloat16"),
    Dtype.FLOAT16: ("bfloat16",),
    Dtype.BFLOAT16: ("float8",),
}
_MANTISSA = {"float64": 52, "float32": 23, "tf32": 10, "float16": 10, "bfloat16": 7, "float8": 3}
_ONLY_INPUTS = {"tf32"}  # tensor cores round their factors, and add in float32
_LOWER = "lower the tolerance, or add a case where it shows"
_STEPS = (1.0, 2.0, 5.0, 10.0)


@dataclass(frozen=True, slots=True)
class Calibrated:
    """The findings of the calibration, and the figures for every float output."""

    findings: tuple[ProofFinding, ...]
    reports: tuple[ToleranceReport, ...]


@dataclass(frozen=True, slots=True)
class _PrecisionVariant:
    """A variant of the reference: its name in reports, and arguments of `sandbox.runner.trials.attempted`."""

    name: str
    kept: str
    inputs: str = ""
    results: str = ""
    order: str = ""

    @property
    def wire(self) -> tuple[str, str, str, str]:
        return self.kept, self.inputs, self.results, self.order


@dataclass(slots=True)
class _Tried:
    """A variant with its answers, by the index of the case."""

    variant: _PrecisionVariant
    honest: bool
    answers: dict[int, Stored] = dataclasses.field(default_factory=dict)
    failed: int | None = None  # the first case that it fails


def calibrate(
    problem: Problem, exact: Sequence[Drawn], open_oracle: OpenOracle, accepts: Accepts | None = None
) -> Calibrated:
    """Try variants of the reference on the hidden cases `exact` (of `judge.proof.determinism.draw_exact`).

    If the problem has its own checker, `accepts` returns whether the outputs of a case pass.

    Raises:
        judge.errors.OracleFailed: the author's code breaks.
    """
    floats = [argument for argument in outputs(problem) if argument.dtype.is_float]
    if not floats or problem.under_test is not None:  # submitted tests are not the result of a computation
        return Calibrated((), ())
    dtype = max((argument.dtype for argument in floats), key=lambda d: _MANTISSA[d.value])
    judge = accepts or (lambda drawn, stored: _within_tolerance(problem, drawn, stored))
    environment = _Bench(problem, exact, open_oracle, judge)
    honest = [_Tried(variant, honest=True) for variant in _honest(dtype)]
    environment.try_on(honest, range(len(exact)))
    lower = [_Tried(variant, honest=False) for variant in _lower(problem, dtype)]
    largest = max(range(len(exact)), key=lambda at: sum(a.size for a in exact[at].expected.values()))
    environment.try_on(lower, [largest])
    undetected = [tried for tried in lower if tried.failed is None]
    if undetected:
        environment.try_on(undetected, [at for at in range(len(exact)) if at != largest])
    tried = [*honest, *lower]
    reports = tuple(
        _report(argument, exact, tried, measured=accepts is None and argument.dtype.is_float)
        for argument in floats
    )
    findings = [*_on_honest(exact, honest, reports), *_on_lower(lower, reports)]
    findings += _on_outputs(problem, exact, dtype, judge)
    return Calibrated(tuple(findings), reports)


@dataclass(frozen=True, slots=True)
class _Bench:
    problem: Problem
    exact: Sequence[Drawn]
    open_oracle: OpenOracle
    accepts: Accepts

    def try_on(self, tried: Sequence[_Tried], cases: Sequence[int] | range) -> None:
        """Run every variant on these cases, and keep the answers."""
        if not tried or not cases:
            return
        variants = [one.variant.wire for one in tried]
        asked = dataclasses.replace(
            self.problem, reference=self.problem.reference + _APPENDIX.format(variants=variants)
        )
        with self.open_oracle(asked) as oracle:
            for at in cases:
                drawn = self.exact[at]
                for one in tried:
                    stored = _stored(self.problem, oracle.draw(drawn.case, SEED).expected, drawn)
                    one.answers[at] = stored
                    if one.failed is None and not self.accepts(drawn, stored):
                        one.failed = at


def _honest(dtype: Dtype) -> Iterator[_PrecisionVariant]:
    """Yield the honest variants.

    For half precision, they compute in float32, as kernels do, and round at the end.
    """
    kept = dtype.value if dtype in {Dtype.FLOAT64, Dtype.FLOAT32} else "float32"
    for order, words in _ORDERS.items():
        yield _PrecisionVariant(f"evaluated in {kept}{words}", kept, order=order)


def _lower(problem: Problem, dtype: Dtype) -> Iterator[_PrecisionVariant]:
    floats = [argument.dtype.value for argument in inputs(problem) if argument.dtype.is_float]
    if not floats:
        return
    finest = max(_MANTISSA[name] for name in floats)
    for form in _BELOW[dtype]:
        if _MANTISSA[form] < finest:
            yield _PrecisionVariant(f"inputs rounded to {form}", "float64", inputs=form)
        if form not in _ONLY_INPUTS:
            kept = "float32"
            yield _PrecisionVariant(f"all computed in {form}", kept, form, form, "plain")


def _stored(problem: Problem, answer: Expected, drawn: Drawn) -> Stored:
    """Return an answer as a program would store it."""
    with np.errstate(over="ignore", invalid="ignore"):
        return {
            argument.name: narrow(answer[argument.name], argument.dtype).reshape(
                shape_of(argument, drawn.case.sizes)
            )
            for argument in outputs(problem)
        }


def _within_tolerance(problem: Problem, drawn: Drawn, stored: Stored) -> bool:
    return all(
        compare(
            argument.name,
            dtype=argument.dtype,
            got=stored[argument.name],
            expected=drawn.expected[argument.name],
            poison=None,
            tolerance=argument.tolerance or Tolerance(),
        ).mismatched
        == 0
        for argument in outputs(problem)
    )


def _report(
    argument: Argument, exact: Sequence[Drawn], tried: Sequence[_Tried], *, measured: bool
) -> ToleranceReport:
    tolerance = argument.tolerance or Tolerance()
    advised = _advise(argument, exact, tried) if measured else None
    return ToleranceReport(
        argument=argument.name,
        dtype=argument.dtype.value,
        relative=tolerance.relative,
        absolute=tolerance.absolute,
        advised_relative=advised.relative if advised else None,
        advised_absolute=advised.absolute if advised else None,
        attempts=tuple(
            Attempt(
                one.variant.name,
                one.honest,
                passes=one.failed is None,
                worst=_finite(_worst(argument, exact, one, tolerance)) if measured else None,
            )
            for one in tried
        ),
    )


def _finite(worst: float) -> float | None:
    return worst if math.isfinite(worst) else None


def _worst(argument: Argument, exact: Sequence[Drawn], tried: _Tried, tolerance: Tolerance) -> float:
    """Return the largest error of an output as a multiple of `tolerance`."""
    worst = 0.0
    for at, stored in tried.answers.items():
        errors, sizes, whole = _errors(argument, exact[at], stored)
        if not whole:
            return math.inf
        allowed = tolerance.absolute + tolerance.relative * sizes
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = np.where(errors == 0, 0.0, errors / allowed)
        worst = max(worst, float(shares.max(initial=0.0)))
    return worst


def _errors(
    argument: Argument, drawn: Drawn, stored: Stored
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], bool]:
    """Return errors and magnitudes at finite exact values, and whether the other elements are right."""
    want = np.asarray(drawn.expected[argument.name], np.float64).reshape(-1)
    got = np.asarray(widen(stored[argument.name], argument.dtype), np.float64).reshape(-1)
    # A value beyond the dtype's range becomes infinite, as in `judge.runner.comparison`.
    finite = np.isfinite(want) & np.isfinite(widen(narrow(want, argument.dtype), argument.dtype))
    with np.errstate(invalid="ignore"):
        errors = np.abs(got[finite] - want[finite])
    return errors, np.abs(want[finite]), bool(np.isfinite(errors).all())


def _advise(argument: Argument, exact: Sequence[Drawn], tried: Sequence[_Tried]) -> Tolerance | None:
    """Return a tolerance that honest answers pass with a margin and other answers fail, or None."""
    honest = [
        _errors(argument, exact[at], stored)
        for one in tried
        if one.honest
        for at, stored in one.answers.items()
    ]
    if not all(whole for _, _, whole in honest):
        return None
    errors = np.concatenate([found for found, _, _ in honest])
    sizes = np.concatenate([found for _, found, _ in honest])
    nan = bool(argument.tolerance and argument.tolerance.nan)
    advised = Tolerance(0.0, 0.0, nan)
    if errors.any():
        relative = _ADVISED_MARGIN * 2.0 ** -_MANTISSA[argument.dtype.value]
        telling = [found for found in honest if found[0].any() and len(found[0]) >= _TELLING_ELEMENTS]
        if telling and all(_grows(*found[:2]) for found in telling):
            large = sizes >= np.median(sizes[sizes > 0])
            relative = max(relative, _ADVISED_MARGIN * float((errors[large] / sizes[large]).max()))
        relative = min(1.0, _round_up(relative))
        rest = float((_ADVISED_MARGIN * errors - relative * sizes).max(initial=0.0))
        advised = Tolerance(relative, _round_up(rest), nan)
    others = [one for one in tried if not one.honest]
    if any(_worst(argument, exact, one, advised) <= 1 for one in others):
        return None
    return advised


def _grows(errors: npt.NDArray[np.float64], sizes: npt.NDArray[np.float64]) -> bool:
    """Return whether errors grow with the values, as for products, or not, as for sums."""
    large = sizes > np.median(sizes)
    if not large.any() or not (sizes[~large].any() and errors[~large].any()):
        return bool(errors[large].any())
    grown = float(errors[large].mean() / errors[~large].mean())
    return grown > math.sqrt(float(sizes[large].mean() / sizes[~large].mean()))


def _round_up(value: float) -> float:
    """Round up to 1, 2 or 5 times a power of ten. Returns 0 for 0."""
    if value <= 0:
        return 0.0
    power = 10.0 ** math.floor(math.log10(value))
    step = next(step for step in _STEPS if step * power >= value * (1 - 1e-9))
    return float(f"{step * power:.0e}")


def _on_honest(
    exact: Sequence[Drawn], honest: Sequence[_Tried], reports: Sequence[ToleranceReport]
) -> Iterator[ProofFinding]:
    failed = next((one for one in honest if one.failed is not None), None)
    if failed is not None and failed.failed is not None:
        case = exact[failed.failed].case.name
        yield error(
            "problem.toml: tolerance",
            f"the reference {failed.variant.name} fails case {case}, so correct programs may fail too",
            _advice(reports, "raise the tolerance, or choose inputs with smaller errors"),
        )
        return
    for report in reports:
        worst = max((a.worst for a in report.attempts if a.honest and a.worst is not None), default=0.0)
        if worst > 1 / LEAST_MARGIN:
            yield warning(
                "problem.toml: tolerance",
                f"legitimate orders of summation use up to {100 * worst:.0f} % of the tolerance of "
                f"{report.argument}",
                _advice([report], f"leave a margin of {LEAST_MARGIN:g} times the largest error"),
            )


def _on_lower(lower: Sequence[_Tried], reports: Sequence[ToleranceReport]) -> Iterator[ProofFinding]:
    names = [one.variant.name for one in lower if one.failed is None]
    if names:
        yield error("problem.toml: tolerance", _let_through(", or ".join(names)), _advice(reports, _LOWER))


def _on_outputs(
    problem: Problem, exact: Sequence[Drawn], dtype: Dtype, accepts: Accepts
) -> Iterator[ProofFinding]:
    """Yield findings on answers that are exact except for their last rounding."""
    form = next(form for form in _BELOW[dtype] if form not in _ONLY_INPUTS)
    below = next((d for d in Dtype if d.value == form), None)
    # A sum near zero may be rounded at the end. This saves no work, so it need not be rejected.
    if below is not None and all(
        accepts(drawn, _stored(problem, _rounded(problem, drawn, below), drawn)) for drawn in exact
    ):
        name = f"outputs rounded to {below}"
        yield warning("problem.toml: tolerance", _let_through(name), _LOWER)
    if not all(accepts(drawn, _stored(problem, drawn.expected, drawn)) for drawn in exact):
        yield warning(
            "problem.toml: tolerance",
            "the exact result, correctly rounded, does not pass",
            "raise relative to at least half a unit in the last place",
        )


def _rounded(problem: Problem, drawn: Drawn, dtype: Dtype) -> Expected:
    with np.errstate(over="ignore"):
        return {
            a.name: widen(narrow(drawn.expected[a.name], dtype), dtype)
            if a.dtype.is_float
            else drawn.expected[a.name]
            for a in outputs(problem)
        }


def _let_through(name: str) -> str:
    return f"a program with {name} is accepted by every case"


def _advice(reports: Sequence[ToleranceReport], otherwise: str) -> str:
    """Return the advised tolerances if the figures allow any, else `otherwise`."""
    offers = [
        f"{report.argument}: tolerance = {{ relative = {report.advised_relative:g}, "
        f"absolute = {report.advised_absolute:g} }}"
        for report in reports
        if report.advised_relative is not None and report.advised_absolute is not None
    ]
    return f"{otherwise}; measured errors suggest {'; '.join(offers)}" if offers else otherwise
