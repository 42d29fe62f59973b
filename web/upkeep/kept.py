"""The folder of regular backups: how they are called, and which are thrown away."""

import time
from datetime import datetime
from pathlib import Path

_ABANDONED_S = 24 * 3600.0


def name_of(made: datetime) -> str:
    """How the backup of a moment (UTC) is called. Names sort by time."""
    return f"warpcourt-{made:%Y%m%dT%H%M%SZ}.zip"


def rotate(folder: Path, *, keep: int) -> list[Path]:
    """Delete all but the `keep` latest backups in `folder`, and what interrupted ones left. Returns which.

    Only files that are called as ours are looked at.
    """
    kept = sorted(folder.glob("warpcourt-*T*Z.zip"))
    gone = kept[: max(len(kept) - keep, 0)]
    oldest = time.time() - _ABANDONED_S
    gone += [path for path in folder.glob("warpcourt-*T*Z.zip.part") if path.stat().st_mtime < oldest]
    for path in gone:
        path.unlink(missing_ok=True)
    return gone
