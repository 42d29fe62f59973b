"""Control groups: caps on the memory, tasks and time of a whole sandbox, on cgroup v1 and v2.

Theory of operation. `Hierarchy.find` looks once for a place where this process may create groups. Each
sandbox gets its own group there, named after its owner, so that groups of dead workers can be recognised and
removed. A process is added to its group before it runs any foreign code. On v2, no group may hold both
processes and controlled children, so this process moves to a leaf first.

Source: Documentation/admin-guide/cgroup-v1 and cgroup-v2.rst of Linux.
"""

import contextlib
import os
import secrets
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Self

_PARENT = "warpcourt"
_LEAF = "warpcourt-worker"
_CONTROLLERS = ("memory", "pids", "cpuacct")
_REMOVE_S = 2.0


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """The folders in which groups are created: one per controller on v1, the same for all on v2."""

    version: int
    folders: dict[str, Path]

    @classmethod
    def find(cls) -> Self | None:
        """Return the hierarchy that this process may use, or None if it may not create groups."""
        for attempt in (cls._find_v2, cls._find_v1):
            with contextlib.suppress(OSError):
                found = attempt()
                if found is not None:
                    ControlGroup.create(found, memory_bytes=64 << 20, tasks=8).remove()
                    return found
        return None

    @classmethod
    def _find_v2(cls) -> Self | None:
        root = _mount_points().get("cgroup2")
        if root is None or "memory" not in _words(root / "cgroup.controllers"):
            return None
        own = root / _own_groups().get("", "/").lstrip("/")
        if own.name == _LEAF:
            own = own.parent
        try:
            _enable_controllers(own)
        except OSError:  # busy: it holds processes, such as this one
            _vacate(own)
            _enable_controllers(own)
        parent = own / _PARENT
        parent.mkdir(exist_ok=True)
        _enable_controllers(parent)
        return cls(2, dict.fromkeys(_CONTROLLERS, parent))

    @classmethod
    def _find_v1(cls) -> Self | None:
        mounts, own = _mount_points(), _own_groups()
        folders = {}
        for name in _CONTROLLERS:
            if name not in mounts:
                return None
            mount = mounts[name]
            nested = mount / own.get(name, "/").lstrip("/")
            folders[name] = (nested if nested.is_dir() else mount) / _PARENT
            folders[name].mkdir(exist_ok=True)
        return cls(1, folders)

    def sweep(self) -> None:
        """Remove the groups of dead owners, and kill the processes that still run in them."""
        names = {path.name for folder in self.folders.values() for path in folder.iterdir() if path.is_dir()}
        for name in names:
            owner = name.split("-")[0]
            if owner.isdigit() and not Path("/proc", owner).exists():
                group = ControlGroup(
                    self.version, {key: folder / name for key, folder in self.folders.items()}
                )
                group.kill()
                group.remove()


