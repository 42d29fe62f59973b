"""Tests that browsers which open the target of a form get a page, or the page with the form."""

import pytest

from tests.conftest import new_problem
from tests.unit.web.access.asking import ask
from tests.unit.web.access.matrix import MATRIX
from tests.unit.web.access.routes import every_route

pytestmark = pytest.mark.django_db

BROWSER = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
TARGETS = [
    route
    for route in every_route()
    if set(MATRIX.get((route.name, "GET"), "")) == {"m"} and not route.name.startswith("api:")
]


def test_a_user_who_signed_in_on_the_way_returns_to_the_form(client, owner):
    new_problem("sums")
    client.force_login(owner)
    answer = client.get("/problems/sums/bookmark", headers=BROWSER, follow=True)
    assert answer.redirect_chain == [("/problems/sums", 302)]
    assert "Nothing was sent." in answer.text


def test_a_visitor_reads_what_to_do(client):
    answer = client.get("/problems/sums/bookmark", headers=BROWSER)
    assert (answer.status_code, answer["Allow"]) == (405, "POST")
    assert "Form not sent" in answer.text
    assert 'href="/problems/sums"' in answer.text


def test_an_address_without_a_page_above_it_leads_to_the_problems(client, owner):
    client.force_login(owner)
    answer = client.get("/solutions/1/vote", headers=BROWSER)
    assert answer.status_code == 405
    assert 'href="/problems"' in answer.text


def test_programs_get_the_bare_status(client):
    answer = client.get("/problems/sums/bookmark")
    assert (answer.status_code, answer.content) == (405, b"")
    assert client.delete("/api/v1/problems", headers=BROWSER).status_code == 405
    assert "<html" not in client.delete("/api/v1/problems", headers=BROWSER).text


@pytest.mark.parametrize("route", TARGETS, ids=lambda route: route.name)
def test_no_target_of_a_form_leads_to_another_one_for_ever(world, route):
    answer = ask(world, "staff", route, HTTP_ACCEPT=BROWSER["accept"])
    assert answer.text.strip() or answer.location
    assert len(answer.location) < len(world.address(route))
