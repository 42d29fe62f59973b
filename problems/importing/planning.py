"""Plans a package from the sandbox's description: arguments, sizes, roles, and warnings."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from problems.calling import BYTE_FORMATS
from problems.importing.contents import is_sorted, most_of
from problems.importing.described import Array, Described, Scalar, Test
from problems.importing.names import argument_names
from problems.importing.refusals import python_fails, random_reference
from problems.importing.relations import Relations
from problems.importing.report import Refused
from problems.importing.sizes import MOST, NoSizes, SizeOrigin, Sizes, find_sizes
from problems.importing.unmade import with_outputs
from problems.rules import MAX_WIRE_ARGUMENTS
from problems.vocabulary import Dtype, Role

_MOST_RANK = 4
_SMALL_DRIFT = 0.1  # of the tolerance
_MOST_DRIFT = 9.0
_SHOWN_TESTS = 3
_LONGEST_LIST = 8
VARIANT = "variant"


@dataclass(frozen=True, slots=True)
class PlannedArgument:
    """An argument, with the author's name and Warpcourt's.

    `flat` arrays have many or varying dimensions in the set.

    `view` is the element type in the call, one of BYTE_FORMATS, if it differs from `dtype`.
    """

    theirs: str
    ours: str
    role: Role
    dtype: Dtype
    flat: bool = False
    point: bool = False
    zeroed: bool = False
    view: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether it holds integers or booleans that are not the bits of another format."""
        return not self.dtype.is_float and not self.view

    @property
    def written(self) -> bool:
        """Whether it is an output."""
        return self.role in {Role.OUT, Role.INOUT}


@dataclass(frozen=True, slots=True)
class Plan:
    """The parts of a package without its texts. `tests` are the tests that can be cases, as in `sizes`."""

    title: str
    absolute: float
    relative: float
    arguments: tuple[PlannedArgument, ...]
    described: Described
    tests: tuple[Test, ...]
    sizes: Sizes
    wide: bool
    nan: bool
    # Whether cases with invented sizes are impossible, because only the tests determine the dimensions of an
    # array or the indices in its contents.
    fixed: bool
    relations: Relations
    warnings: list[str] = field(default_factory=list)

    @property
    def arrays(self) -> tuple[PlannedArgument, ...]:
        """The arguments that are arrays."""
        return tuple(a for a in self.arguments if a.role is not Role.SCALAR)


def plan(described: Described, *, zeroed: bool = False) -> Plan:
    """Plan the package of a problem. With `zeroed`, all outputs start at zero.

    Raises:
        Refused: the problem cannot be imported. The message has the reason.
    """
    warnings = list(described.notes)
    _refuse(described)
    tests = _usable(described, warnings)
    arguments = _arguments(described, tests, warnings, zeroed=zeroed)
    _refuse_views(described, arguments)
    shapes = [_outer_shapes(arguments, test) for test in tests]
    numbers = [
        {a.ours: _number(test, a.theirs) for a in arguments if a.role is Role.SCALAR} for test in tests
    ]
    fractions = frozenset(a.ours for a in arguments if a.role is Role.SCALAR and a.dtype.is_float)
    try:
        sizes = find_sizes(shapes, numbers, fractions)
    except NoSizes as error:
        raise Refused(f"its tests cannot be distinguished by sizes: {error}") from error
    if not sizes.columns:
        sizes.add("tests", (1,) * len(tests), None)
    tests = _apart(tests, sizes, arguments, warnings)
    _check_wire(arguments, sizes)
    probed = [test for test in tests if test.probed]
    if not probed:
        warnings.append("the tests are too large to run the reference here; check it on a GPU")
    tried = [test.wide for test in probed if test.wide is not None]
    drift = max((test.drift for test in probed), default=0.0)
    wide = bool(tried) and all(tried) and drift <= _MOST_DRIFT
    if not wide and any(a.written and a.dtype.is_float for a in arguments):
        why = (
            f"float64 differs from it by {drift:.2g} times the tolerance"
            if drift > _MOST_DRIFT
            else "the reference does not work in float64"
            if tried
            else "its tests are too large to try float64 here"
        )
        warnings.append(f"expected values are computed in the set's own precision: {why}")
    widening = _widening(drift, warnings) if wide else 1.0
    nan = any(array.nan for test in probed for array in test.expected.values())
    if nan:
        warnings.append("expected values hold NaN, so NaN matches NaN")
    if any(not array.finite and not array.nan for test in probed for array in test.expected.values()):
        warnings.append("expected values hold infinities; only the same infinity matches")
    return Plan(
        described.title,
        described.absolute * widening,
        described.relative * widening,
        arguments,
        described,
        tests,
        sizes,
        wide,
        nan,
        _is_fixed(arguments, sizes, tests),
        _relations(arguments, sizes, tests),
        warnings,
    )


