"""Tests how personal nodes join and leave, and what is stored about them."""

import json
import re

import pytest

from tests.unit.web.personal_nodes.nodes import SAID, SITE, ANode
from tests.unit.web.test_node_join import the_site
from web.accounts.models import User
from web.audit.models import AuditEntry, AuditKind
from web.fleet.handshake import HandshakeFailed
from web.fleet.joining import ask_to_join
from web.fleet.models import NodeInvitation, PersonalNode
from web.fleet.personal import MOST, PersonalNodeRefused, invite_personal, remove_node
from web.privacy.deletion import delete_account
from web.privacy.export import document
from web.profiles.forms import PersonalNodeForm
from web.submissions.models import Report as Stored

pytestmark = pytest.mark.django_db


def test_a_node_gets_a_key_and_no_credentials(owner: User) -> None:
    settings = ANode(owner).settings
    assert settings.keys() == {"WARPCOURT_SITE_URL", "WARPCOURT_NODE_KEY", "version"}
    assert settings["WARPCOURT_SITE_URL"] == SITE
    assert settings["WARPCOURT_NODE_KEY"] not in str(PersonalNode.objects.values_list())


@pytest.mark.parametrize(
    ("site", "safe"),
    [
        ("http://court.example.org", False),
        ("http://localhost@court.example.org", False),
        ("http://127.0.0.1.example.org", False),
        ("http://127.0.0.1:8000", True),
        (SITE, True),
    ],
)
def test_a_site_without_https_invites_no_node(owner: User, site: str, safe: bool) -> None:
    if safe:
        assert invite_personal(owner, "desk", site).site == site
        return
    with pytest.raises(PersonalNodeRefused, match="Ask the operator to serve the site over HTTPS"):
        invite_personal(owner, "desk", site)
    assert not PersonalNode.objects.exists()


def test_the_invitation_ends_with_the_account(owner: User) -> None:
    token = invite_personal(owner, "desk", SITE)
    PersonalNode.objects.all().delete()
    with pytest.raises(HandshakeFailed, match="refuses the token"):
        ask_to_join(token, the_site())
    assert not AuditEntry.objects.filter(kind=AuditKind.NODE_JOIN).exists()
    NodeInvitation.objects.all().delete()
    invite_personal(owner, "desk", SITE)
    delete_account(owner)
    assert not NodeInvitation.objects.exists()
    assert not PersonalNode.objects.exists()


def test_a_user_has_few_nodes_with_different_names(owner: User, teammate: User) -> None:
    for number in range(MOST):
        invite_personal(owner, f"desk-{number}", SITE)
        with pytest.raises(PersonalNodeRefused):
            invite_personal(owner, "desk-0", SITE)
    with pytest.raises(PersonalNodeRefused, match="the maximum"):
        invite_personal(owner, "another", SITE)
    invite_personal(teammate, "desk-0", SITE)
    first = PersonalNode.objects.filter(owner=owner).first()
    assert first is not None
    remove_node(first)
    assert NodeInvitation.objects.count() == MOST


@pytest.mark.parametrize("name", ["a\x1b[2J", "a\u202eb", "a\nb", "\ud800"])
def test_the_name_of_a_node_has_no_control_characters(name: str) -> None:
    assert PersonalNodeForm({"name": "desk 1 (büro)"}).is_valid()
    assert not PersonalNodeForm({"name": name}).is_valid()


def test_an_invited_node_is_none_before_it_joins(owner: User) -> None:
    token = invite_personal(owner, "desk", SITE)
    assert token.site == SITE
    assert PersonalNode.objects.get().joined is None
    assert "live" not in str(PersonalNode.objects.get())


def test_the_last_node_takes_its_waiting_runs_along(owner: User, desk: ANode, run_of, browser_of) -> None:
    taken, waiting = run_of(owner), run_of(owner)
    desk.claim()
    browser = browser_of(owner)
    page = browser.get("/account/nodes").content.decode()
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
    assert token
    browser.post(f"/account/nodes/{desk.row.pk}/remove", {"csrfmiddlewaretoken": token[1]})
    assert not PersonalNode.objects.exists()
    for submission in (taken, waiting):
        assert Stored.objects.get(submission=submission).verdict == "cancelled"
    assert desk.post("claim", SAID).status_code == 401


def test_the_export_of_an_account_contains_its_nodes(owner: User, desk: ANode) -> None:
    kept = json.loads("".join(document(owner)))
    assert [node["name"] for node in kept["personal_nodes"]] == ["desk"]
    assert desk.settings["WARPCOURT_NODE_KEY"] not in json.dumps(kept)
    assert desk.row.digest not in json.dumps(kept)
