"""The names of built files whose hash changes with their content, as the build's manifest lists them."""

import json
from functools import lru_cache

from web.site.frontend_check import DIST

# What the first paint of every page needs, and that of a page with code and formulas besides.
FONTS = ("assets/instrument-sans-latin-wght-normal", "assets/source-serif-4-latin-wght-normal")
WORKBENCH_FONTS = ("assets/jetbrains-mono-plain", "assets/warpcourt-math")


def find_assets(*beginnings: str) -> tuple[str, ...]:
    """The built files whose names begin so, each followed by its hash; none for what the build lacks."""
    return tuple(
        name for beginning in beginnings for name in _outputs() if name.rpartition("-")[0] == beginning
    )


@lru_cache(maxsize=1)
def _outputs() -> tuple[str, ...]:
    manifest = json.loads((DIST / "manifest.json").read_text())
    return tuple(name for name in manifest["outputs"] if not name.endswith((".br", ".gz")))
