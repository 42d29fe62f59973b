"""Tests how a container gets a GPU, on all kinds of engines and hosts."""

from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.backend import IsolationUnavailable
from sandbox.containers.attachment import NOTHING, Attachment, attach
from sandbox.containers.engine import Facts
from sandbox.spec import SandboxGpu

GPU = SandboxGpu("GPU-aaaa-1", minor=1)
FACTS = Facts(
    version="20.10.24",
    runtimes=frozenset({"runc"}),
    cdi_folders=(),
    processors=2,
    limits_memory=True,
    limits_swap=True,
    limits_tasks=True,
    filters_calls=True,
)
CDI = """
cdiVersion: 0.5.0
kind: nvidia.com/gpu
devices:
- name: "0"
- name: GPU-aaaa-1
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A host with two GPUs and a driver."""
    (tmp_path / "dev").mkdir()
    for name in ("nvidia0", "nvidia1", "nvidiactl", "nvidia-uvm"):
        (tmp_path / "dev" / name).touch()
    folder = tmp_path / "usr/local/nvidia/lib64"
    folder.mkdir(parents=True)
    (folder / "libcuda.so.580.1").touch()
    (folder / "libcuda.so.1").symlink_to("libcuda.so.580.1")
    for name in ("libnvidia-ptxjitcompiler.so.1", "libnvidia-nvvm70.so.4", "libnvidia-gpucomp.so.580.1"):
        (folder / name).touch()
    for name in ("libnvidia-encode.so.1", "libGLX_nvidia.so.0", "notes.txt"):
        (folder / name).touch()
    for minor, address in enumerate(("0000:01:00.0", "0000:02:00.0")):
        information = tmp_path / "proc/driver/nvidia/gpus" / address / "information"
        information.parent.mkdir(parents=True)
        information.write_text(f"Model: \\t H200\nDevice Minor: \t {minor}\n")
    return tmp_path


def cdi(folder: Path, text: str = CDI) -> Facts:
    (folder / "etc/cdi").mkdir(parents=True)
    (folder / "etc/cdi/nvidia.yaml").write_text(text)
    return facts(cdi_folders=("/etc/cdi",), runtimes=frozenset({"runc", "nvidia"}))


def facts(**changed: object) -> Facts:
    return Facts(**{**{name: getattr(FACTS, name) for name in Facts.__slots__}, **changed})


def attached(gpu: SandboxGpu | None, found: Facts, root: Path, *, by_hand: bool = False) -> Attachment:
    return attach(gpu, found, by_hand=by_hand, root=root)


def test_without_a_gpu_there_is_nothing(root: Path) -> None:
    assert attached(None, cdi(root), root) is NOTHING


def test_cdi_comes_first(root: Path) -> None:
    (request,) = attached(GPU, cdi(root), root).requests
    assert request.body() == {"Driver": "cdi", "DeviceIDs": ["nvidia.com/gpu=GPU-aaaa-1"], "Capabilities": []}


@pytest.mark.parametrize(
    "text", ["", CDI.replace("GPU-aaaa-1", "GPU-aaaa-11"), CDI.replace("nvidia", "other")]
)
def test_a_specification_without_this_gpu_does_not_count(root: Path, text: str) -> None:
    (request,) = attached(GPU, cdi(root, text), root).requests
    assert request.body() == {
        "Driver": "nvidia",
        "DeviceIDs": ["GPU-aaaa-1"],
        "Capabilities": [["gpu", "compute", "utility"]],
    }


def test_by_hand_comes_last_and_shows_one_gpu(root: Path) -> None:
    found = attached(GPU, FACTS, root)
    assert found.requests == ()
    assert found.devices == ("/dev/nvidia1", "/dev/nvidiactl", "/dev/nvidia-uvm")
    assert found.masked == ("/proc/driver/nvidia/gpus/0000:01:00.0",)
    names = {bind.target: bind.source.name for bind in found.binds}
    assert names == {
        "/.warpcourt/driver/libcuda.so.1": "libcuda.so.580.1",
        "/.warpcourt/driver/libnvidia-gpucomp.so.580.1": "libnvidia-gpucomp.so.580.1",
        "/.warpcourt/driver/libnvidia-nvvm70.so.4": "libnvidia-nvvm70.so.4",
        "/.warpcourt/driver/libnvidia-ptxjitcompiler.so.1": "libnvidia-ptxjitcompiler.so.1",
    }
    assert found.libraries == "/.warpcourt/driver"


def test_by_hand_can_be_asked_for(root: Path) -> None:
    assert attached(GPU, cdi(root), root, by_hand=True).requests == ()


def test_a_missing_device_file_names_its_fix(root: Path) -> None:
    with pytest.raises(IsolationUnavailable, match=r"/dev/nvidia7 .*run: nvidia-modprobe -u -c=7"):
        attached(SandboxGpu("GPU-b", minor=7), FACTS, root)


def test_a_missing_driver_names_its_fix(root: Path) -> None:
    (root / "usr/local/nvidia/lib64/libcuda.so.1").unlink()
    with pytest.raises(IsolationUnavailable, match="install NVIDIA's driver"):
        attached(GPU, FACTS, root)


def test_of_the_mps_daemon_only_the_control_socket_is_shown(root: Path) -> None:
    gpu = SandboxGpu("GPU-aaaa-1", 1, mps_directory=Path("/run/w/mps-1"), memory_mib=4096, threads_percent=50)
    found = attached(gpu, FACTS, root)
    assert [str(bind.source) for bind in found.binds if "mps" in bind.target] == ["/run/w/mps-1/control"]
    assert found.environment == {
        "CUDA_MPS_PIPE_DIRECTORY": "/.warpcourt/mps",
        "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE": "50",
        "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT": "0=4096M",
    }


def test_time_sliced_programs_find_no_daemon(root: Path) -> None:
    found = attached(GPU, FACTS, root)
    assert found.environment == {"CUDA_MPS_PIPE_DIRECTORY": "/.warpcourt/no-mps"}
    assert not any("mps" in bind.target for bind in found.binds)


def test_a_program_for_several_gpus_sees_all_of_them_outside_mps(root: Path) -> None:
    first = SandboxGpu("GPU-aaaa-1", 1, mps_directory=Path("/run/w/mps-1"))
    both = replace(first, peers=(SandboxGpu("GPU-aaaa-0", 0),))
    (root / "dev/nvidia0").touch()
    found = attached(both, FACTS, root)
    assert found.devices[:2] == ("/dev/nvidia1", "/dev/nvidia0")
    assert found.masked == ()
    assert found.environment == {
        "CUDA_MPS_PIPE_DIRECTORY": "/.warpcourt/no-mps",
        "CUDA_VISIBLE_DEVICES": "GPU-aaaa-1,GPU-aaaa-0",
    }
    assert not any("mps" in bind.target for bind in found.binds)
    two = CDI.replace("- name: GPU-aaaa-1", "- name: GPU-aaaa-0\n- name: GPU-aaaa-1")
    (request,) = attached(both, cdi(root, two), root).requests
    assert request.ids == ("nvidia.com/gpu=GPU-aaaa-1", "nvidia.com/gpu=GPU-aaaa-0")
    (root / "etc/cdi/nvidia.yaml").write_text(CDI)  # which has one of the two
    (request,) = attached(both, facts(runtimes=frozenset({"nvidia"})), root).requests
    assert request.ids == ("GPU-aaaa-1", "GPU-aaaa-0")
