"""Finds the open files of the test process. Background threads may open and close others at any time."""

import os
from pathlib import Path


def open_below(folder: Path) -> list[str]:
    """Return the open files and folders of this process below `folder`; none if the system has no /proc."""
    links = Path("/proc/self/fd")
    targets = [os.path.realpath(link) for link in links.iterdir()] if links.is_dir() else []
    return [target for target in targets if Path(target).is_relative_to(folder)]
