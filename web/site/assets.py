"""The names of built files. The build's manifest lists them with a hash of their content."""

import json
from functools import lru_cache

from web.site.frontend_check import DIST

# Files for the first paint of every page, and additional files for pages with code and formulas.
FONTS = ("assets/instrument-sans-latin-wght-normal", "assets/source-serif-4-latin-wght-normal")
WORKBENCH_FONTS = ("assets/jetbrains-mono-plain", "assets/warpcourt-math")


def find_assets(*beginnings: str) -> tuple[str, ...]:
    """Return the built files with these prefixes, each followed by its hash.

    Files that the build lacks are omitted.
    """
    return tuple(
        name for beginning in beginnings for name in _outputs() if name.rpartition("-")[0] == beginning
    )


@lru_cache(maxsize=1)
def _outputs() -> tuple[str, ...]:
    manifest = json.loads((DIST / "manifest.json").read_text())
    return tuple(name for name in manifest["outputs"] if not name.endswith((".br", ".gz")))
