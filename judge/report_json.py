"""The stored form of a report: `to_json` and `from_json`."""

import math
from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from typing import Any

from judge.report import (
    CaseReport,
    Diagnostic,
    FreshReport,
    InstructionProfile,
    KernelProfile,
    KernelResources,
    LineProfile,
    Mismatch,
    Placement,
    Profile,
    Report,
    RequirementReport,
    Score,
    ShownInput,
    ShownOutput,
    StageTime,
    Timing,
    WrongOutput,
)
from problems.vocabulary import Counter, Group, ProgramKind, Relation, RequirementState, Severity, Verdict


def to_json(report: Report) -> dict[str, Any]:
    """Return `report` as JSON values that any database can store: no NaN, infinity, NUL or lone surrogate.

    The replay and the profile's report, which are binary, are left out. Listings that are not finished are
    missing.
    """
    plain = replace(report, replay=None, profile_report=None)
    if isinstance(plain, FreshReport):
        plain = replace(plain, later=None)
    body: dict[str, Any] = storable(asdict(plain))
    for name in ("replay", "profile_report", "later"):
        body.pop(name, None)
    return body


def from_json(body: Mapping[str, Any]) -> Report:
    """Return the report from the output of `to_json`. Fields missing in old rows get their defaults."""
    known = {entry.name for entry in fields(Report)}
    score = body.get("score")
    # Older rows do not say which findings hidden cases caused, so any finding may be hidden.
    hidden = any(not case["public"] for case in body.get("cases", ()))
    return Report(
        **{
            **{key: value for key, value in body.items() if key in known},
            "score": Score(**score) if score else None,
            "kernels": tuple(KernelResources(**entry) for entry in body.get("kernels", ())),
            "verdict": Verdict(body["verdict"]),
            "profile": _profile_from_json(body["profile"]) if body.get("profile") else None,
            "requirements": tuple(_requirement_from_json(entry) for entry in body.get("requirements", ())),
            "stages": tuple(StageTime(**stage) for stage in body.get("stages", ())),
            "cases": tuple(_case_from_json(case) for case in body.get("cases", ())),
            "diagnostics": tuple(
                _diagnostic_from_json({"hidden": hidden, **entry}) for entry in body.get("diagnostics", ())
            ),
        }
    )


def storable(value: Any) -> Any:
    """Return `value`, made of JSON values, in a form that any database can store: no NaN, infinity or NUL."""
    match value:
        case dict():
            return {key: storable(entry) for key, entry in value.items()}
        case list() | tuple():
            return [storable(entry) for entry in value]
        case str():
            return value.replace("\0", "\N{REPLACEMENT CHARACTER}").encode(errors="replace").decode()
        case float():
            return value if math.isfinite(value) else None
    return value


def _requirement_from_json(body: Mapping[str, Any]) -> RequirementReport:
    return RequirementReport(
        **{
            **body,
            "counter": Counter(body["counter"]),
            "relation": Relation(body["relation"]),
            "state": RequirementState(body["state"]),
        }
    )


def _profile_from_json(body: Mapping[str, Any]) -> Profile:
    launches = (
        KernelProfile(entry["kernel"], tuple(entry["grid"]), tuple(entry["block"]), entry["metrics"])
        for entry in body["launches"]
    )
    lines = (LineProfile(entry["line"], entry["metrics"]) for entry in body["lines"])
    instructions = (
        InstructionProfile(entry["line"], entry["text"], entry["metrics"])
        for entry in body.get("instructions", ())
    )
    return Profile(
        tuple(launches),
        tuple(lines),
        body["missing"],
        body.get("report_missing", ""),
        tuple(instructions),
    )


def _mismatch_from_json(body: Mapping[str, Any]) -> Mismatch:
    return Mismatch(**{**body, "index": tuple(body["index"])})


def _input_from_json(body: Mapping[str, Any]) -> ShownInput:
    return ShownInput(
        body["argument"], tuple(body["shape"]), (body["corner"][0], body["corner"][1]), tuple(body["values"])
    )


def _output_from_json(body: Mapping[str, Any]) -> ShownOutput:
    lists = {name: tuple(value) for name, value in body.items() if isinstance(value, list)}
    worst = body["worst"]
    return ShownOutput(**{**body, **lists, "worst": _mismatch_from_json(worst) if worst else None})


def _case_from_json(body: Mapping[str, Any]) -> CaseReport:
    mismatches = tuple(_mismatch_from_json(entry) for entry in body.get("mismatches", ()))
    return CaseReport(
        **{
            **body,
            "group": Group(body["group"]),
            "verdict": Verdict(body["verdict"]),
            "program": ProgramKind(body["program"]) if body.get("program") else None,
            "mismatches": mismatches,
            "wrong_outputs": tuple(WrongOutput(**entry) for entry in body.get("wrong_outputs", ())),
            "outputs": tuple(_output_from_json(entry) for entry in body.get("outputs", ())),
            "inputs": tuple(_input_from_json(entry) for entry in body.get("inputs", ())),
            "timing": _timing_from_json(body["timing"]) if body.get("timing") else None,
        }
    )


def _timing_from_json(body: Mapping[str, Any]) -> Timing:
    """Return the timing, without fields of earlier versions of the clock."""
    known = {entry.name for entry in fields(Timing)}
    placement = body.get("placement")
    kept = {key: value for key, value in body.items() if key in known}
    return Timing(**{**kept, "placement": Placement(**placement) if placement else None})


def _diagnostic_from_json(body: Mapping[str, Any]) -> Diagnostic:
    places = {key: tuple(body[key]) for key in ("block", "thread") if body.get(key) is not None}
    return Diagnostic(**{**body, **places, "severity": Severity(body["severity"])})
