"""Tests that the API conforms to its OpenAPI document for any request."""

import pytest
import schemathesis
from django.core.cache import cache
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from web.accounts.services import issue_token
from web.asgi import application
from web.submissions.models import Submission

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
pytestmark = [pytest.mark.integration, pytest.mark.django_db(transaction=True)]


def test_every_answer_is_documented(problem, owner):
    document = schemathesis.openapi.from_asgi("/api/v1/openapi.json", from_loopback)
    # Event streams stay open until a verdict, but no worker runs here.
    operations = document.exclude(path_regex="events$").get_all_operations()
    headers = {"Authorization": f"Bearer {issue_token(owner, name='fuzz')[1]}", "Host": "localhost"}
    checked = 0
    for operation in operations:
        send_cases_to(operation.ok(), headers)
        checked += 1
    assert checked >= 10


async def from_loopback(scope, receive, send) -> None:
    """The site, as a client with an address reaches it: sign-in is throttled by address."""
    await application({**scope, "client": ("127.0.0.1", 1)}, receive, send)


def send_cases_to(operation, headers: dict[str, str]) -> None:
    """Send made-up requests to one operation."""

    @given(case=operation.as_strategy())
    @settings(max_examples=15, deadline=None, database=None, suppress_health_check=[*HealthCheck])
    def send(case) -> None:
        cache.clear()
        Submission.objects.all().delete()
        case.call_and_validate(headers=headers, checks=CHECKS)

    send()