def _refuse_views(described: Described, arguments: Iterable[PlannedArgument]) -> None:
    for argument in arguments:
        if argument.view and described.call is None:
            only = "which only programs in Python can have"
            raise Refused(f"{argument.theirs} is of dtype {argument.view}, {only}")


def _refuse(described: Described) -> None:
    if described.gpus > 1:
        raise Refused(f"it needs {described.gpus} GPUs; programs are judged on one")
    for argument in described.arguments:
        if argument.kind not in {"array", "scalar"}:
            raise Refused(
                f"the argument {argument.name} must be an array or a number, but is {argument.kind}"
            )
    if not any(argument.role != "in" for argument in described.arguments):
        raise Refused("no argument is an output")
    if not described.tests:
        raise Refused("it has no tests")
    for test in described.tests:
        if test.random:
            raise Refused(random_reference(test.name))


def _usable(described: Described, warnings: list[str]) -> tuple[Test, ...]:
    names = [argument.name for argument in described.arguments]
    kept = []
    reasons = defaultdict(list)
    outputs = [argument.name for argument in described.arguments if argument.role != "in"]
    for test in with_outputs(described.tests, outputs):
        if reason := _unusable(test, names):
            reasons[reason].append(test.name)
        else:
            kept.append(test)
    for name in names:
        kept = _of_one_dtype(name, kept, reasons)
    for reason, dropped in reasons.items():
        shown = ", ".join(dropped[:_SHOWN_TESTS]) + (" and others" if len(dropped) > _SHOWN_TESTS else "")
        warnings.append(f"omitted {shown}: {reason}")
    if not kept:
        raise Refused("none of its tests can be used: " + "; ".join(reasons))
    return tuple(kept)


def _of_one_dtype(name: str, tests: list[Test], reasons: defaultdict[str, list[str]]) -> list[Test]:
    """Return the tests in which the array has its most frequent dtype, because an argument has one dtype."""
    dtypes = {id(test): value.dtype for test in tests if isinstance(value := test.values[name], Array)}
    if len(set(dtypes.values())) < 2:
        return tests
    usual = Counter(dtypes.values()).most_common(1)[0][0]
    for test in tests:
        if (dtype := dtypes.get(id(test), usual)) != usual:
            reasons[f"{name} has dtype {dtype} there and {usual} in most tests"].append(test.name)
    return [test for test in tests if dtypes.get(id(test), usual) == usual]


def _unusable(test: Test, names: Iterable[str]) -> str:
    if test.failed:
        return python_fails(test.failed)
    if test.unknown:
        name, kind = next(iter(test.unknown.items()))
        return f"{name} is a {kind}"
    for name in names:
        value = test.values.get(name)
        if value is None:
            return f"its Python fails without memory: {test.unmade}" if test.unmade else f"{name} is missing"
        if isinstance(value, Array) and (fault := _fault_of(value, expected=name in test.expected)):
            return f"{name} {fault}"
    return ""


def _fault_of(array: Array, *, expected: bool) -> str:
    """Return why a test with this array cannot be used; empty if it can."""
    if array.elements == 0:
        return "is empty"
    if len(array.shape) > _MOST_RANK and array.elements > MOST:
        return f"has {array.elements} elements in {len(array.shape)} dimensions, more than {MOST}"
    return "holds NaN" if array.nan and not expected else ""


