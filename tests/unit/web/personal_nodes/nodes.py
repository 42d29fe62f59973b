"""Personal nodes as their owners can use them."""

import json
from typing import Any

from django.test import Client

from judge.report import (
    Report,
)
from judge.report_json import to_json
from tests.unit.web.test_node_join import the_site
from web.accounts.models import User
from web.fleet.joining import ask_to_join
from web.fleet.models import PersonalNode
from web.fleet.personal import invite_personal
from web.site.version import version

SITE = "https://court.example.org"
SAID = {"version": version(), "hardware": "CPU"}
"""What a node says about itself."""


class ANode:
    """A joined personal node, as its owner can use it: with requests of any content."""

    def __init__(self, owner: User, name: str = "desk") -> None:
        settings = ask_to_join(invite_personal(owner, name, SITE), the_site())
        self.settings = settings
        self.row = PersonalNode.objects.get(owner=owner, name=name)

    def post(self, path: str, body: object, key: str = "") -> Any:
        key = key or self.settings["WARPCOURT_NODE_KEY"]
        return Client().post(
            f"/api/v1/personal/{path}",
            json.dumps(body),
            content_type="application/json",
            headers={"Authorization": f"Bearer {key}"},
        )

    def claim(self) -> dict[str, Any] | None:
        run: dict[str, Any] | None = self.post("claim", SAID).json()["run"]
        return run

    def report(self, run: dict[str, Any], report: Report | dict[str, Any]) -> Any:
        body = to_json(report) if isinstance(report, Report) else report
        return self.post(f"runs/{run['id']}/{run['attempt']}/report", body)
