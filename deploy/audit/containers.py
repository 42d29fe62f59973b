"""Checks of the container engine of a host that judges, and of the containers in it."""

import re
from collections.abc import Collection

from deploy.audit.docker_api import DockerDaemon, RunningContainer
from deploy.audit.facts import DEVICES, GpuHost
from deploy.audit.finding import Finding, Findings, Level, dotted, ok_if

ENGINE_FLOOR = (20, 10)
_CDI_ENGINE = (25, 0)
# Source: NVIDIA's security bulletins for the container toolkit and the GPU operator.
CONTAINER_TOOLKIT_FLOOR = (1, 19, 1)
GPU_OPERATOR_FLOOR = (26, 3, 2)
KINDS = ("compile", "cuda", "libraries", "triton", "oracle")
OUR_IMAGES = tuple(f"warpcourt/{kind}" for kind in KINDS)
HOST_IMAGES = "host"
_HOST_IMAGE = "warpcourt/host"
_OPERATOR = re.compile(r"gpu-operator[^:@]*:v?(\d+(?:\.\d+)+)")


def check_engine(engine: DockerDaemon, images: str = HOST_IMAGES) -> Findings:
    """Check that the engine is present, new enough, and has the images of the setting WARPCOURT_IMAGES."""
    if engine.trouble:
        yield Finding(
            "containers",
            Level.MISSING,
            engine.trouble,
            "install docker.io or docker-ce, start it, and give the worker's user access to its socket; or "
            "isolate programs with bubblewrap",
        )
        return
    yield Finding(
        "containers",
        ok_if(_numbers(engine.version) >= ENGINE_FLOOR),
        f"engine {engine.version}",
        "install 20.10 or newer",
    )
    if images == HOST_IMAGES:
        yield Finding("images", Level.OK, "none needed: containers see the files of this host")
        return
    prefix, _, tag = images.rpartition(":")
    wanted = (f"{prefix}/{kind}:{tag}" for kind in KINDS)
    lacking = [image for image in wanted if image not in engine.images]
    yield Finding(
        "images",
        ok_if(not lacking),
        f"missing: {', '.join(lacking)}" if lacking else "complete",
        f"run deploy/build-images --prefix {prefix} --tag {tag}, or set WARPCOURT_IMAGES=host if this host "
        "has all the programs",
    )


def check_no_images(images: str) -> Findings:
    """Check the setting WARPCOURT_IMAGES of a host that isolates with bubblewrap."""
    if images != HOST_IMAGES:
        yield Finding(
            "images",
            Level.MISSING,
            f"bubblewrap cannot use the images {images}",
            "set WARPCOURT_IMAGES=host, or isolate programs with docker",
        )


def check_gpu_access(host: GpuHost) -> Findings:
    """Check how a container would get its GPU."""
    cdi = [file for file in host.cdi_files if "nvidia" in file]
    if cdi and _numbers(host.engine.version) >= _CDI_ENGINE:
        yield Finding("gpu access", Level.OK, f"CDI, {cdi[0]}")
    elif "nvidia" in host.engine.runtimes:
        yield Finding("gpu access", Level.OK, "the engine's nvidia runtime")
    else:
        yield from check_device_files(host)


def check_device_files(host: GpuHost) -> Findings:
    """Check for the files through which a sandbox gets its GPU without a toolkit for containers."""
    missing = [device for device in DEVICES if device not in host.devices]
    yield Finding(
        "gpu access",
        ok_if(not missing),
        f"no {missing[0]}" if missing else "device files and driver libraries, without a toolkit",
        "run nvidia-modprobe -u -c 0",
    )


def check_toolkit(host: GpuHost) -> Findings:
    """Check NVIDIA's software for containers, if it is installed, for known vulnerabilities."""
    if host.container_toolkit:
        yield Finding(
            "container toolkit",
            ok_if(host.container_toolkit >= CONTAINER_TOOLKIT_FLOOR, Level.REFUSED),
            dotted(host.container_toolkit),
            f"install nvidia-container-toolkit {dotted(CONTAINER_TOOLKIT_FLOOR)} or newer, or remove it: "
            "this version lets programs escape from containers",
        )
    for container in host.engine.containers:
        if operator := _OPERATOR.search(container.image):
            yield Finding(
                "gpu operator",
                ok_if(_numbers(operator[1]) >= GPU_OPERATOR_FLOOR, Level.REFUSED),
                operator[1],
                f"upgrade the GPU operator to {dotted(GPU_OPERATOR_FLOOR)} or newer",
            )


def check_running(host: GpuHost, trusted: Collection[str] = ()) -> Findings:
    """Check the running containers. `trusted` names containers of the operator that are not checked."""
    for container in host.engine.containers:
        if container.name in trusted:
            continue
        weak = _shares_with_the_host(container)
        if weak:
            yield Finding(
                "containers",
                Level.REFUSED,
                f"{container.name} ({container.image}) {weak}",
                f"remove it from this host, or, if you need it, accept it with --trust {container.name}",
            )
        if container.ours:
            yield from _check_ours(container)


def _check_ours(container: RunningContainer) -> Findings:
    """Check that a sandbox runs one of our images, and not as root."""
    if not any(_is(container.image, image) for image in (*OUR_IMAGES, _HOST_IMAGE)):
        yield Finding(
            "images",
            Level.REFUSED,
            f"{container.name} runs {container.image}, which is not a Warpcourt image",
            "remove the container; programs may run only in images from deploy/build-images",
        )
    if container.user.split(":")[0] in ("", "0", "root"):
        yield Finding(
            "containers",
            Level.REFUSED,
            f"{container.name} runs as root",
            "remove the container: root in a container can control MPS",
        )


def _shares_with_the_host(container: RunningContainer) -> str:
    if container.privileged:
        return "is privileged"
    modes = (("pid", container.pid_mode), ("ipc", container.ipc_mode), ("net", container.network_mode))
    shared = [name for name, mode in modes if mode == "host"]
    return f"shares the host's {', '.join(shared)}" if shared else ""


def check_worker(host: GpuHost) -> Findings:
    """Check that the user under which the judge runs may use the engine."""
    if not host.engine.trouble and (host.root or host.in_docker_group):
        who = "root" if host.root else "in the group docker, which is equivalent to root"
        yield Finding("worker", Level.OK, f"this user is {who}; use this host only for judging")
    elif not host.root:
        yield Finding(
            "worker",
            Level.WEAK,
            "this user is neither root nor in the group docker",
            "run this check as the worker's user, and give that user access to the engine's socket",
        )


def _numbers(version: str) -> tuple[int, ...]:
    found = re.match(r"\d+(\.\d+)*", version)
    return tuple(map(int, found[0].split("."))) if found else ()


def _is(image: str, repository: str) -> bool:
    """Return whether an image reference names our `repository`, on any registry."""
    name = image.partition("@")[0]
    bare = name.rpartition(":")[0] if ":" in name.rpartition("/")[2] else name
    return bare == repository or bare.endswith(f"/{repository}")
