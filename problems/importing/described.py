"""Parses the sandbox's description of a problem to import. The sandbox ran foreign code: all is validated."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from problems.calling import Pattern, PatternError, PythonCallSpec, PythonEntry, spelled
from problems.importing.refusals import python_fails
from problems.importing.report import Refused
from problems.vocabulary import Dtype

MAX_DESCRIPTION_BYTES = 2 << 20
_MOST_ARGUMENTS = 32
_MOST_TESTS = 64
_MOST_NUMBERS = 1024
_ROLES = {"in", "out", "inout"}
_USES = {"written", "kept", "read"}


@dataclass(frozen=True, slots=True)
class Array:
    """An array of one test. Figures about its contents are known if it was created in memory.

    `ordered` says that each of its rows ascends.
    """

    dtype: str
    shape: tuple[int, ...]
    device: bool = True
    finite: bool = True
    nan: bool = False
    low: float | None = None
    high: float | None = None
    mean: float = 0.0
    deviation: float = 0.0
    whole: bool = False
    ordered: bool = False
    flat: tuple[float, ...] | None = None

    @property
    def elements(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def bytes(self) -> int:
        """The bytes of the elements. A dtype that arguments cannot have counts as one byte."""
        known = self.dtype in Dtype.__members__.values()
        return self.elements * (Dtype(self.dtype).itemsize if known else 1)


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number of one test. `whole` says that it is an integer or a bool in the author's code."""

    value: float
    whole: bool


@dataclass(frozen=True, slots=True)
class DescribedArgument:
    """An argument in the order of the call. `dtype` is the signature's, empty where it has none."""

    name: str
    kind: str
    role: str
    dtype: str


@dataclass(frozen=True, slots=True)
class Module:
    """An argument that is a `torch.nn` module: its constructor's numbers, and the array of each parameter."""

    name: str
    kind: str
    init: tuple[str, ...]
    state: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Test:
    """One of the author's tests. If it failed, `failed` has the reason, and all else is empty.

    If its outputs are unknown, `unmade` has the reason. `probed` says that the reference ran on it. Then
    `initial` says for each output whether its initial contents are overwritten (`written`), `kept` in part or
    `read`. `wide` says whether the reference works in float64, None if there is not enough memory for that.
    `zeroed` are the outputs that the author's code creates as zeros; other outputs are uninitialised. `drift`
    is the difference between its results and those in float64, as a multiple of the tolerance.
    """

    part: str
    number: int
    name: str
    failed: str = ""
    unmade: str = ""
    values: Mapping[str, Array | Scalar] = field(default_factory=dict)
    unknown: Mapping[str, str] = field(default_factory=dict)
    probed: bool = False
    expected: Mapping[str, Array] = field(default_factory=dict)
    initial: Mapping[str, str] = field(default_factory=dict)
    zeroed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    random: bool = False
    wide: bool | None = False
    drift: float = 0.0
    operations: float | None = None


@dataclass(frozen=True, slots=True)
class Described:
    """A problem as its author's code describes it.

    `call` describes the call of Python programs, if it has a form of its own. `notes` are for the importing
    user.
    """

    title: str
    absolute: float
    relative: float
    gpus: int
    tier: str
    arguments: tuple[DescribedArgument, ...]
    modules: tuple[Module, ...]
    tests: tuple[Test, ...]
    call: PythonCallSpec | None = None
    notes: tuple[str, ...] = ()


def parse_description(content: bytes) -> Described:
    """Parse the output of the sandbox.

    Raises:
        Refused: the author's code failed (the message says how), or the description is malformed.
    """
    if len(content) > MAX_DESCRIPTION_BYTES:
        raise Refused("the description of its tests is too large")
    try:
        answer = json.loads(content)
        if isinstance(answer, dict) and "failed" in answer:
            raise Refused(python_fails(_text(answer["failed"], 1000)))
        return _described(answer)
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError, RecursionError) as error:
        raise Refused(f"its Python produced an unreadable description: {error!r:.200}") from error


def _described(answer: Mapping[str, Any]) -> Described:
    return Described(
        title=_text(answer["title"], 200),
        absolute=_number(answer["absolute"]),
        relative=_number(answer["relative"]),
        gpus=_count(answer["gpus"]),
        tier=_text(answer["tier"], 40),
        arguments=tuple(_argument(entry) for entry in _bounded(answer["arguments"], _MOST_ARGUMENTS)),
        modules=tuple(_module(entry) for entry in _bounded(answer["modules"], _MOST_ARGUMENTS)),
        tests=tuple(_test(entry) for entry in _bounded(answer["tests"], _MOST_TESTS)),
        call=_call(answer["layout"]) if "layout" in answer else None,
        notes=tuple(_text(note, 200) for note in _bounded(answer.get("notes", []), _MOST_ARGUMENTS)),
    )


