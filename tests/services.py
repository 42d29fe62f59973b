"""What a test needs from the machine."""

import os

import pytest


def need(available: bool, what: str, fix: str) -> None:
    """Skip the test when `what` is missing, or fail it when `CI` is set. `fix` says how to get it."""
    if available:
        return
    reason = f"{what} is missing: {fix}"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)
