"""Checks that the built front end matches its sources: `python -m web.site.frontend_check`.

The build writes the digests of its sources and outputs into `manifest.json`. Comparing them needs no Node, so
a machine without it still detects a source that was edited and not built, or an output that was edited by
hand. CI, which has Node, also rebuilds and compares.
"""

import hashlib
import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from web.config import ROOT

SOURCES = ROOT / "web" / "frontend"
DIST = ROOT / "web" / "static" / "dist"
_FIX = "Run: cd web/frontend && npm ci && npm run build"


def differences(sources: Path = SOURCES, dist: Path = DIST) -> list[str]:
    """Return the differences from the manifest, one sentence per file; empty if the build is current."""
    manifest = json.loads((dist / "manifest.json").read_text())
    built = (path for path in dist.rglob("*") if path.is_file() and path.name != "manifest.json")
    parts = [sources / name for name in ("build.mjs", "package.json", "package-lock.json")]
    written = (*parts, *(path for path in (sources / "src").rglob("*") if path.is_file()))
    return [
        *_compare("source", manifest["sources"], _digests(written, sources)),
        *_compare("output", manifest["outputs"], _digests(built, dist)),
    ]


def _digests(paths: Iterable[Path], base: Path) -> dict[str, str]:
    return {
        path.relative_to(base).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in paths
    }


def _compare(kind: str, recorded: Mapping[str, str], found: Mapping[str, str]) -> list[str]:
    texts = {
        **dict.fromkeys(recorded.keys() - found.keys(), "is gone"),
        **dict.fromkeys(found.keys() - recorded.keys(), "is new"),
        **{name: "has changed" for name in recorded.keys() & found.keys() if recorded[name] != found[name]},
    }
    return [f"{kind} {name} {text} since the build" for name, text in sorted(texts.items())]


def main() -> int:
    """Print the differences; the exit status is 1 if there are any."""
    found = differences()
    for difference in found:
        print(difference)  # noqa: T201 - a command's output
    if found:
        print(_FIX)  # noqa: T201 - as above
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
