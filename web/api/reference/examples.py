"""Examples of the API: values made from schemas, and calls."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from web.api.reference.schemas import Schemas

_DEPTH = 5
_VALUES = {"integer": 1, "number": 1.5, "boolean": True, "null": None}
_KNOWN = {
    "problem": "vector-add",
    "slug": "vector-add",
    "language": "cuda",
    "source": "the program",
    "mode": "submit",
}
_FILE = f"@{_KNOWN['slug']}.zip"
_FORMATS = {"date-time": "2026-01-31T12:00:00Z", "binary": _FILE}
_JSON = "application/json"


@dataclass(frozen=True, slots=True)
class Call:
    """A call to show. `body` has the example of a body of type `media`; `token` says whether it needs one."""

    verb: str
    url: str
    media: str
    body: Any
    token: bool


def example_of(schema: Mapping[str, Any], schemas: Schemas, *, required_only: bool = False) -> Any:
    """Return a value that `schema` allows, to show its form. `required_only` omits optional fields."""
    return _Examples(schemas, required_only=required_only).of(schema, "", 0)


class _Examples:
    def __init__(self, schemas: Schemas, *, required_only: bool) -> None:
        self._schemas, self._required_only = schemas, required_only

    def of(self, schema: Mapping[str, Any], name: str, depth: int) -> Any:
        """An example of the field `name`, which lies `depth` objects deep."""
        schema = self._schemas.resolved(schema)
        if choices := self._schemas.alternatives(schema):
            return self.of(choices[0], name, depth)
        if schema.get("type") == "array":
            return [self.of(schema.get("items", {}), name, depth + 1)]
        if "properties" in schema:
            return self._fields(schema, depth + 1)
        return _scalar(schema, name)

    def _fields(self, schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
        fields = schema["properties"].items() if depth <= _DEPTH else ()
        shown = schema.get("required", []) if self._required_only else schema["properties"]
        return {name: self.of(found, name, depth) for name, found in fields if name in shown}


def _scalar(schema: Mapping[str, Any], name: str) -> Any:
    if "const" in schema:
        return schema["const"]
    if values := schema.get("enum"):
        return _KNOWN[name] if _KNOWN.get(name) in values else values[0]
    if schema.get("format") in _FORMATS:
        return _FORMATS[schema["format"]]
    kind = str(schema.get("type"))
    return _KNOWN.get(name, "text") if kind == "string" else _VALUES.get(kind, {})


def json_text(value: Any) -> str:
    """Return `value` as JSON on several lines."""
    return json.dumps(value, indent=2, ensure_ascii=False)


def curl_call(call: Call) -> str:
    """Return `call` as a curl command."""
    words = ["curl" if call.verb == "GET" else f"curl -X {call.verb}"]
    if call.token:
        words.append('-H "Authorization: Bearer $WARPCOURT_TOKEN"')
    if call.media == _JSON:
        words += ['-H "Content-Type: application/json"', f"-d '{json.dumps(call.body, ensure_ascii=False)}'"]
    elif call.media:
        words += [f"-F {name}={value}" for name, value in call.body.items()]
    words.append(_shown(call.url))
    return " \\\n  ".join(words) if len(words) > 2 else " ".join(words)


def python_call(call: Call) -> str:
    """Return `call` in Python with the package `requests`."""
    given = [f'    "{_shown(call.url)}",']
    if call.token:
        given.append("""    headers={"Authorization": f"Bearer {os.environ['WARPCOURT_TOKEN']}"},""")
    if call.media == _JSON:
        given.append(f"    json={call.body!r},")
    elif call.media:
        files = [name for name, value in call.body.items() if value == _FILE]
        given.append(
            f"    data={ {name: value for name, value in call.body.items() if name not in files}!r},"
        )
        given += [f'    files={{"{name}": open("{_FILE[1:]}", "rb")}},' for name in files]
    head = ["import os", "", "import requests", ""] if call.token else ["import requests", ""]
    checked = ["answer.raise_for_status()", "print(answer.json())"]
    body = [f"answer = requests.{call.verb.lower()}(", *given, ")", *checked]
    return "\n".join([*head, *body])


def _shown(url: str) -> str:
    """Return `url` with example values for its parts: that of a problem, capitals for all others."""
    return re.sub(r"\{(\w+)\}", lambda found: _KNOWN.get(found[1]) or found[1].upper(), url)
