"""Tests the audit of GPU hosts with described hosts: good hosts pass, and every flaw has a fix."""

import json
import socketserver
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from deploy.audit import docker_api, facts
from deploy.audit.containers import OUR_IMAGES
from deploy.audit.docker_api import DockerDaemon, RunningContainer, ask_engine
from deploy.audit.facts import Foreign, GpuHost, GpuState
from deploy.audit.finding import Finding, Level
from deploy.check_environment import BUBBLEWRAP, DOCKER, audit_gpu_host
from sandbox.gpu.fake_nvml import HEALTHY, fake_gpu
from sandbox.gpu.nvml import ComputeMode, GpuProcess, MemoryErrors

SANDBOX = RunningContainer(
    "job-12-1-1a2b",
    "warpcourt/cuda:latest",
    ipc_mode="private",
    network_mode="none",
    user="64123:64123",
    ours=True,
)
ENGINE = DockerDaemon(
    socket=Path("/run/docker.sock"),
    version="27.1.1",
    runtimes=("nvidia", "runc"),
    images=tuple(f"{image}:latest" for image in OUR_IMAGES),
    containers=(SANDBOX, RunningContainer("redis", "redis:7", network_mode="bridge")),
)
PEEPER = RunningContainer("peeper", "x")
GOOD = GpuHost(
    gpus=(GpuState(fake_gpu(), HEALTHY),),
    toolkit_cuda=(13, 0, 88),
    cupy="14.2.0",
    mps_program="/usr/bin/nvidia-cuda-mps-control",
    nsight_compute="2025.3.1",
    counters_for_all=True,
    container_toolkit=(1, 19, 1),
    engine=ENGINE,
)


def gpu(errors: MemoryErrors | None = None, **info: Any) -> tuple[GpuState, ...]:
    return (GpuState(fake_gpu(**info), HEALTHY, errors or MemoryErrors()),)


def running(*containers: RunningContainer) -> DockerDaemon:
    return replace(ENGINE, containers=containers)


def audited(host: GpuHost, *trusted: str, **settings: str) -> list[Finding]:
    """Return the findings for a host that uses images, unless `settings` say otherwise."""
    chosen = {"isolation": DOCKER, "images": "warpcourt:latest", **settings}
    return list(audit_gpu_host(host, trusted=trusted, **chosen))


def flaws(host: GpuHost, *trusted: str, **settings: str) -> list[Finding]:
    return [finding for finding in audited(host, *trusted, **settings) if finding.level is not Level.OK]


def test_a_good_host_has_no_flaw() -> None:
    assert flaws(GOOD) == []


@pytest.mark.parametrize(
    ("lacks", "fix"), [({"nsight_compute": ""}, "cuda-nsight"), ({"counters_for_all": False}, "NVreg")]
)
def test_a_host_that_cannot_profile_still_judges(lacks: dict[str, Any], fix: str) -> None:
    (flaw,) = flaws(replace(GOOD, **lacks))
    assert flaw.level is Level.WEAK
    assert fix in flaw.fix


def test_every_flaw_names_its_fix() -> None:
    for finding in flaws(GpuHost(nvml_trouble="no driver")) + flaws(GpuHost(root=False)):
        assert finding.fix, finding


