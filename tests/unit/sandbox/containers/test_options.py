"""Tests the options for the engine: one test for each protection of a container."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sandbox.containers.attachment import NOTHING, Attachment, DeviceRequest
from sandbox.containers.images import Images
from sandbox.containers.options import Shell, configuration, container_name, environment
from sandbox.spec import Bind, Calls, Command, Image, Limits

COMMAND = Command(
    ("/program",),
    Limits(wall_s=1, cpu_s=1, memory_mib=64, processes=7, file_mib=5, tmpfs_mib=3, descriptors=99),
    binds=(Bind(Path("/srv/tools"), "/opt/tools"),),
    files={"in/source": b"secret source"},
    environment={"NAME": "secret value", "LD_LIBRARY_PATH": "/opt/lib"},
    label="job-7-2 compile",
    image=Image.COMPILE,
)
SHELL = Shell(
    images=Images.tagged("here", "5"),
    runtime=None,
    profiles={calls: f'{{"defaultAction":"{calls}"}}' for calls in Calls},
    processors=1.5,
    enter=Path("/run/own/enter"),
    passwd=Path("/run/own/passwd"),
    group=Path("/run/own/group"),
    empty=Path("/run/own/empty"),
)


def asked(command: Command = COMMAND, shell: Shell = SHELL, **rest: Any) -> dict[str, Any]:
    options = {"socket": Path("/run/own/socket"), "identity": 64123, "labels": {"a": "b"}, **rest}
    return configuration(command, shell=shell, **options)


def host(**rest: Any) -> dict[str, Any]:
    found: dict[str, Any] = asked(**rest)["HostConfig"]
    return found


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("NetworkMode", "none"),
        ("ReadonlyRootfs", True),
        ("CapDrop", ["ALL"]),
        ("CapAdd", []),
        ("Privileged", False),
        ("PidMode", ""),
        ("UTSMode", ""),
        ("IpcMode", "private"),
        ("CgroupnsMode", "private"),
        ("GroupAdd", []),
        ("LogConfig", {"Type": "none", "Config": {}}),
        ("AutoRemove", False),
        ("RestartPolicy", {"Name": "no"}),
        ("Init", False),
        ("OomScoreAdj", 1000),
        ("Memory", 64 << 20),
        ("MemorySwap", 64 << 20),
        ("NanoCpus", 1_500_000_000),
        ("PidsLimit", 8),
        ("ShmSize", 3 << 20),
        ("Devices", []),
        ("DeviceRequests", []),
    ],
)
def test_fences(option: str, value: object) -> None:
    assert host()[option] == value


def test_no_privileges_can_be_gained_and_the_filter_is_ours() -> None:
    assert host()["SecurityOpt"] == ["no-new-privileges:true", f"seccomp={SHELL.profiles[Calls.USUAL]}"]


def test_everything_writable_has_a_quota() -> None:
    assert host()["Tmpfs"] == dict.fromkeys(("/tmp", "/work"), "rw,exec,nosuid,nodev,mode=1777,size=3145728")


def test_limits_per_process() -> None:
    limits = {limit["Name"]: (limit["Soft"], limit["Hard"]) for limit in host()["Ulimits"]}
    assert limits["core"] == (0, 0)
    assert limits["fsize"] == (5 << 20, 5 << 20)
    assert limits["nofile"] == (99, 99)
    assert limits["memlock"] == (64 << 10, 64 << 10)


def test_the_program_is_nobody_and_starts_through_enter() -> None:
    options = asked()
    assert options["User"] == "64123:64123"
    assert options["Entrypoint"] == ["/.warpcourt/enter"]
    assert options["NetworkDisabled"]
    assert options["Hostname"] == "sandbox"
    assert options["Labels"] == {"a": "b"}
    assert not any(
        options[name] for name in ("Tty", "OpenStdin", "AttachStdin", "AttachStdout", "AttachStderr")
    )


def test_the_engine_learns_no_source_and_no_environment() -> None:
    assert "secret" not in json.dumps(asked())
    assert asked()["Env"] == []


def test_binds_are_read_only() -> None:
    mounts = host()["Mounts"]
    assert all(mount["ReadOnly"] and mount["Type"] == "bind" for mount in mounts)
    targets = {mount["Target"]: mount["Source"] for mount in mounts}
    assert targets["/opt/tools"] == "/srv/tools"
    assert targets["/.warpcourt/socket"] == "/run/own/socket"
    assert {targets[f"/etc/{name}"] for name in ("hosts", "hostname", "resolv.conf")} == {"/run/own/empty"}
    assert len(targets) == len(mounts)


def test_ours_cannot_be_replaced_by_a_bind_of_the_command() -> None:
    hostile = replace(COMMAND, binds=(Bind(Path("/srv/evil"), "/.warpcourt/enter"),))
    targets = {mount["Target"]: mount["Source"] for mount in host(command=hostile)["Mounts"]}
    assert targets["/.warpcourt/enter"] == "/run/own/enter"


def test_an_image_brings_its_own_system() -> None:
    system = replace(COMMAND, binds=(Bind(Path("/usr"), "/usr"), Bind(Path("/usr/share"), "/usr/share")))
    assert not any(mount["Target"].startswith("/usr") for mount in host(command=system)["Mounts"])
    on_host = replace(SHELL, images=Images.host())
    targets = {mount["Target"] for mount in host(command=system, shell=on_host)["Mounts"]}
    assert "/usr" in targets
    assert "/usr/share" not in targets


@pytest.mark.parametrize("target", ["relative", "/a/../b"])
def test_targets_are_absolute(target: str) -> None:
    with pytest.raises(ValueError, match="not an absolute path"):
        host(command=replace(COMMAND, binds=(Bind(Path("/srv"), target),)))


def test_each_kind_has_its_image_and_the_runtime_is_passed_on() -> None:
    assert asked()["Image"] == "here/compile:5"
    assert "Runtime" not in host()
    assert host(shell=replace(SHELL, runtime="runsc"))["Runtime"] == "runsc"


def test_a_gpu_adds_only_what_it_needs() -> None:
    gpu = Attachment(
        requests=(DeviceRequest("nvidia", ("GPU-1",), ("gpu",)),),
        devices=("/dev/nvidia3",),
        binds=(Bind(Path("/lib/libcuda.so.1"), "/.warpcourt/driver/libcuda.so.1"),),
        masked=("/proc/driver/nvidia/gpus/0",),
        environment={"NAME": "of the gpu"},
        libraries="/.warpcourt/driver",
    )
    options = host(attachment=gpu)
    assert options["Devices"] == [
        {"PathOnHost": "/dev/nvidia3", "PathInContainer": "/dev/nvidia3", "CgroupPermissions": "rw"}
    ]
    assert options["DeviceRequests"] == [
        {"Driver": "nvidia", "DeviceIDs": ["GPU-1"], "Capabilities": [["gpu"]]}
    ]
    assert "/proc/driver/nvidia/gpus/0" in options["MaskedPaths"]
    assert "/sys" not in options["MaskedPaths"]
    assert "/sys" in host()["MaskedPaths"]
    assert environment(COMMAND, gpu) == {
        "NAME": "of the gpu",
        "LD_LIBRARY_PATH": "/.warpcourt/driver:/opt/lib",
    }


@pytest.mark.parametrize(
    "command", [replace(COMMAND, argv=("a\0b",)), replace(COMMAND, environment={"A": "x\0B=y"})]
)
def test_no_word_can_be_smuggled_in(command: Command) -> None:
    with pytest.raises(ValueError, match="NUL"):
        environment(command, NOTHING)


def test_names_say_what_a_container_is_for() -> None:
    first, second = container_name("job-7-2 compile"), container_name("job-7-2 compile")
    assert first.startswith("job-7-2-compile-")
    assert first != second
    assert container_name("/../").startswith("sandbox-")
