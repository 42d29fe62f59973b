"""The shared folder in which processes of one server count, so that each can return the sum.

Theory of operation. The processes of a web server, and the children of a worker, write their counts to one
folder, each to its own files. The process that is scraped reads all files (prometheus_client's multiprocess
mode). Each process holds a shared lock on the folder's lock file while it runs. A folder without lock holders
belongs to servers that have stopped, and the next process that joins a folder removes it. The counts of a
process that died therefore stay while its server runs, and are never added to those of another server.

The files are memory-mapped, and a write to a mapped file on a full disk kills the process. The files are
therefore in shared memory, not in the data or runtime directory, whose disk may be full.
"""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import structlog

from web.config import use_metrics_folder

log = structlog.get_logger(__name__)

_MEMORY = Path("/dev/shm")  # noqa: S108 - the folder below it is checked to be ours
_NOBODY = "0"
_joined: list[tuple[Path, int]] = []  # with the lock's descriptor, which the process's end closes


def join(server: str, *, home: Path | None = None) -> Path | None:
    """Count in the folder of `server` from now on, until the process ends. Call it before other imports.

    `server` is a name that the processes of one server share, unique on this host. Returns None, and logs the
    reason, if the folder cannot be created. Each process then counts separately.
    """
    home = home or _home()
    try:
        home.mkdir(mode=0o700, exist_ok=True)
        if home.stat().st_uid != os.geteuid():
            raise PermissionError(f"{home} belongs to another user; remove it")
        with _locked(home / "lock"):
            folder = home / _name(server)
            _remove_forsaken(home)
            folder.mkdir(exist_ok=True)
            held = os.open(folder / "lock", os.O_RDONLY | os.O_CREAT, 0o600)
            fcntl.flock(held, fcntl.LOCK_SH)
            _joined.append((folder, held))
    except OSError as error:
        log.warning("metrics_not_shared", error=str(error))
        return None
    use_metrics_folder(folder)
    return folder


def joined() -> Path | None:
    """The folder that this process counts in, if it joined one."""
    return _joined[-1][0] if _joined else None


@contextmanager
def compacted(folder: Path) -> Iterator[None]:
    """Lock the folder exclusively, and merge the files of processes that have ended.

    Their gauges are dropped. Their counts are added to those of process 0, which never exists: if programs
    hang, thousands of children are killed, and a file for each would fill the memory.
    """
    with _locked(folder / "tidy"):
        for path in folder.glob("*.db"):
            kind, _, pid = path.stem.rpartition("_")
            if pid == _NOBODY or Path("/proc", pid).exists():
                continue
            if not kind.startswith("gauge_"):
                _add(path, folder / f"{kind}_{_NOBODY}.db")
            path.unlink()
        yield


def _add(one: Path, total: Path) -> None:
    # Imported here, after `join`, because prometheus_client reads the folder's path once.
    from prometheus_client import mmap_dict  # noqa: PLC0415

    untyped: Any = mmap_dict.MmapedDict
    sums = untyped(str(total))
    for key, count, moment, _ in untyped.read_all_values_from_file(str(one)):
        sums.write_value(key, sums.read_value(key)[0] + count, moment)
    sums.close()


def _home() -> Path:
    memory = _MEMORY if os.access(_MEMORY, os.W_OK) else Path(tempfile.gettempdir())
    return memory / f"warpcourt-metrics-{os.geteuid()}"


def _name(server: str) -> str:
    """The name of a server's folder. Containers may share /dev/shm, so it contains the PID namespace."""
    return f"{server}-{Path('/proc/self/ns/pid').stat().st_ino}"


def _remove_forsaken(home: Path) -> None:
    for folder in home.iterdir():
        if not folder.is_dir():
            continue
        lock = os.open(folder / "lock", os.O_RDONLY | os.O_CREAT, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
        except BlockingIOError:
            pass  # a running process uses it
        finally:
            os.close(lock)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
