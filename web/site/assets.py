"""The names of built files. The build's manifest lists them with a hash of their content."""

import json
from functools import lru_cache

from web.site.frontend_check import DIST

# What the first paint of every page needs, and what a page with code and formulas needs in addition.
FONTS = ("assets/instrument-sans-latin-wght-normal", "assets/source-serif-4-latin-wght-normal")
WORKBENCH_FONTS = ("assets/jetbrains-mono-plain", "assets/warpcourt-math")


def find_assets(*beginnings: str) -> tuple[str, ...]:
    """Return the built files with this prefix, each followed by its hash; none that the build lacks."""
    return tuple(
        name for beginning in beginnings for name in _outputs() if name.rpartition("-")[0] == beginning
    )


@lru_cache(maxsize=1)
def _outputs() -> tuple[str, ...]:
    manifest = json.loads((DIST / "manifest.json").read_text())
    return tuple(name for name in manifest["outputs"] if not name.endswith((".br", ".gz")))