FLAWS = [
    (
        "no driver",
        replace(GOOD, gpus=(), nvml_trouble="no driver; install one"),
        Level.MISSING,
        "no driver",
        "install one",
    ),
    ("no gpu", replace(GOOD, gpus=()), Level.MISSING, "the driver detects no GPU", "kernel log"),
    (
        "old driver",
        replace(GOOD, gpus=gpu(driver="580.65.06")),
        Level.REFUSED,
        "580.65.06",
        "580.126.9 or newer",
    ),
    ("ancient driver", replace(GOOD, gpus=gpu(driver="470.82")), Level.REFUSED, "470.82", "535.288.1"),
    (
        "toolkit too new",
        replace(GOOD, toolkit_cuda=(14, 0)),
        Level.MISSING,
        "toolkit is 14.0",
        "driver for CUDA 14",
    ),
    (
        "toolkit a little newer",
        replace(GOOD, toolkit_cuda=(13, 2)),
        Level.WEAK,
        "toolkit is 13.2",
        "as new as",
    ),
    ("no toolkit", replace(GOOD, toolkit_cuda=()), Level.WEAK, "toolkit is not found", "CUDA toolkit"),
    ("mig", replace(GOOD, gpus=gpu(mig=True)), Level.MISSING, "but the judge needs the whole GPU", "-mig 0"),
    (
        "exclusive",
        replace(GOOD, gpus=gpu(compute_mode=ComputeMode.EXCLUSIVE_PROCESS)),
        Level.MISSING,
        "exclusive process",
        "-c DEFAULT",
    ),
    ("persistence", replace(GOOD, gpus=gpu(persistence=False)), Level.WEAK, "persistence", "-pm 1"),
    ("ecc off", replace(GOOD, gpus=gpu(ecc=False)), Level.WEAK, "ECC is off", "-e 1"),
    ("ecc errors", replace(GOOD, gpus=gpu(MemoryErrors(3))), Level.MISSING, "3 uncorrected", "--gpu-reset"),
    (
        "worn out",
        replace(GOOD, gpus=gpu(MemoryErrors(remap_failed=True))),
        Level.MISSING,
        "spare rows",
        "replace",
    ),
    (
        "little memory",
        replace(GOOD, gpus=(GpuState(fake_gpu(), replace(HEALTHY, free_mib=1000)),)),
        Level.WEAK,
        "1000 MiB free",
        "stop other processes",
    ),
    (
        "foreign",
        replace(GOOD, foreign=(Foreign(7, "miner", 900),)),
        Level.WEAK,
        "miner (7) with 900 MiB",
        "stop it",
    ),
    ("cupy", replace(GOOD, cupy=""), Level.MISSING, "not installed", "gpu.txt"),
    ("no mps", replace(GOOD, mps_program=""), Level.WEAK, "not on the PATH", "WARPCOURT_MPS=no"),
    ("not root", replace(GOOD, root=False, in_docker_group=True), Level.WEAK, "not root", "as root"),
    (
        "no engine",
        replace(GOOD, engine=DockerDaemon(trouble="no socket")),
        Level.MISSING,
        "no socket",
        "docker",
    ),
    (
        "old engine",
        replace(GOOD, engine=replace(ENGINE, version="19.03.5")),
        Level.MISSING,
        "19.03.5",
        "20.10",
    ),
    (
        "no way to attach",
        replace(GOOD, devices=("/dev/nvidiactl",), engine=replace(ENGINE, runtimes=("runc",))),
        Level.MISSING,
        "no /dev/nvidia-uvm",
        "nvidia-modprobe",
    ),
    ("old toolkit", replace(GOOD, container_toolkit=(1, 17, 8)), Level.REFUSED, "1.17.8", "1.19.1 or newer"),
    (
        "old operator",
        replace(
            GOOD, engine=running(RunningContainer("op", "nvcr.io/nvidia/gpu-operator:v25.10.1", user="1"))
        ),
        Level.REFUSED,
        "25.10.1",
        "26.3.2",
    ),
    (
        "no images",
        replace(GOOD, engine=replace(ENGINE, images=())),
        Level.MISSING,
        "warpcourt/compile",
        "build-images",
    ),
    (
        "images of the host",
        replace(GOOD, engine=replace(ENGINE, images=("warpcourt/host:1",))),
        Level.MISSING,
        "missing: warpcourt",
        "build-images",
    ),
    (
        "privileged",
        replace(GOOD, engine=running(RunningContainer("miner", "x", privileged=True))),
        Level.REFUSED,
        "miner (x) is privileged",
        "--trust miner",
    ),
    (
        "host pid",
        replace(GOOD, engine=running(replace(PEEPER, pid_mode="host"))),
        Level.REFUSED,
        "pid",
        "remove",
    ),
    (
        "host ipc",
        replace(GOOD, engine=running(replace(PEEPER, ipc_mode="host"))),
        Level.REFUSED,
        "ipc",
        "remove",
    ),
    (
        "host net",
        replace(GOOD, engine=running(replace(PEEPER, network_mode="host"))),
        Level.REFUSED,
        "net",
        "remove",
    ),
    (
        "user-supplied image",
        replace(GOOD, engine=running(replace(SANDBOX, image="evil.example/warpcourt-cuda"))),
        Level.REFUSED,
        "not a Warpcourt image",
        "only in images",
    ),
    (
        "root inside",
        replace(GOOD, engine=running(replace(SANDBOX, user=""))),
        Level.REFUSED,
        "as root",
        "control MPS",
    ),
    ("old control groups", replace(GOOD, cgroup_version=1), Level.WEAK, "version 1", "unified"),
]


