"""Tests that a test without a browser can use Django in the process of an earlier browser test."""

from django.db import connections
from playwright.sync_api import Page


def test_a_browser_leaves_an_event_loop(page: Page) -> None:
    page.set_content("<p>A page</p>")


def test_a_later_test_without_a_browser_does_not_meet_it() -> None:
    connections["default"].close()
