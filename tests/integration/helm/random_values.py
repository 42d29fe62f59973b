"""Draws values that a JSON schema allows, for the part of JSON Schema that the chart uses."""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from hypothesis import strategies as st

from tests.integration.helm.chart import CHART

_Schema = Mapping[str, Any]
_MOST = 3  # limit for items and optional keys that a schema does not name
# Frequent patterns of long texts, because drawing single characters would take most of a test's time.
_PRINTABLE, _DIGEST = "^[ -~]*$", "^sha256:[0-9a-f]{64}$"


def schema() -> dict[str, Any]:
    """The schema of the chart's values."""
    found: dict[str, Any] = json.loads((CHART / "values.schema.json").read_text())
    return found


def allowed_values() -> st.SearchStrategy[Any]:
    """Values that the schema of the chart allows."""
    return _from(schema())


@cache
def _definitions() -> Mapping[str, _Schema]:
    found: Mapping[str, _Schema] = schema()["$defs"]
    return found


def _from(part: _Schema) -> st.SearchStrategy[Any]:  # noqa: PLR0911 - one for each kind of schema
    if "$ref" in part:
        return _from(_definitions()[part["$ref"].removeprefix("#/$defs/")])
    if "anyOf" in part:
        return st.one_of(*map(_from, part["anyOf"]))
    if "const" in part:
        return st.just(part["const"])
    if "enum" in part:
        return st.sampled_from(part["enum"])
    match part["type"]:
        case "object":
            return _object(part)
        case "array":
            return _array(part)
        case "string":
            return _string(part)
        case "integer":
            return st.integers(part["minimum"], part["maximum"])
        case "boolean":
            return st.booleans()
    raise ValueError(f"a schema that nothing is drawn for: {part}")


def _string(part: _Schema) -> st.SearchStrategy[str]:
    printable = st.characters(min_codepoint=32, max_codepoint=126)
    if part.get("pattern", _PRINTABLE) == _PRINTABLE:
        return st.text(printable, max_size=20)
    if part["pattern"] == _DIGEST:
        return st.integers(0, 16**64 - 1).map(lambda number: f"sha256:{number:064x}")
    return st.from_regex(part["pattern"].replace("$", r"\Z"), alphabet=printable).filter(
        lambda text: len(text) <= part.get("maxLength", 1000)
    )


def _array(part: _Schema) -> st.SearchStrategy[Any]:
    most = min(part.get("maxItems", _MOST), max(_MOST, part.get("minItems", 0)))
    if not most:
        return st.just([])
    least, unique_by = part.get("minItems", 0), json.dumps if part.get("uniqueItems") else None
    return st.lists(_from(part["items"]), min_size=least, max_size=most, unique_by=unique_by)


def _object(part: _Schema) -> st.SearchStrategy[Any]:
    named = part.get("properties", {})
    required = {key: _from(named[key]) for key in part.get("required", ())}
    optional = {key: _from(value) for key, value in named.items() if key not in required}
    known = st.fixed_dictionaries(required, optional=optional)
    if part.get("minProperties") and named:
        known = known.filter(bool)
    further = _further(part)
    return known if further is None else st.builds(lambda one, two: {**two, **one}, known, further)


def _further(part: _Schema) -> st.SearchStrategy[Any] | None:
    if "patternProperties" in part:
        ((pattern, inner),) = part["patternProperties"].items()
        return st.dictionaries(_string({"pattern": pattern}), _from(inner), max_size=1)
    inner = part.get("additionalProperties")
    if not isinstance(inner, dict):
        return None
    keys = _string(part["propertyNames"])
    return st.dictionaries(keys, _from(inner), min_size=part.get("minProperties", 0), max_size=_MOST)
