"""Attaches one GPU to a container.

There are three methods. The first that this engine and host support is used:

1. CDI, if the engine reads a specification that names the GPU. There the vendor describes what a GPU needs.
2. A device request (`docker run --gpus`), if the engine has NVIDIA's runtime.
3. By hand: the device files of this GPU, the shared device files, and the driver's libraries, read-only
   (`sandbox.gpu.attachment`).

Host mode supports only the last method, because its image has no files that a hook could change. This method
needs no installation. With every method, the container sees only its own GPUs, usually one.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sandbox.containers.engine import Facts
from sandbox.gpu.attachment import attach as by_files
from sandbox.gpu.attachment import sharing
from sandbox.spec import Bind, SandboxGpu

_CDI_KIND = "nvidia.com/gpu"
_RUNTIME = "nvidia"


@dataclass(frozen=True, slots=True)
class DeviceRequest:
    """Devices that the engine attaches itself."""

    driver: str
    ids: tuple[str, ...]
    capabilities: tuple[str, ...] = ()

    def body(self) -> dict[str, object]:
        """Return the request in the engine's format."""
        return {
            "Driver": self.driver,
            "DeviceIDs": list(self.ids),
            "Capabilities": [list(self.capabilities)] if self.capabilities else [],
        }


@dataclass(frozen=True, slots=True)
class Attachment:
    """Container settings for its GPU. `libraries` is a folder that the loader searches first."""

    requests: tuple[DeviceRequest, ...] = ()
    devices: tuple[str, ...] = ()
    binds: tuple[Bind, ...] = ()
    masked: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    libraries: str = ""


NOTHING = Attachment()


def attach(gpu: SandboxGpu | None, facts: Facts, *, by_hand: bool, root: Path = Path("/")) -> Attachment:
    """Return how to attach `gpu` to a container of this engine. `by_hand` allows only the last method.

    Raises IsolationUnavailable, with the fix, if the host lacks something.
    """
    if gpu is None:
        return NOTHING
    binds, environment = sharing(gpu)
    uuids = tuple(one.uuid for one in gpu.all)
    folders = [root / folder.lstrip("/") for folder in facts.cdi_folders]
    if not by_hand and any(all(_names(folder, uuid) for uuid in uuids) for folder in folders):
        request = DeviceRequest("cdi", tuple(f"{_CDI_KIND}={uuid}" for uuid in uuids))
        return Attachment(requests=(request,), binds=binds, environment=environment)
    if not by_hand and _RUNTIME in facts.runtimes:
        request = DeviceRequest("nvidia", uuids, ("gpu", "compute", "utility"))
        return Attachment(requests=(request,), binds=binds, environment=environment)
    files = by_files(gpu, root)
    return Attachment(
        devices=files.devices,
        binds=files.binds,
        masked=files.masked,
        environment=files.environment,
        libraries=files.libraries,
    )


def _names(folder: Path, uuid: str) -> bool:
    """Return whether a CDI specification in `folder` has a device of this uuid."""
    for path in sorted(folder.glob("*")):
        if path.suffix in {".json", ".yaml", ".yml"} and path.is_file():
            text = path.read_text(errors="replace")
            if _CDI_KIND in text and re.search(rf"\bname\W+{re.escape(uuid)}\b", text):
                return True
    return False
