"""The folder of regular backups: their names, and which are deleted."""

import time
from datetime import datetime
from pathlib import Path

_ABANDONED_S = 24 * 3600.0


def name_of(made: datetime) -> str:
    """The file name of a backup made at this time (UTC). Names sort by time."""
    return f"warpcourt-{made:%Y%m%dT%H%M%SZ}.zip"


def rotate(folder: Path, *, keep: int) -> list[Path]:
    """Delete old and interrupted backups in `folder`, and keep the `keep` latest. Return the deleted paths.

    Other files are ignored.
    """
    kept = sorted(folder.glob("warpcourt-*T*Z.zip"))
    gone = kept[: max(len(kept) - keep, 0)]
    oldest = time.time() - _ABANDONED_S
    gone += [path for path in folder.glob("warpcourt-*T*Z.zip.part") if path.stat().st_mtime < oldest]
    for path in gone:
        path.unlink(missing_ok=True)
    return gone
