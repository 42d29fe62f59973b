"""The request to the engine for one command, with every protection of a container.

Source: Docker Engine API v1.41, `ContainerCreate`.
"""

import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sandbox.containers.attachment import NOTHING, Attachment
from sandbox.containers.images import Images
from sandbox.gpu.attachment import variables_of
from sandbox.spec import Bind, Calls, Command, Limits

INNER_FOLDER = "/.warpcourt"  # where a container sees Warpcourt's files
_ENTER = f"{INNER_FOLDER}/enter"
_SOCKET = f"{INNER_FOLDER}/socket"
_MIB = 1 << 20
_TASKS_OF_OURS = 1  # enter
_STACK_BYTES = (8 * _MIB, 64 * _MIB)
_MEMLOCK_BYTES = 64 << 10
_KILLED_FIRST = 1000  # by the kernel if the host runs out of memory
_NANO = 1_000_000_000
# The engine's default list, which this list replaces. Source: moby, oci/defaults.go
_MASKED = (
    *("/proc/asound", "/proc/acpi", "/proc/kcore", "/proc/keys", "/proc/latency_stats", "/proc/timer_list"),
    *("/proc/timer_stats", "/proc/sched_debug", "/proc/scsi", "/proc/interrupts", "/sys/firmware"),
    *("/sys/devices/virtual/powercap", "/sys/fs/cgroup"),
)
_READ_ONLY = ("/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger")


@dataclass(frozen=True, slots=True)
class Shell:
    """Settings shared by all containers of a backend.

    `enter` is the first process, `passwd` and `group` name its user `identity`, and `empty` is an empty file.
    All of them are files on the engine's host. `profiles` are the system call filters as JSON.
    """

    images: Images
    runtime: str | None
    profiles: Mapping[Calls, str]
    processors: float
    enter: Path
    passwd: Path
    group: Path
    empty: Path


def container_name(label: str) -> str:
    """Return a unique name that describes the purpose of the container."""
    words = re.sub(r"[^A-Za-z0-9_.-]+", "-", label).strip("-.") or "sandbox"
    return f"{words}-{secrets.token_hex(4)}"


def configuration(
    command: Command,
    *,
    shell: Shell,
    socket: Path,
    identity: int,
    labels: Mapping[str, str],
    attachment: Attachment = NOTHING,
) -> dict[str, object]:
    """Return the body of a request to create the container of `command`."""
    return {
        "Image": shell.images.references[command.image],
        "Entrypoint": [_ENTER],
        "Cmd": [],
        "Env": [],  # enter gives the program exactly the environment of its command
        "User": f"{identity}:{identity}",
        "WorkingDir": "/",
        "Hostname": "sandbox",
        "Domainname": "",
        "NetworkDisabled": True,
        "Tty": False,
        "OpenStdin": False,
        "AttachStdin": False,
        "AttachStdout": False,
        "AttachStderr": False,
        "Healthcheck": {"Test": ["NONE"]},
        "StopSignal": "SIGKILL",  # enter ignores other signals, so an engine that stops would wait in vain
        "StopTimeout": 1,
        "Labels": dict(labels),
        "HostConfig": {
            **_isolation(shell, attachment, shell.profiles[command.calls]),
            **_limits(command.limits, shell),
            "Mounts": [_mount(bind) for bind in _binds(command, shell, socket, attachment)],
            "Devices": [
                {"PathOnHost": path, "PathInContainer": path, "CgroupPermissions": "rw"}
                for path in attachment.devices
            ],
            "DeviceRequests": [request.body() for request in attachment.requests],
        },
    }


def environment(command: Command, attachment: Attachment) -> dict[str, str]:
    """Return the environment of the command, with the variables of its GPU, which take precedence."""
    return variables_of(command, attachment.environment, attachment.libraries)


def _isolation(shell: Shell, attachment: Attachment, profile: str) -> dict[str, object]:
    masked = [*_MASKED, *attachment.masked]
    if attachment is NOTHING:
        masked.append("/sys")  # only the driver uses it
    options: dict[str, object] = {
        "Privileged": False,
        "NetworkMode": "none",
        "PidMode": "",
        "IpcMode": "private",
        "UTSMode": "",
        "CgroupnsMode": "private",
        "ReadonlyRootfs": True,
        "CapDrop": ["ALL"],
        "CapAdd": [],
        "GroupAdd": [],
        "SecurityOpt": ["no-new-privileges:true", f"seccomp={profile}"],
        "MaskedPaths": masked,
        "ReadonlyPaths": list(_READ_ONLY),
        "LogConfig": {"Type": "none", "Config": {}},
        "AutoRemove": False,
        "RestartPolicy": {"Name": "no"},
        "Init": False,  # enter is the first process, and reaps
        "OomScoreAdj": _KILLED_FIRST,
    }
    if shell.runtime is not None:
        options["Runtime"] = shell.runtime
    return options


def _limits(limits: Limits, shell: Shell) -> dict[str, object]:
    memory_bytes = limits.memory_mib * _MIB
    quota_bytes = limits.tmpfs_mib * _MIB
    tmpfs = f"rw,exec,nosuid,nodev,mode=1777,size={quota_bytes}"
    return {
        "Memory": memory_bytes,
        "MemorySwap": memory_bytes,  # memory and swap together: no swap
        "NanoCpus": int(shell.processors * _NANO),
        "PidsLimit": limits.processes + _TASKS_OF_OURS,
        "ShmSize": quota_bytes,
        "Tmpfs": dict.fromkeys(("/tmp", "/work"), tmpfs),  # noqa: S108 - inside the container
        "Ulimits": [
            {"Name": name, "Soft": soft, "Hard": hard}
            for name, (soft, hard) in {
                "core": (0, 0),
                "fsize": (limits.file_mib * _MIB,) * 2,
                "nofile": (limits.descriptors,) * 2,
                "memlock": (_MEMLOCK_BYTES,) * 2,
                "stack": _STACK_BYTES,
            }.items()
        ],
    }


def _binds(command: Command, shell: Shell, socket: Path, attachment: Attachment) -> list[Bind]:
    """Return the container's binds. A later bind overrides an earlier one with the same target."""
    ours = (
        Bind(shell.enter, _ENTER),
        Bind(socket, _SOCKET),
        Bind(shell.passwd, "/etc/passwd"),
        Bind(shell.group, "/etc/group"),
        *(Bind(shell.empty, f"/etc/{name}") for name in ("hosts", "hostname", "resolv.conf")),
    )
    asked = tuple(bind for bind in command.binds if not _is_system(bind))
    for bind in asked:
        if not bind.target.startswith("/") or ".." in Path(bind.target).parts:
            raise ValueError(f"{bind.target!r} is not an absolute path")
    binds = (*shell.images.binds(), *asked, *attachment.binds, *ours)
    return list({bind.target: bind for bind in binds}.values())


def _is_system(bind: Bind) -> bool:
    """Return whether a bind only mounts a part of `/usr` at the same path. An image has its own `/usr`."""
    source, target = bind.source.resolve(), Path(bind.target).resolve()
    return source == target and source.is_relative_to("/usr")


def _mount(bind: Bind) -> dict[str, object]:
    return {
        "Type": "bind",
        "Source": str(bind.source),
        "Target": bind.target,
        "ReadOnly": True,
        "BindOptions": {"Propagation": "rprivate"},
    }


def profile_text(profile: Mapping[str, object]) -> str:
    """Return the filter in the engine's format."""
    return json.dumps(profile, separators=(",", ":"))
