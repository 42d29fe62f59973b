"""The image of each kind of sandbox.

The images are built in advance (`deploy/build-images`); none is ever pulled. A machine without a registry can
do without these images: in *host mode*, all kinds share one image with a few empty folders, and containers
see the host's `/usr` read-only, as in a bubblewrap sandbox.
"""

import io
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from sandbox.backend import IsolationUnavailable
from sandbox.containers.engine import Engine
from sandbox.spec import Bind, Image

_SYSTEM_LINKS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_SYSTEM_FILES = ("/etc/alternatives", "/etc/ld.so.cache")
_FOLDERS = {
    **dict.fromkeys(("dev", "etc", "etc/alternatives", "proc", "sys", "usr"), 0o755),
    **dict.fromkeys(("tmp", "work"), 0o1777),  # a tmpfs gets the mode of the folder that it covers
}
_HOST_REPOSITORY = "warpcourt/host"
_HOST_TAG = "1"


@dataclass(frozen=True, slots=True)
class Images:
    """A reference for each kind of image. `hosts` says that they are empty (host mode)."""

    references: Mapping[Image, str]
    hosts: bool = False

    @classmethod
    def tagged(cls, prefix: str = "warpcourt", tag: str = "latest") -> Self:
        """The images that `deploy/build-images` makes: `PREFIX/KIND:TAG`."""
        return cls({image: f"{prefix}/{image}:{tag}" for image in Image})

    @classmethod
    def host(cls) -> Self:
        """Return the images of host mode."""
        return cls(dict.fromkeys(Image, f"{_HOST_REPOSITORY}:{_HOST_TAG}"), hosts=True)

    def binds(self) -> tuple[Bind, ...]:
        """Host paths that every container sees, in addition to those of its command."""
        if not self.hosts:
            return ()
        folders = [Path("/", name) for name in _SYSTEM_LINKS]
        paths = [Path("/usr"), *(path for path in folders if path.is_dir() and not path.is_symlink())]
        paths += [Path(file) for file in _SYSTEM_FILES if Path(file).exists()]
        return tuple(Bind(path, str(path)) for path in paths)

    def prepare(self, engine: Engine) -> None:
        """Check that the engine has the images. Raises IsolationUnavailable with the fix."""
        missing = sorted(
            {reference for reference in self.references.values() if not engine.has_image(reference)}
        )
        if missing and self.hosts:
            engine.import_image(_HOST_REPOSITORY, _HOST_TAG, _empty_root())
        elif missing:
            raise IsolationUnavailable(
                f"the engine lacks the images {', '.join(missing)}; run: deploy/build-images"
            )


def _empty_root() -> bytes:
    """Return a root of empty folders, with this host's links into `/usr`."""
    memory = io.BytesIO()
    with tarfile.open(fileobj=memory, mode="w") as archive:
        for name, mode in _FOLDERS.items():
            entry = tarfile.TarInfo(name)
            entry.type, entry.mode = tarfile.DIRTYPE, mode
            archive.addfile(entry)
        for name in _SYSTEM_LINKS:
            path = Path("/", name)
            if path.is_symlink():
                entry = tarfile.TarInfo(name)
                entry.type, entry.linkname = tarfile.SYMTYPE, str(path.readlink())
                archive.addfile(entry)
    return memory.getvalue()
