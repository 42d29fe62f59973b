"""Tests the arguments of bwrap, and the errors when it is not available."""

from dataclasses import replace
from pathlib import Path

import pytest

from sandbox import bubblewrap
from sandbox.backend import IsolationUnavailable
from sandbox.bubblewrap import Bubblewrap
from sandbox.fake import exited
from sandbox.gpu.attachment import GpuFiles
from sandbox.launch import BubblewrapLaunch
from sandbox.probe import judge as judge_probe
from sandbox.spec import Bind, Command, Completion, Limits, SandboxGpu, Termination

COMMAND = Command(
    ("/program",),
    Limits(wall_s=1, cpu_s=1, memory_mib=64, tmpfs_mib=3),
    binds=(Bind(Path("/srv/tools"), "/opt/a/tools"), Bind(Path("/srv/more"), "/opt/a/more")),
    files={"in/source": b"x"},
    environment={"NAME": "value"},
)
LAUNCH = BubblewrapLaunch(
    argv=(),
    options=b"",
    filter_program=b"",
    files=(),
    descriptors={},
    limits=COMMAND.limits,
    group=None,
    outer_id=None,
    open_work=False,
    folders=(),
)
GOOD = (
    b"65534\nNoNewPrivs:\t1\nSeccomp:\t2\nCapEff:\t0000000000000000\nCapBnd:\t0000000000000000\n"
    b"Network: lo\nInit: bwrap\n"
)


def options(command: Command = COMMAND, *, maps_ids: bool = True) -> list[str]:
    return bubblewrap._options(command, maps_ids=maps_ids).decode().split("\0")[:-1]


@pytest.mark.parametrize("maps_ids", [True, False])
def test_every_namespace_is_its_own(maps_ids: bool) -> None:
    words = options(maps_ids=maps_ids)
    for namespace in ("user", "pid", "net", "ipc", "uts", "cgroup"):
        assert f"--unshare-{namespace}" in words
    for word in ("--die-with-parent", "--new-session", "--clearenv", "--seccomp", "--cap-drop"):
        assert word in words
    assert ("--cap-add" in words) == maps_ids


def test_binds_are_read_only_and_their_parents_are_made_once() -> None:
    words = options()
    assert not {"--bind", "--dev-bind", "--bind-data"} & set(words)
    at = words.index("/opt/a/tools")
    assert words[at - 2 : at] == ["--ro-bind", "/srv/tools"]
    for folder in ("/opt", "/opt/a", "/work/in"):
        assert words.count(folder) == 1
        assert words[words.index(folder) - 3 : words.index(folder)] == ["--perms", "0755", "--dir"]
    assert words[-2:] == ["--chdir", "/work"]
    assert words[words.index("--remount-ro") : -2] == ["--remount-ro", "/dev", "--remount-ro", "/"]


def test_everything_writable_has_a_quota() -> None:
    words = options()
    places = [index for index, word in enumerate(words) if word == "--tmpfs"]
    assert [words[index + 1] for index in places] == ["/tmp", "/work", "/dev/shm"]
    assert all(words[index - 2 : index] == ["--size", str(3 << 20)] for index in places)


def test_a_gpu_adds_its_devices_and_libraries_and_hides_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    files = GpuFiles(
        devices=("/dev/nvidia1", "/dev/nvidiactl"),
        binds=(Bind(Path("/run/mps/control"), "/.warpcourt/mps/control"),),
        masked=("/proc/driver/nvidia/gpus/0000:01:00.0",),
        environment={"NAME": "of the GPU"},
        libraries="/.warpcourt/driver",
    )
    monkeypatch.setattr(bubblewrap, "attach", lambda _: files)
    words = options(replace(COMMAND, gpu=SandboxGpu("GPU-1", minor=1)))
    for device in files.devices:
        assert words[words.index(device) - 1 : words.index(device) + 2] == ["--dev-bind", device, device]
    assert words.index("/dev/nvidia1") < words.index("--remount-ro")
    assert words[words.index(files.masked[0]) - 1] == "--tmpfs"
    assert words[words.index("/.warpcourt/mps/control") - 2] == "--ro-bind"
    assert words[words.index("NAME") + 1] == "of the GPU"
    assert words[words.index("LD_LIBRARY_PATH") + 1] == "/.warpcourt/driver"
    assert "--bind" not in words


@pytest.mark.parametrize(
    "command",
    [replace(COMMAND, argv=("a\0b",)), replace(COMMAND, environment={"A": "x\0--bind"})],
)
def test_no_option_can_be_smuggled_in(command: Command) -> None:
    with pytest.raises(ValueError, match="NUL"):
        options(command)


def test_without_bubblewrap_nothing_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)
    backend = Bubblewrap()
    with pytest.raises(IsolationUnavailable, match="apt-get install bubblewrap"):
        backend.verify()
    with pytest.raises(IsolationUnavailable, match="apt-get install bubblewrap"):
        backend.start(COMMAND)


def test_missing_control_groups_are_a_weakness_that_names_what_still_limits() -> None:
    """The kernel counts RLIMIT_NPROC per user and RLIMIT_CPU per process."""
    backend = Bubblewrap()
    backend._found = bubblewrap._Host("bwrap", hierarchy=None, maps_ids=True, filter_programs={})
    (weakness,) = backend.weaknesses
    assert "CPU time is limited per process, and tasks per user" in weakness


@pytest.mark.parametrize(
    ("said", "fix"),
    [
        (b"bwrap: No permissions to create new namespace", "kernel.unprivileged_userns_clone=1"),
        (b"bwrap: setting up uid map: Permission denied", "apparmor_restrict_unprivileged_userns=0"),
        (b"bwrap: Unknown option --size", "too old"),
        (b"bwrap: Can't mount proc on /newroot/proc: Operation not permitted", "/proc must not be masked"),
    ],
)
def test_a_refusal_names_its_fix(said: bytes, fix: str) -> None:
    error = LAUNCH.explain(IsolationUnavailable("it did not start"), said.decode())
    assert fix in str(error)
    assert said.decode() in str(error)


def judge(completion: Completion) -> None:
    judge_probe(completion, identities=range(65534, 65535), init="bwrap")


def test_the_probe_is_judged_by_what_it_saw() -> None:
    judge(exited(0, stdout=GOOD))
    for line in GOOD.splitlines(keepends=True):
        with pytest.raises(IsolationUnavailable, match="not isolated"):
            judge(exited(0, stdout=GOOD.replace(line, b"")))
    with pytest.raises(IsolationUnavailable, match="writable"):
        judge(exited(0, stdout=GOOD + b"Writable\n"))
    with pytest.raises(IsolationUnavailable, match="status 1"):
        judge(exited(1, stderr=b"no"))
    with pytest.raises(IsolationUnavailable, match="memory"):
        judge(replace(exited(0), ending=Termination.MEMORY))