def _arguments(
    described: Described, tests: Sequence[Test], warnings: list[str], *, zeroed: bool
) -> tuple[PlannedArgument, ...]:
    ours = argument_names(argument.name for argument in described.arguments)
    found = []
    for argument in described.arguments:
        values = [test.values[argument.name] for test in tests]
        if all(isinstance(value, Scalar) for value in values):
            if argument.role != "in":
                raise Refused(f"the output {argument.name} is a number")
            dtype = _scalar_dtype(argument.dtype, [v for v in values if isinstance(v, Scalar)])
            found.append(PlannedArgument(argument.name, ours[argument.name], Role.SCALAR, dtype))
            continue
        arrays = [value for value in values if isinstance(value, Array)]
        if len(arrays) < len(values):
            raise Refused(f"{argument.name} is an array in some tests and a number in others")
        ranks = {len(array.shape) for array in arrays}
        dtype, view = _array_dtype(argument.name, arrays)
        role = _role(argument.name, argument.role, tests, warnings)
        found.append(
            PlannedArgument(
                argument.name,
                ours[argument.name],
                role,
                dtype,
                flat=len(ranks) > 1 or max(ranks) > _MOST_RANK,
                point=ranks == {0},
                zeroed=role is Role.OUT and (zeroed or _starts_at_zero(argument.name, tests)),
                view=view,
            )
        )
        _warn_of_array(found[-1], arrays, tests, warnings)
    renamed = [f"{a.theirs} is {a.ours}" for a in found if a.theirs.lower() != a.ours]
    if renamed:
        warnings.append("renamed: " + ", ".join(renamed))
    return tuple(found)


def _warn_of_array(
    argument: PlannedArgument, arrays: Sequence[Array], tests: Sequence[Test], warnings: list[str]
) -> None:
    # Who makes a tensor of its shape says where; of others that went through several hands it is not known.
    is_list = argument.is_whole and all(array.elements <= _LONGEST_LIST for array in arrays)
    if is_list and any(not array.device for array in arrays) and not argument.written:
        warnings.append(
            f"{argument.ours} is in host memory in the set; it is on the GPU here, like all arrays"
        )
    if argument.flat:
        warnings.append(f"{argument.ours} has many or varying dimensions in the set; it is flat here")
    if any(argument.theirs in test.changed for test in tests):
        warnings.append(f"the reference writes to the input {argument.ours}; it works on a copy here")
    if not argument.written and any(not array.finite for array in arrays):
        warnings.append(f"{argument.ours} holds infinities in some tests")


def _is_fixed(arguments: Sequence[PlannedArgument], sizes: Sizes, tests: Sequence[Test]) -> bool:
    """Whether arrays are flat here, or lists of numbers among the inputs say the dimensions of arrays."""
    if any(argument.flat for argument in arguments):
        return True
    outputs = {argument.ours for argument in arguments if argument.role is Role.OUT}
    if any(origin.argument in outputs for origin in sizes.origins.values()):  # no formula gives its extent
        return True
    lists = [a.theirs for a in arguments if a.role is Role.IN and a.is_whole]
    # Ascending integers are usually indices into other arrays, which random contents would not be.
    return any(_says_dimensions(name, tests) or is_sorted(name, tests) for name in lists)


def _relations(arguments: Sequence[PlannedArgument], sizes: Sizes, tests: Sequence[Test]) -> Relations:
    """Return the relations between the sizes in all tests. Fractional numbers of the set do not take part."""
    plain = {
        name: column
        for name, column in sizes.columns.items()
        if name != VARIANT and (name not in sizes.origins or _is_plain(sizes.origins[name]))
    }
    indices = [a.theirs for a in arguments if a.role is Role.IN and a.is_whole and a.dtype.is_integer]
    return Relations.of(plain, [[most_of(name, [test]) for test in tests] for name in indices])


def _is_plain(origin: SizeOrigin) -> bool:
    return origin.offset == 0 and origin.scale == 1


def _widening(drift: float, warnings: list[str]) -> float:
    """Return a factor for the tolerance so that every program that the set accepts is accepted here.

    The set compares with its reference in its own precision, and Warpcourt compares with float64. A result
    within the tolerance of the first may be farther from the second, by the difference between the two.
    """
    if drift < _SMALL_DRIFT:
        return 1.0
    factor = math.ceil(10 * (1 + drift)) / 10
    warnings.append(
        f"the tolerance is {factor:g} times that of the set, whose reference differs from float64 "
        f"by {drift:.2g} of it"
    )
    return factor


def _says_dimensions(name: str, tests: Sequence[Test]) -> bool:
    """Return whether a list is the shape of some array in every test with known contents."""
    known = [test for test in tests if isinstance(v := test.values[name], Array) and v.flat is not None]
    others = {other for test in known for other in test.values if other != name}
    return any(
        all(_is_shape(test.values.get(other), test.values[name]) for test in known) for other in others
    )


