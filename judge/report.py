"""What judging a submission yields. Values only; `to_json` and `from_json` are its stored form."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from problems.vocabulary import Group, Verdict


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One element that is out of tolerance. `index` has one entry per dimension."""

    argument: str
    index: tuple[int, ...]
    expected: str
    got: str
    absolute_error: float | None
    relative_error: float | None


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A finding about the program, for its author. Text from a child process, bounded and cleaned.

    `kind` is one word such as `out_of_bounds`, `race`, `deadlock`; `severity` is `error`, `warning`
    or `note`. `line` is 1-based in the submission's source, None where unknown.
    """

    severity: str
    kind: str
    message: str
    kernel: str | None = None
    block: tuple[int, int, int] | None = None
    thread: tuple[int, int, int] | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class CaseReport:
    """The outcome of one case. `wall_ms` is the referee's own clock; nothing ranks on it."""

    name: str
    group: Group
    public: bool
    verdict: Verdict
    message: str = ""
    sizes: Mapping[str, int] = field(default_factory=dict)
    wall_ms: float | None = None
    checked: int = 0
    mismatched: int = 0
    mismatches: tuple[Mismatch, ...] = ()


@dataclass(frozen=True, slots=True)
class Stage:
    """Time that one stage took, in milliseconds: `compile`, `oracle`, `check`."""

    name: str
    ms: float


@dataclass(frozen=True, slots=True)
class Report:
    """The whole outcome. `environment` stamps the target, toolchain and versions that produced it.

    `log` is the compiler's text and `output` what the program printed on public cases, both bounded.
    `ranked` is true only for a time that the trusted clock measured on a GPU.
    """

    verdict: Verdict
    message: str = ""
    stages: tuple[Stage, ...] = ()
    cases: tuple[CaseReport, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    log: str = ""
    output: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    ranked: bool = False


@dataclass(frozen=True, slots=True)
class Progress:
    """A step worth showing while judging: `compiling`, `compiled`, `case` (index of total), `finished`."""

    kind: str
    text: str
    index: int | None = None
    total: int | None = None


def to_json(report: Report) -> dict[str, Any]:
    """`report` as JSON values that any database stores: no NaN or infinity, no NUL, no lone surrogate."""
    body: dict[str, Any] = _storable(asdict(report))
    return body


def from_json(body: Mapping[str, Any]) -> Report:
    """The report that `to_json` gave. Fields added since take their defaults, so old rows still read."""
    return Report(
        **{
            **body,
            "verdict": Verdict(body["verdict"]),
            "stages": tuple(Stage(**stage) for stage in body.get("stages", ())),
            "cases": tuple(_case_from_json(case) for case in body.get("cases", ())),
            "diagnostics": tuple(_diagnostic_from_json(entry) for entry in body.get("diagnostics", ())),
        }
    )


def _storable(value: Any) -> Any:
    match value:
        case dict():
            return {key: _storable(entry) for key, entry in value.items()}
        case list() | tuple():
            return [_storable(entry) for entry in value]
        case str():
            return value.replace("\0", "\N{REPLACEMENT CHARACTER}").encode(errors="replace").decode()
        case float():
            return value if math.isfinite(value) else None
    return value


def _case_from_json(body: Mapping[str, Any]) -> CaseReport:
    mismatches = tuple(
        Mismatch(**{**entry, "index": tuple(entry["index"])}) for entry in body.get("mismatches", ())
    )
    return CaseReport(
        **{
            **body,
            "group": Group(body["group"]),
            "verdict": Verdict(body["verdict"]),
            "mismatches": mismatches,
        }
    )


def _diagnostic_from_json(body: Mapping[str, Any]) -> Diagnostic:
    places = {key: tuple(body[key]) for key in ("block", "thread") if body.get(key) is not None}
    return Diagnostic(**{**body, **places})
