"""Builds functional mode's runtime, so that no test waits for it: `python -m tests.prepare`.

Otherwise three test processes would share the cores with the compilers, and the first tests would reach their
time limits. This does nothing on a machine without compilers.
"""

import sys

from sandbox.cpu.build import build_runtime
from sandbox.toolchain import ToolchainMissing, find_toolkit
from tests.integration.conftest import CACHE


def main() -> int:
    """Build the runtime, and print a message."""
    try:
        toolkit = find_toolkit()
    except ToolchainMissing as error:
        sys.stdout.write(f"functional mode is not built: {error}\n")
        return 0
    runtime = build_runtime(CACHE, toolkit)
    sys.stdout.write(f"functional mode: {runtime.folder.name}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
