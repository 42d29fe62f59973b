"""Check whether this host can judge, and print a fix for each problem.

Uses only the standard library, so it runs before anything is installed. On a host with an NVIDIA driver, or
with --gpu, it also checks what GPU judging needs. Exit status: 0 if this host can judge, otherwise 1.
"""

import argparse
import json
import sys
from collections.abc import Callable, Collection
from dataclasses import asdict

from deploy.audit import containers, facts, gpu, host
from deploy.audit.finding import Finding, Findings, Level


def main(argv: list[str] | None = None) -> int:
    """Print the findings. Return 1 if a requirement of judging is missing or a finding is refused."""
    parser = argparse.ArgumentParser(prog="check-environment", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")
    parser.add_argument("--gpu", action="store_true", help="check as a GPU host even if no driver is loaded")
    parser.add_argument(
        "--trust",
        action="append",
        default=[],
        metavar="NAME",
        help="name of a container that may be privileged; repeatable",
    )
    options = parser.parse_args(argv)
    findings = list(audit(gpu_host=options.gpu or facts.is_gpu_host(), trusted=options.trust))
    if options.json:
        sys.stdout.write(json.dumps([asdict(finding) for finding in findings], indent=2) + "\n")
    else:
        sys.stdout.write("".join(map(line_of, findings)))
    return int(any(finding.stops for finding in findings))


def audit(*, gpu_host: bool, trusted: Collection[str] = ()) -> Findings:
    """Yield all findings, in the order in which to fix them."""
    checks: tuple[Callable[[], Findings], ...] = (
        host.check_python,
        host.check_machine,
        host.check_bubblewrap,
        host.check_namespaces,
        host.check_isolation,
        host.check_compilers,
        host.check_space,
        host.check_clock,
    )
    for check in checks:
        yield from check()
    if gpu_host:
        yield from audit_gpu_host(facts.gather(), trusted)


def audit_gpu_host(found: facts.GpuHost, trusted: Collection[str] = ()) -> Findings:
    """Yield the findings about GPU judging on the host that `found` describes."""
    yield from gpu.check_gpus(found)
    yield from gpu.check_foreign(found)
    yield from gpu.check_programs(found)
    yield from gpu.check_profiling(found)
    yield from containers.check_engine(found)
    yield from containers.check_running(found, trusted)
    yield from containers.check_rights(found)


def line_of(finding: Finding) -> str:
    """Return a finding on one line, and its fix on another."""
    line = f"{finding.level:8}{finding.check:18}{finding.found}\n"
    if finding.fix and finding.level is not Level.OK:
        line += f"{'':26}fix: {finding.fix}\n"
    return line


if __name__ == "__main__":
    sys.exit(main())
