"""A pytest plugin that sorts the files and folders of the command line.

Theory of operation. For a file on the command line, pytest 9.1 collects the folder of the file again and
makes new nodes for the folders in it. Fixtures of a `conftest.py` belong to the node of its folder. So if a
file of the parent stands between two files of a folder, the second one does not find the fixtures of its
folder. In sorted order, the files of a folder stand together. pytest 9.2 does not need this plugin.

Source: https://github.com/pytest-dev/pytest/issues/14964
"""

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Sort the arguments before pytest collects the tests. Processes of pytest-xdist get the same order."""
    config.args.sort()
