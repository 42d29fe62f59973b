"""Which Warpcourt this process runs."""

import tomllib
from functools import cache

from web.setting import ROOT


@cache
def version() -> str:
    """The version, such as `0.2.0`, as it was when first asked for: files may be replaced under a process."""
    with (ROOT / "pyproject.toml").open("rb") as stream:
        return str(tomllib.load(stream)["project"]["version"])
