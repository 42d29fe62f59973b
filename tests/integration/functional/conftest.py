"""Runs the variants of a test on one process, so that only the first compiles their program."""

from pathlib import Path

import pytest


@pytest.hookimpl(tryfirst=True)  # before xdist reads the marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the variants of a test into one group.

    Compiled programs are cached for all processes. But pytest distributes variants one after the other. So
    several processes would begin with the same program at the same time, and none would find it compiled.
    """
    for item in items:
        if Path(__file__).parent in item.path.parents and hasattr(item, "callspec"):
            name = f"functional-{item.path.stem}-{getattr(item, 'originalname', item.name)}"
            item.add_marker(pytest.mark.xdist_group(name))