@pytest.mark.parametrize(
    ("host", "level", "found", "fix"), [pytest.param(*flaw[1:], id=flaw[0]) for flaw in FLAWS]
)
def test_a_flaw_is_found(host: GpuHost, level: Level, found: str, fix: str) -> None:
    (flaw,) = flaws(host)
    assert flaw.level is level
    assert found in flaw.found
    assert fix in flaw.fix


def test_a_newer_driver_branch_is_fine() -> None:
    assert flaws(replace(GOOD, gpus=gpu(driver="610.10"))) == []


def test_a_container_that_one_trusts_may_be_privileged() -> None:
    host = replace(GOOD, engine=running(RunningContainer("device-plugin", "x", privileged=True)))
    assert flaws(host, "device-plugin") == []


def test_images_of_ours_may_come_from_a_registry() -> None:
    images = tuple(f"registry.example:5000/{image}:1.2" for image in OUR_IMAGES)
    sandbox = replace(SANDBOX, image="registry.example:5000/warpcourt/triton@sha256:00")
    host = replace(GOOD, engine=replace(running(sandbox), images=images))
    assert flaws(host, images="registry.example:5000/warpcourt:1.2") == []
    (flaw,) = flaws(host, images="registry.example:5000/warpcourt:1.3")
    assert "registry.example:5000/warpcourt/cuda:1.3" in flaw.found
    assert "--prefix registry.example:5000/warpcourt --tag 1.3" in flaw.fix


def test_containers_that_see_the_files_of_the_host_need_no_images() -> None:
    assert flaws(replace(GOOD, engine=replace(ENGINE, images=())), images="host") == []


def test_a_host_with_bubblewrap_needs_no_engine_and_no_images() -> None:
    bare = replace(
        GOOD, engine=DockerDaemon(trouble="no socket"), container_toolkit=(), cdi_files=(), root=True
    )
    assert flaws(bare, isolation=BUBBLEWRAP, images="host") == []
    assert not any("docker" in finding.fix for finding in audited(bare, isolation=BUBBLEWRAP, images="host"))
    user = replace(bare, root=False)
    assert [flaw.check for flaw in flaws(user, isolation=BUBBLEWRAP, images="host")] == ["mps"]


def test_a_host_with_bubblewrap_needs_device_files_and_no_privileged_neighbours() -> None:
    bubblewrap = {"isolation": BUBBLEWRAP, "images": "host"}
    (flaw,) = flaws(replace(GOOD, devices=("/dev/nvidiactl",)), **bubblewrap)
    assert (flaw.level, flaw.found) == (Level.MISSING, "no /dev/nvidia-uvm")
    miner = replace(GOOD, engine=running(RunningContainer("miner", "x", privileged=True)))
    (flaw,) = flaws(miner, **bubblewrap)
    assert flaw.level is Level.REFUSED


