"""Operations of the API in words, with examples.

Theory of operation. The OpenAPI document is the only source: it comes from the code of the operations. For
each operation, this module extracts the information for a call: the parameters, the fields of the body,
examples of body and answer made from their schemas, and the call as a curl command and in Python.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from django.utils.safestring import SafeString

from web.api.reference.examples import Call, curl_call, example_of, json_text, python_call
from web.api.reference.schemas import Schemas
from web.catalog.markdown import render

_VERBS = ("get", "post", "put", "patch", "delete")


@dataclass(frozen=True, slots=True)
class Field:
    """A parameter or a field of a body. `place` is `path`, `query`, `header` or `body`."""

    name: str
    place: str
    kind: str
    required: bool
    default: str


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation. `access` is in words; `answer` is an example, empty if the answer is not JSON."""

    anchor: str
    verb: str
    path: str
    summary: str
    description: SafeString
    access: str
    fields: tuple[Field, ...]
    status: str
    answer: str
    errors: tuple[tuple[int, str], ...]
    curl: str
    python: str


@dataclass(frozen=True, slots=True)
class Group:
    """The operations under one tag."""

    name: str
    operations: tuple[Operation, ...]


def operations_of(document: Mapping[str, Any], site: str) -> tuple[Group, ...]:
    """Return the operations of `document` by their first tag, in order. `site` begins the examples' URLs."""
    schemas = Schemas(document["components"]["schemas"])
    schemes = document["components"]["securitySchemes"]
    groups: dict[str, list[Operation]] = {}
    for path, verbs in document["paths"].items():
        for verb in _VERBS:
            if verb in verbs:
                found = _operation(verb, path, verbs[verb], schemas, schemes, site)
                groups.setdefault(verbs[verb]["tags"][0], []).append(found)
    return tuple(Group(name, tuple(operations)) for name, operations in groups.items())


def _operation(
    verb: str, path: str, said: Mapping[str, Any], schemas: Schemas, schemes: Mapping[str, Any], site: str
) -> Operation:
    media, body = _content(said.get("requestBody", {}))
    sent = example_of(body, schemas, required_only=True) if body else None
    success = next(status for status in said["responses"] if str(status).startswith("2"))
    answered, answer = _content(said["responses"][success])
    needs_token = len(said.get("security", [])) > 1  # a second scheme means that a session is accepted too
    call = Call(verb.upper(), f"{site}{path}", media, sent, token=needs_token)
    return Operation(
        anchor=f"{verb}-{path.strip('/').replace('/', '-').replace('{', '').replace('}', '')}",
        verb=verb.upper(),
        path=path,
        summary=said["summary"],
        description=render(said.get("description", "")),
        access=_access(said.get("security", []), schemes),
        fields=(*_parameters(said, schemas), *_body_fields(body, schemas)),
        status=f"{success} {HTTPStatus(int(success)).phrase}",
        answer=json_text(example_of(answer, schemas)) if answered == "application/json" and answer else "",
        errors=tuple(
            (int(status), HTTPStatus(int(status)).phrase)
            for status in said["responses"]
            if int(status) >= HTTPStatus.BAD_REQUEST
        ),
        curl=curl_call(call),
        python=python_call(call),
    )


def _content(holder: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    for media, described in holder.get("content", {}).items():
        return media, described.get("schema", {})
    return "", {}


def _access(security: list[Mapping[str, Any]], schemes: Mapping[str, Any]) -> str:
    if len(security) < 2:  # one scheme alone is optional; see `web.api.auth.PUBLIC`
        return "Open to everyone. A token is optional." if security else "Open to everyone."
    texts = [str(schemes[name].get("description", "")) for entry in security for name in entry]
    return next(text for text in texts if text)


def _parameters(said: Mapping[str, Any], schemas: Schemas) -> Iterator[Field]:
    for found in said.get("parameters", []):
        schema = found["schema"]
        yield Field(
            found["name"],
            found["in"],
            schemas.words(schema),
            bool(found.get("required")),
            _default(schema),
        )


def _body_fields(body: Mapping[str, Any], schemas: Schemas) -> Iterator[Field]:
    schema = schemas.resolved(body)
    required = set(schema.get("required", []))
    for name, found in schema.get("properties", {}).items():
        yield Field(name, "body", schemas.words(found), name in required, _default(found))


def _default(schema: Mapping[str, Any]) -> str:
    default = schema.get("default")
    return "" if default in (None, "") else str(default)
