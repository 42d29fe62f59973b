"""Where processes that serve together count, so that whichever is asked can tell the sum.

Theory of operation. The processes of one web server, and the children of one worker, write their counts into
files of one folder, each into its own; the one that is asked reads them all (prometheus_client's multiprocess
mode). Each member holds a shared lock on the folder's lock file as long as it lives. A folder that nobody
holds belongs to servers that are gone, and whoever joins one next removes it: counts of a process that died
stay while its server lives, and never get into those of another.

The files are mapped into memory, and writing to a mapped file on a full disk kills the process. So they lie
in the memory of the machine, not in the data or runtime directory, whose disk may be full.
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
    """Count in the folder of `server` from now on, with all that name it so. For life; call it first of all.

    `server` is the same for processes that serve together and for no others on this host. None, with the
    reason in the log, where there can be no such folder; then each process counts for itself.
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
    """Have the folder to oneself, without the files of processes that are gone.

    Their gauges are dropped. Their counts go to those of process 0, which there never is: children die by the
    thousand where programs hang, and a file each would fill the memory.
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
    # Not above: it has to be imported after `join`, since it looks once where to count.
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
    """Containers may share a folder, and each has a process 1: the namespace tells them apart."""
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
            pass  # somebody lives there
        finally:
            os.close(lock)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
