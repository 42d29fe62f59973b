"""Tests control groups of both versions, on a folder instead of the kernel's."""

from pathlib import Path

import pytest

from sandbox import cgroup
from sandbox.cgroup import ControlGroup, Hierarchy


def hierarchy(version: int, folder: Path) -> Hierarchy:
    names = ("memory", "pids", "cpuacct")
    if version == 2:
        return Hierarchy(2, dict.fromkeys(names, folder))
    folders = {name: folder / name for name in names}
    for path in folders.values():
        path.mkdir()
    return Hierarchy(1, folders)


def test_v2_caps_memory_swap_and_tasks(tmp_path: Path) -> None:
    group = ControlGroup.create(hierarchy(2, tmp_path), memory_bytes=1 << 20, tasks=7)
    folder = group.folders["memory"]
    written = {path.name: path.read_text() for path in folder.iterdir()}
    assert written == {
        "pids.max": "7",
        "memory.max": str(1 << 20),
        "memory.swap.max": "0",
        "memory.oom.group": "1",
    }
    group.limit_memory(1 << 21)
    assert (folder / "memory.max").read_text() == str(1 << 21)


def test_v2_readings(tmp_path: Path) -> None:
    group = ControlGroup(2, dict.fromkeys(("memory", "pids", "cpuacct"), tmp_path))
    assert not group.out_of_memory
    (tmp_path / "memory.peak").write_text("123\n")
    (tmp_path / "memory.events").write_text("low 0\nhigh 0\nmax 9\noom 1\noom_kill 1\n")
    (tmp_path / "cpu.stat").write_text("usage_usec 2500000\nuser_usec 1\n")
    assert (group.peak_memory_bytes, group.out_of_memory, group.cpu_s) == (123, True, 2.5)
    group.kill()
    assert (tmp_path / "cgroup.kill").read_text() == "1"


def test_v1_readings(tmp_path: Path) -> None:
    folders = hierarchy(1, tmp_path).folders
    group = ControlGroup(1, folders)
    (folders["memory"] / "memory.max_usage_in_bytes").write_text("123\n")
    (folders["memory"] / "memory.oom_control").write_text("oom_kill_disable 0\nunder_oom 0\noom_kill 0\n")
    (folders["cpuacct"] / "cpuacct.usage").write_text("2500000000\n")
    assert (group.peak_memory_bytes, group.out_of_memory, group.cpu_s) == (123, False, 2.5)


@pytest.mark.parametrize(("before", "after"), [(100, 200), (200, 100)])
def test_v1_never_sets_the_cap_with_swap_below_the_other(
    tmp_path: Path, before: int, after: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = hierarchy(1, tmp_path).folders
    plain, total = "memory.limit_in_bytes", "memory.memsw.limit_in_bytes"
    state = {plain: before, total: before}
    for name in state:
        (folders["memory"] / name).write_text(str(before))
    write = Path.write_text

    def kernel(path: Path, text: str) -> int:
        state[path.name] = int(text)
        assert state[plain] <= state[total]
        return write(path, text)

    monkeypatch.setattr(Path, "write_text", kernel)
    ControlGroup(1, folders).limit_memory(after)
    assert state == {plain: after, total: after}


def test_on_v2_our_own_process_moves_to_a_leaf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    service = tmp_path / "service"
    service.mkdir()
    (tmp_path / "cgroup.controllers").write_text("cpu memory pids\n")
    (service / "cgroup.procs").write_text("41\n")
    monkeypatch.setattr(cgroup, "_mount_points", lambda: {"cgroup2": tmp_path})
    monkeypatch.setattr(cgroup, "_own_groups", lambda: {"": "/service"})
    write, busy = Path.write_text, [True]

    def kernel(path: Path, text: str) -> int:
        if path == service / "cgroup.subtree_control" and busy:
            busy.clear()
            raise OSError(16, "Device or resource busy")
        return write(path, text)

    monkeypatch.setattr(Path, "write_text", kernel)
    found = Hierarchy._find_v2()
    assert found is not None
    assert found.folders["memory"] == service / "warpcourt"
    assert (service / "warpcourt-worker" / "cgroup.procs").read_text() == "41"
    assert (service / "warpcourt" / "cgroup.subtree_control").read_text() == "+memory +pids"


def test_groups_of_dead_owners_are_swept(tmp_path: Path) -> None:
    found = hierarchy(1, tmp_path)
    for folder in found.folders.values():
        (folder / "999999999-abc").mkdir()
        (folder / "1-abc").mkdir()
        (folder / "other").mkdir()
    found.sweep()
    assert sorted(path.name for path in found.folders["pids"].iterdir()) == ["1-abc", "other"]


def test_the_group_of_somebody_elses_process_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mounts = {"cgroup2": tmp_path / "unified"}
    paths = {"": "/docker/1", **dict.fromkeys(("memory", "pids", "cpuacct"), "/docker/1")}
    monkeypatch.setattr(cgroup, "_mount_points", lambda: mounts)
    monkeypatch.setattr(cgroup, "_groups_of", lambda _: paths)
    assert ControlGroup.of(1) is None
    folder = tmp_path / "unified" / "docker" / "1"
    folder.mkdir(parents=True)
    assert ControlGroup.of(1) is None, "a hierarchy that controls no memory says nothing"
    (folder / "memory.events").write_text("oom_kill 1\n")
    found = ControlGroup.of(1)
    assert found is not None
    assert (found.version, found.out_of_memory) == (2, True)
    for name in ("memory", "pids", "cpuacct"):
        mounts[name] = tmp_path / name
        (tmp_path / name / "docker" / "1").mkdir(parents=True)
    found = ControlGroup.of(1)
    assert found is not None
    assert found.folders["pids"] == tmp_path / "pids" / "docker" / "1"
    paths.update(dict.fromkeys(paths, "/../outside"))
    assert ControlGroup.of(1) is None