@dataclass(frozen=True, slots=True)
class ControlGroup:
    """The control group of one sandbox."""

    version: int
    folders: dict[str, Path]

    @classmethod
    def create(cls, hierarchy: Hierarchy, *, memory_bytes: int, tasks: int) -> Self:
        """Create a group with these limits, without additional swap. Raises OSError if that fails."""
        name = f"{os.getpid()}-{secrets.token_hex(6)}"
        group = cls(hierarchy.version, {key: folder / name for key, folder in hierarchy.folders.items()})
        try:
            for folder in group._distinct():
                folder.mkdir()
            group._limit(memory_bytes, tasks)
        except OSError:
            group.remove()
            raise
        return group

    @classmethod
    def of(cls, process: int) -> Self | None:
        """Return the existing group of `process`, for reading; None if it cannot be found."""
        mounts, paths = _mount_points(), _groups_of(process)
        folders = {name: _below(mounts.get(name), paths.get(name)) for name in _CONTROLLERS}
        if all(folder is not None and folder.is_dir() for folder in folders.values()):
            return cls(1, {name: folder for name, folder in folders.items() if folder is not None})
        folder = _below(mounts.get("cgroup2"), paths.get(""))
        if folder is not None and (folder / "memory.events").exists():
            return cls(2, dict.fromkeys(_CONTROLLERS, folder))
        return None

    def _limit(self, memory_bytes: int, tasks: int) -> None:
        memory = self.folders["memory"]
        (self.folders["pids"] / "pids.max").write_text(str(tasks))
        if self.version == 1:
            self._write_v1_memory(memory_bytes)
            return
        (memory / "memory.max").write_text(str(memory_bytes))
        for file, value in (("memory.swap.max", "0"), ("memory.oom.group", "1")):
            with contextlib.suppress(FileNotFoundError):
                (memory / file).write_text(value)

    def limit_memory(self, memory_bytes: int) -> None:
        """Change the memory limit of a group in use.

        On v1, a group that already uses more keeps its old limit.
        """
        with contextlib.suppress(OSError):
            if self.version == 1:
                self._write_v1_memory(memory_bytes)
            else:
                (self.folders["memory"] / "memory.max").write_text(str(memory_bytes))

    def _write_v1_memory(self, memory_bytes: int) -> None:
        """Write both limits.

        The limit with swap must never be below the other one, which determines the order.
        """
        folder = self.folders["memory"]
        files = [folder / "memory.limit_in_bytes", folder / "memory.memsw.limit_in_bytes"]
        if memory_bytes > int(files[0].read_text()):
            files.reverse()
        for file in files:
            with contextlib.suppress(FileNotFoundError):  # no swap accounting
                file.write_text(str(memory_bytes))

    def add(self, process: int) -> None:
        """Add `process`. Children that it creates later are added too."""
        for folder in self._distinct():
            (folder / "cgroup.procs").write_text(str(process))

    @property
    def cpu_s(self) -> float:
        """Return the CPU time of all of its processes, living and dead, in seconds."""
        folder = self.folders["cpuacct"]
        if self.version == 1:
            return int((folder / "cpuacct.usage").read_text()) / 1e9
        return _pairs(folder / "cpu.stat").get("usage_usec", 0) / 1e6

    @property
    def peak_memory_bytes(self) -> int | None:
        """Return its peak memory, or None if the kernel does not report it."""
        file = "memory.max_usage_in_bytes" if self.version == 1 else "memory.peak"
        try:
            return int((self.folders["memory"] / file).read_text())
        except OSError:
            return None

    @property
    def out_of_memory(self) -> bool:
        """Return whether the kernel killed one of its processes for lack of memory."""
        file = "memory.oom_control" if self.version == 1 else "memory.events"
        return _pairs(self.folders["memory"] / file).get("oom_kill", 0) > 0

    def kill(self) -> None:
        """Kill all of its processes."""
        pids = self.folders["pids"]
        if self.version == 2:
            with contextlib.suppress(OSError):  # a kernel before 5.14
                (pids / "cgroup.kill").write_text("1")
                return
        with contextlib.suppress(OSError):
            for process in (pids / "cgroup.procs").read_text().split():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(process), signal.SIGKILL)

    def remove(self) -> None:
        """Wait until the group is empty, and remove it. After two seconds, leaves it to `Hierarchy.sweep`."""
        deadline = time.monotonic() + _REMOVE_S
        for folder in self._distinct():
            while folder.is_dir():
                try:
                    folder.rmdir()
                except OSError:
                    if time.monotonic() > deadline:
                        return
                    time.sleep(0.002)

    def _distinct(self) -> list[Path]:
        return list(dict.fromkeys(self.folders.values()))


def _mount_points() -> dict[str, Path]:
    """Return the mount points by v1 controller, and of v2 by the key `cgroup2`."""
    found: dict[str, Path] = {}
    for line in Path("/proc/self/mounts").read_text().splitlines():
        _, point, kind, options, *_ = line.split()
        if kind == "cgroup2":
            found["cgroup2"] = Path(point)
        elif kind == "cgroup":
            found.update({option: Path(point) for option in options.split(",") if option in _CONTROLLERS})
    return found


def _own_groups() -> dict[str, str]:
    """Return the paths of this process's groups by controller. v2 has the empty name."""
    return _groups_of("self")


def _groups_of(process: int | str) -> dict[str, str]:
    found: dict[str, str] = {}
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{process}/cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            found.update(dict.fromkeys(controllers.split(","), path))
    return found


def _below(mount: Path | None, group: str | None) -> Path | None:
    """Return the folder of a group; None if it is not visible here, as inside a container."""
    return None if mount is None or group is None or ".." in group else mount / group.lstrip("/")


def _enable_controllers(folder: Path) -> None:
    (folder / "cgroup.subtree_control").write_text("+memory +pids")


def _vacate(folder: Path) -> None:
    """Move the processes of a v2 group to a leaf below it."""
    leaf = folder / _LEAF
    leaf.mkdir(exist_ok=True)
    for process in (folder / "cgroup.procs").read_text().split():
        with contextlib.suppress(ProcessLookupError):
            (leaf / "cgroup.procs").write_text(process)


def _words(path: Path) -> set[str]:
    try:
        return set(path.read_text().split())
    except OSError:
        return set()


def _pairs(path: Path) -> dict[str, int]:
    try:
        lines = path.read_text().splitlines()
    except OSError:
        return {}
    return {key: int(value) for key, _, value in (line.partition(" ") for line in lines) if value.isdigit()}