def test_bubblewrap_and_images_do_not_fit() -> None:
    (flaw,) = flaws(GOOD, isolation=BUBBLEWRAP)
    assert flaw.level is Level.MISSING
    assert "WARPCOURT_IMAGES=host" in flaw.fix


def test_gpus_are_attached_by_cdi_where_the_engine_can() -> None:
    host = replace(GOOD, cdi_files=("/etc/cdi/nvidia.yaml",), engine=replace(ENGINE, runtimes=()))
    assert "CDI, /etc/cdi/nvidia.yaml" in [finding.found for finding in audited(host)]
    old = replace(host, engine=replace(host.engine, version="24.0.7"))
    assert "device files and driver libraries, without a toolkit" in [f.found for f in audited(old)]


def test_a_user_without_rights_is_told() -> None:
    host = replace(GOOD, root=False)
    assert ["neither root nor" in finding.found for finding in flaws(host)] == [False, True]


def test_mps_and_its_clients_are_not_foreign() -> None:
    def using(*processes: GpuProcess) -> tuple[GpuState, ...]:
        return (GpuState(fake_gpu(), replace(HEALTHY, processes=processes)),)

    ended = 2**22 + 1
    with subprocess.Popen(["sleep", "60"], cwd="/") as other:
        try:
            found = facts._foreign(using(GpuProcess(other.pid, 5), GpuProcess(ended, 5)))
            assert [(process.pid, process.memory_mib) for process in found] == [(other.pid, 5)]
            assert facts._foreign(using(GpuProcess(other.pid, 5, mps=True))) == ()
        finally:
            other.kill()
    with subprocess.Popen(["sleep", "60"]) as ours:  # from this checkout
        try:
            assert facts._foreign(using(GpuProcess(ours.pid, 5))) == ()
        finally:
            ours.kill()


ANSWERS = {
    "/info": {"ServerVersion": "27.1.1", "Runtimes": {"runc": {}, "nvidia": {}}, "CDISpecDirs": ["/etc/cdi"]},
    "/images/json": [{"RepoTags": ["warpcourt/cuda:latest"]}, {"RepoTags": None}],
    "/containers/json": [{"Id": "1a"}],
    "/containers/1a/json": {
        "Name": "/miner",
        "Config": {"Image": "x", "User": "0", "Labels": {"warpcourt.owner": "1"}},
        "HostConfig": {"Privileged": True, "PidMode": "host", "IpcMode": "private", "NetworkMode": "none"},
    },
}


class Answering(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        known = self.path in ANSWERS
        body = json.dumps(ANSWERS.get(self.path)).encode()
        self.send_response(200 if known else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass

    def address_string(self) -> str:
        return "unix"


@pytest.fixture
def engine_socket() -> Iterator[Path]:
    with TemporaryDirectory(prefix="wct") as folder:
        path = Path(folder, "socket")
        with socketserver.UnixStreamServer(str(path), Answering) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            yield path
            server.shutdown()


def test_the_engine_is_asked_over_its_socket(engine_socket: Path) -> None:
    assert ask_engine(engine_socket) == DockerDaemon(
        socket=engine_socket,
        version="27.1.1",
        runtimes=("nvidia", "runc"),
        cdi_folders=("/etc/cdi",),
        images=("warpcourt/cuda:latest",),
        containers=(RunningContainer("miner", "x", True, "host", "private", "none", "0", ours=True),),
    )


def test_an_engine_that_does_not_answer_is_trouble(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "does not respond" in ask_engine(tmp_path / "none").trouble
    monkeypatch.setattr("deploy.audit.docker_api.SOCKETS", ())
    assert "no socket" in ask_engine().trouble


def test_this_host_can_be_described() -> None:
    assert facts.gather().cgroup_version in (1, 2)


def test_the_label_of_sandboxes_is_the_backends() -> None:
    orphans = pytest.importorskip("sandbox.containers.orphans")
    assert orphans.OWNER_LABEL == docker_api.OWNER_LABEL
