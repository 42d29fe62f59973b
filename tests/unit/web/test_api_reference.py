"""The page of the API: every operation, with calls that a reader can copy."""

import ast
import shlex

import pytest

from web.api import api
from web.api.reference.operations import Operation, operations_of

SITE = "https://court.example.org"


@pytest.fixture(scope="module")
def operations() -> list[Operation]:
    document = api.get_openapi_schema(path_prefix="/api/v1/")
    return [found for group in operations_of(document, SITE) for found in group.operations]


def one(operations: list[Operation], verb: str, path: str) -> Operation:
    return next(found for found in operations if (found.verb, found.path) == (verb, path))


def test_every_operation_is_shown(operations: list[Operation]) -> None:
    paths = api.get_openapi_schema(path_prefix="/api/v1/")["paths"]
    documented = {(verb.upper(), path) for path, verbs in paths.items() for verb in verbs}
    assert {(found.verb, found.path) for found in operations} == documented
    assert len({found.anchor for found in operations}) == len(operations)
    assert all(found.summary and found.access for found in operations)


def test_calls_can_be_copied(operations: list[Operation]) -> None:
    for found in operations:
        ast.parse(found.python)
        words = shlex.split(found.curl.replace("\\\n", " "))
        assert words[0] == "curl"
        assert words[-1].startswith(f"{SITE}/api/v1/"), found.curl
        assert "{" not in words[-1]


def test_a_submission_names_what_is_required(operations: list[Operation]) -> None:
    submit = next(
        found for found in operations if (found.verb, found.path) == ("POST", "/api/v1/submissions")
    )
    assert '"problem": "vector-add", "language": "cuda", "source": "the program"' in submit.curl
    assert "seed" not in submit.curl
    assert "scope `submit`" in submit.access
    kinds = {field.name: (field.place, field.kind, field.required, field.default) for field in submit.fields}
    assert kinds["language"] == ("body", "“cuda”, “triton”, “python”", True, "")
    assert kinds["mode"] == ("body", "“run”, “submit”", False, "submit")
    assert kinds["Idempotency-Key"] == ("header", "string or null", False, "")
    assert submit.status == "201 Created"
    assert (409, "Conflict") in submit.errors


def test_a_file_is_uploaded(operations: list[Operation]) -> None:
    uploaded = one(operations, "POST", "/api/v1/author/import")
    assert "-F archive=@vector-add.zip" in uploaded.curl
    assert "-F slug=vector-add" in uploaded.curl
    assert 'files={"archive": open("vector-add.zip", "rb")}' in uploaded.python


def test_open_operations_need_no_token(operations: list[Operation]) -> None:
    listing = one(operations, "GET", "/api/v1/problems")
    assert "WARPCOURT_TOKEN" not in listing.curl
    assert listing.access == "Open to everyone. A token is optional."


@pytest.mark.django_db
def test_the_page_stays_small(client) -> None:
    page = client.get("/api/v1/docs")
    assert page.status_code == 200
    text = page.content.decode()
    assert "/api/v1/submissions/{public_id}" in text
    assert len(text) < 400_000
