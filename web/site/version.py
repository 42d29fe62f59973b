"""The version of Warpcourt that this process runs."""

import tomllib
from functools import cache

from web.setting import ROOT


@cache
def version() -> str:
    """Return the version, such as `0.2.0`, from the first call: later a deployment may replace files."""
    with (ROOT / "pyproject.toml").open("rb") as stream:
        return str(tomllib.load(stream)["project"]["version"])
