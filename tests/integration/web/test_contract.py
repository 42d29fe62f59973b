"""The API keeps to its OpenAPI document, whatever it is sent."""

import pytest
import schemathesis
from django.core.cache import cache
from hypothesis import HealthCheck, Phase, settings
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    not_a_server_error,
    response_schema_conformance,
    status_code_conformance,
)

from tests.conftest import new_problem
from web.accounts.models import User
from web.accounts.services import issue_token
from web.asgi import application
from web.submissions.models import Submission

pytestmark = [pytest.mark.integration, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def schema(db):
    """The document, with a problem behind it."""
    new_problem("vector-add")
    # Event streams stay open until a verdict, which nobody gives here.
    return schemathesis.openapi.from_asgi("/api/v1/openapi.json", application).exclude(path_regex="events$")


@pytest.fixture
def token(db) -> str:
    return issue_token(User.objects.create_user("fuzzer"), name="fuzz")[1]


contract = schemathesis.pytest.from_fixture("schema")


@contract.parametrize()
@settings(
    max_examples=15,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[*HealthCheck],
)
def test_every_answer_is_documented(case, token):
    cache.clear()
    Submission.objects.all().delete()
    case.call_and_validate(
        headers={"Authorization": f"Bearer {token}", "Host": "localhost"},
        checks=[
            not_a_server_error,
            status_code_conformance,
            content_type_conformance,
            response_schema_conformance,
        ],
    )
