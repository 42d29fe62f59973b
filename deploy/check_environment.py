"""Check whether this host can judge, and print a fix for each problem.

Uses only the standard library, so it runs before anything is installed, and does not read the settings. Give
it the isolation and the images that the host will use. On a host with an NVIDIA driver, or with --gpu, it
also checks what GPU judging needs. Exit status: 0 if this host can judge, otherwise 1.
"""

import argparse
import json
import sys
from collections.abc import Callable, Collection
from dataclasses import asdict

from deploy.audit import containers, facts, gpu, host
from deploy.audit.containers import HOST_IMAGES
from deploy.audit.docker_api import ask_engine
from deploy.audit.finding import Finding, Findings, Level

BUBBLEWRAP, DOCKER = "bubblewrap", "docker"
_SANDBOXES = (host.check_bubblewrap, host.check_namespaces, host.check_isolation)


def main(argv: list[str] | None = None) -> int:
    """Print the findings. Return 1 if a requirement of judging is missing or a finding is refused."""
    parser = argparse.ArgumentParser(prog="check-environment", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")
    parser.add_argument("--gpu", action="store_true", help="check as a GPU host even if no driver is loaded")
    add_options(parser, isolation=BUBBLEWRAP, images=HOST_IMAGES)
    options = parser.parse_args(argv)
    found = audit(
        gpu_host=options.gpu or facts.is_gpu_host(),
        isolation=options.isolation,
        images=options.images,
        trusted=options.trust,
    )
    findings = list(found)
    if options.json:
        sys.stdout.write(json.dumps([asdict(finding) for finding in findings], indent=2) + "\n")
    else:
        sys.stdout.write("".join(map(line_of, findings)))
    return int(any(finding.stops for finding in findings))


def add_options(parser: argparse.ArgumentParser, *, isolation: str, images: str) -> None:
    """Add the options that say how this host will judge, with these defaults."""
    parser.add_argument(
        "--isolation",
        choices=(BUBBLEWRAP, DOCKER),
        default=isolation,
        help="value of WARPCOURT_ISOLATION on this host; default: %(default)s",
    )
    parser.add_argument(
        "--images",
        default=images,
        metavar="PREFIX:TAG",
        help="value of WARPCOURT_IMAGES on this host; default: %(default)s",
    )
    parser.add_argument(
        "--trust",
        action="append",
        default=[],
        metavar="NAME",
        help="name of a container that may be privileged; repeatable",
    )


def audit(
    *, gpu_host: bool, isolation: str, images: str = HOST_IMAGES, trusted: Collection[str] = ()
) -> Findings:
    """Yield all findings, in the order in which to fix them.

    `isolation` and `images` are the settings of the host. The findings are about what these need.
    """
    checks: tuple[Callable[[], Findings], ...] = (
        host.check_python,
        host.check_machine,
        *(_SANDBOXES if isolation == BUBBLEWRAP else ()),
        *((host.check_explanations,) if isolation == DOCKER and gpu_host else ()),
        host.check_compilers,
        host.check_space,
        host.check_clock,
    )
    for check in checks:
        yield from check()
    if gpu_host:
        yield from audit_gpu_host(facts.gather(), isolation=isolation, images=images, trusted=trusted)
    elif isolation == DOCKER:
        yield from containers.check_engine(ask_engine(), images)


def audit_gpu_host(
    found: facts.GpuHost, *, isolation: str, images: str = HOST_IMAGES, trusted: Collection[str] = ()
) -> Findings:
    """Yield the findings about GPU judging on the host that `found` describes."""
    yield from gpu.check_gpus(found)
    yield from gpu.check_foreign(found)
    yield from gpu.check_programs(found)
    yield from gpu.check_profiling(found)
    yield from gpu.check_control_groups(found)
    if isolation == DOCKER:
        yield from containers.check_engine(found.engine, images)
        yield from containers.check_gpu_access(found)
        yield from containers.check_toolkit(found)
        yield from containers.check_worker(found)
    else:
        yield from containers.check_device_files(found)
        yield from containers.check_no_images(images)
    yield from containers.check_running(found, trusted)


def line_of(finding: Finding) -> str:
    """Return a finding on one line, and its fix on another."""
    line = f"{finding.level:8}{finding.check:18}{finding.found}\n"
    if finding.fix and finding.level is not Level.OK:
        line += f"{'':26}fix: {finding.fix}\n"
    return line


if __name__ == "__main__":
    sys.exit(main())
