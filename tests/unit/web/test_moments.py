"""Tests times on pages: UTC without scripts, with markup for the script that shows local time."""

import re
from datetime import UTC, datetime, timedelta, timezone

import pytest
from django.template.loader import get_template
from django.test import Client

from web.config import ROOT
from web.submissions.models import Submission
from web.templatetags.warpcourt import moment


def test_a_moment_says_that_it_is_utc():
    text = "23 Nov 2026, 01:25 UTC"
    for zone in (UTC, timezone(timedelta(hours=9))):
        shown = moment(datetime(2026, 11, 23, 1, 25, tzinfo=UTC).astimezone(zone), "numeric")
        assert shown.startswith('<time class="numeric" datetime="2026-11-23T')
        assert shown.endswith(f' title="{text}" data-local>{text}</time>')
    assert moment(None) == ""


def test_no_template_shows_a_time_without_its_zone():
    root = ROOT / "web" / "templates"
    for path in root.rglob("*.html"):
        bare = re.findall(r"H:i(?!:s)[^}]*}}(?! UTC)", path.read_text())
        assert not bare, path
        get_template(str(path.relative_to(root)))  # with every tag that it needs


@pytest.mark.django_db
def test_the_list_of_submissions_marks_its_times(handed_in, owner, client: Client):
    submission: Submission = handed_in(owner)
    client.force_login(owner)
    page = client.get("/submissions").content.decode()
    assert page.count(str(moment(submission.created))) == 1
    assert page.count(" data-local>") == 2
