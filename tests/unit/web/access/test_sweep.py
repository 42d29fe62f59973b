"""Opens every page of the URL map as every user. Every text is hostile, and every secret has a mark.

Hostile text must never become part of the markup. Every page must send the policy. Secrets must not reach
other users. No form may work without its CSRF token, and no redirect may leave the site.
"""

from html.parser import HTMLParser

import pytest

from tests.unit.web.access.asking import Answer, ask
from tests.unit.web.access.routes import Route, every_route
from tests.unit.web.access.world import ATTACK, HIDDEN, SECRET, World

pytestmark = pytest.mark.django_db

PAGES = [route for route in every_route() if "GET" in route.methods]
FORMS = [route for route in every_route() if "POST" in route.methods and not route.name.startswith("api:")]
# Those who may read the owner's program; the rest of the world may not, unless it is shared.
READERS = {"owner", "instructor", "staff"}
# Nobody but staff sees what hidden cases hold.
KEEPERS = {"staff"}
ELSEWHERE = ("https://evil.example/", "//evil.example/")


@pytest.mark.parametrize("route", PAGES, ids=lambda route: route.name)
def test_no_page_gives_anything_away(hostile_world: World, route: Route) -> None:
    for name in hostile_world.people:
        answer = ask(hostile_world, name, route)
        if answer.kind.startswith(("text/html", "image/svg")):
            assert ATTACK not in answer.text, f"{name}: an attack is live"
        if name not in READERS:
            assert SECRET not in answer.text, f"{name} reads the owner's program"
        if name not in KEEPERS:
            assert [word for word in HIDDEN if word in answer.text] == [], f"{name} learns of hidden cases"
        if answer.kind.startswith("text/html") and answer.status == 200:
            check_page(answer)


@pytest.mark.parametrize("route", PAGES, ids=lambda route: route.name)
def test_no_address_redirects_where_its_caller_says(hostile_world: World, route: Route) -> None:
    for name in ("anonymous", "owner", "staff"):
        for target in ELSEWHERE:
            asked = f"next={target}&return_to={target}&url={target}"
            answer = ask(hostile_world, name, route, QUERY_STRING=asked, HTTP_REFERER=target)
            assert not answer.location.startswith(("http:", "https:", "//"))


@pytest.mark.parametrize("route", FORMS, ids=lambda route: route.name)
def test_no_form_works_without_its_token(hostile_world: World, route: Route) -> None:
    for name in ("owner", "staff"):
        assert ask(hostile_world, name, route, "POST", csrf=True).status in {403, 404, 405}, name


def check_page(answer: Answer) -> None:
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["X-Frame-Options"] == "DENY"
    assert answer.headers["Referrer-Policy"] == "same-origin"
    Markup().feed(answer.text)


class Markup(HTMLParser):
    """Fails on what the policy forbids: it would be ignored, and the page would look or work otherwise."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = dict(attrs)
        assert "style" not in names, f"<{tag}> has a style of its own"
        assert not [name for name in names if name.startswith("on")], f"<{tag}> handles events inline"
        assert not (names.get("href") or "").startswith("javascript:"), "a link runs a script"
        if tag == "script":
            assert "src" in names or names.get("type") == "application/json", "an inline script"