def _is_shape(array: Array | Scalar | None, said: Array | Scalar) -> bool:
    if not isinstance(array, Array) or not isinstance(said, Array) or len(said.shape) != 1:
        return False
    return len(array.shape) > 1 and said.flat == array.shape


def _role(name: str, said: str, tests: Sequence[Test], warnings: list[str]) -> Role:
    if said != "out":
        return Role(said)
    uses = {test.initial.get(name, "written") for test in tests if test.probed}
    if uses <= {"written"}:
        return Role.OUT
    why = "leaves some elements unchanged" if "kept" in uses else "reads the previous contents"
    warnings.append(f"{name} is inout here: the reference {why}, so its initial contents matter")
    return Role.INOUT


def _starts_at_zero(name: str, tests: Sequence[Test]) -> bool:
    """Return whether every judged test that was created in memory creates the output as zeros.

    Examples are only shown; many make an empty output where all other tests make zeros.
    """
    known = [test for test in tests if test.probed and test.part != "example"]
    return bool(known) and all(name in test.zeroed for test in known)


def _array_dtype(name: str, arrays: Sequence[Array]) -> tuple[Dtype, str]:
    """Return the dtype of an array on the wire, and the element type of the view of its bytes, if any."""
    dtype = arrays[0].dtype  # all have this dtype, since other tests were omitted
    if dtype in BYTE_FORMATS:
        return Dtype.UINT8, dtype
    try:
        return Dtype(dtype), ""
    except ValueError as error:
        raise Refused(f"{name} is of dtype {dtype}, which arguments cannot have") from error


def _scalar_dtype(said: str, values: Sequence[Scalar]) -> Dtype:
    if said:
        return Dtype(said)
    return Dtype.INT32 if all(value.whole for value in values) else Dtype.FLOAT32


def _number(test: Test, name: str) -> float:
    value = test.values[name]
    if not isinstance(value, Scalar) or not math.isfinite(value.value):
        raise Refused(f"{name} is not finite in {test.name}")
    return value.value


def inner_shape(argument: PlannedArgument, test: Test) -> tuple[int, ...]:
    """Return the shape of an array in one test, as in the author's code."""
    value = test.values[argument.theirs]
    return value.shape if isinstance(value, Array) else ()


def _outer_shapes(arguments: Iterable[PlannedArgument], test: Test) -> dict[str, tuple[int, ...]]:
    shapes = {}
    for argument in arguments:
        if argument.role is Role.SCALAR:
            continue
        shape = inner_shape(argument, test)
        shapes[argument.ours] = (math.prod(shape),) if argument.flat or argument.point else shape
    return shapes


def _apart(
    tests: tuple[Test, ...], sizes: Sizes, arguments: Sequence[PlannedArgument], warnings: list[str]
) -> tuple[Test, ...]:
    """Add a size that distinguishes tests with equal sizes."""
    seen: dict[tuple[int, ...], list[Test]] = defaultdict(list)
    variants, dropped = [], []
    for index, test in enumerate(tests):
        alike = seen[tuple(sizes.of_test(index).values())]
        if alike and any(inner_shape(a, alike[0]) != inner_shape(a, test) for a in arguments if a.flat):
            dropped.append(test.name)
            variants.append(0)
            continue
        alike.append(test)
        variants.append(len(alike))
    if dropped:
        warnings.append(
            f"omitted {', '.join(dropped)}: they differ from other tests only in the "
            "dimensions of flat arrays"
        )
        keep = [index for index, variant in enumerate(variants) if variant]
        for name, column in sizes.columns.items():
            sizes.columns[name] = tuple(column[index] for index in keep)
        tests = tuple(tests[index] for index in keep)
        variants = [variants[index] for index in keep]
    if max(variants) > 1:
        sizes.add(VARIANT, tuple(variants), None)
        warnings.append(f"the size {VARIANT} distinguishes tests with the same sizes")
    return tests


def _check_wire(arguments: Sequence[PlannedArgument], sizes: Sizes) -> None:
    outputs = sum(argument.written for argument in arguments)
    total = len(arguments) + len(sizes.columns) + outputs
    if total > MAX_WIRE_ARGUMENTS:
        raise Refused(
            f"{len(arguments)} arguments, {len(sizes.columns)} sizes and {outputs} outputs are {total} "
            f"in total; at most {MAX_WIRE_ARGUMENTS} are allowed"
        )