def _argument(entry: Mapping[str, Any]) -> DescribedArgument:
    return DescribedArgument(
        _text(entry["name"], 64),
        _text(entry["kind"], 60),
        _word(entry["role"], _ROLES),
        _text(entry["dtype"], 20),
    )


def _module(entry: Mapping[str, Any]) -> Module:
    return Module(
        _text(entry["name"], 64),
        _text(entry["kind"], 40),
        tuple(_text(part, 64) for part in _bounded(entry["init"], _MOST_ARGUMENTS)),
        {_text(key, 64): _text(part, 64) for key, part in entry["state"].items()},
    )


def _call(entry: Mapping[str, Any]) -> PythonCallSpec:
    return PythonCallSpec(
        PythonEntry(_text(entry["entry"], 40)),
        _pattern(entry["given"]),
        tuple(_identifier(name) for name in _bounded(entry["returns"], _MOST_ARGUMENTS)),
        _pattern(entry.get("init", {"tuple": []})),
        {_text(key, 64): _identifier(part) for key, part in entry.get("state", {}).items()},
    )


def _pattern(form: Mapping[str, Any]) -> Pattern:
    try:
        return Pattern.parse(spelled(form, _identifier))
    except PatternError as error:
        raise Refused(f"the inputs of its programs cannot be described: {error}") from error


def _identifier(name: object) -> str:
    if not isinstance(name, str) or not name.isidentifier() or len(name) > 64:
        raise ValueError("not an identifier")
    return name


def _test(entry: Mapping[str, Any]) -> Test:
    given = entry.get("arguments", {})
    operations = entry.get("operations")
    values = {_text(n, 64): _value(v) for n, v in given.items() if v["kind"] in {"array", "scalar"}}
    return Test(
        part=_text(entry["part"], 20),
        number=_count(entry["number"]),
        name=_text(entry["name"], 120),
        failed=_text(entry.get("failed", ""), 1000),
        unmade=_text(entry.get("unmade", ""), 1000),
        values=values,
        unknown={
            _text(n, 64): _text(v.get("type", v["kind"]), 64) for n, v in given.items() if n not in values
        },
        probed="expected" in entry,
        expected={_text(n, 64): _array(v) for n, v in entry.get("expected", {}).items()},
        initial={_text(n, 64): _word(v, _USES) for n, v in entry.get("initial", {}).items()},
        zeroed=tuple(_text(n, 64) for n in _bounded(entry.get("zeroed", []), _MOST_ARGUMENTS)),
        changed=tuple(_text(n, 64) for n in _bounded(entry.get("changed", []), _MOST_ARGUMENTS)),
        random=bool(entry.get("random", False)),
        drift=_number(entry.get("drift", 0.0)),
        wide=None if entry.get("wide", False) is None else bool(entry.get("wide", False)),
        operations=None if operations is None else _number(operations),
    )


def _value(entry: Mapping[str, Any]) -> Array | Scalar:
    if entry["kind"] == "scalar":
        return Scalar(_exact(entry["value"], finite=False), bool(entry["whole"]))
    return _array(entry)


def _array(entry: Mapping[str, Any]) -> Array:
    flat = entry.get("flat")
    return Array(
        dtype=_text(entry["dtype"], 30),
        shape=tuple(_count(extent) for extent in _bounded(entry["shape"], 16)),
        device=bool(entry.get("device", True)),
        finite=bool(entry.get("finite", True)),
        nan=bool(entry.get("nan", False)),
        low=_exact(entry["low"]) if "low" in entry else None,
        high=_exact(entry["high"]) if "high" in entry else None,
        mean=_number(entry.get("mean", 0.0)),
        deviation=_number(entry.get("deviation", 0.0)),
        whole=bool(entry.get("whole", False)),
        ordered=bool(entry.get("ordered", False)),
        flat=None if flat is None else tuple(_exact(n) for n in _bounded(flat, _MOST_NUMBERS)),
    )


def _bounded(values: object, most: int) -> Sequence[Any]:
    if not isinstance(values, list) or len(values) > most:
        raise ValueError(f"not a list of at most {most}")
    return values


def _text(value: object, most: int) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return "".join(c for c in value[:most] if c.isprintable() or c == "\n")


def _word(value: object, known: set[str]) -> str:
    if value not in known:
        raise ValueError("not a known word")
    return str(value)


def _number(value: object, *, finite: bool = True) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError("not a number")
    if finite and not math.isfinite(value):
        raise ValueError("not finite")
    return float(value)


def _exact(value: object, *, finite: bool = True) -> float:
    """Return a number. Whole numbers of 64 bits stay integers, because a float would change them."""
    number = _number(value, finite=finite)
    return value if isinstance(value, int) and abs(value) < 2**63 else number


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**40:
        raise ValueError("not a count")
    return value
