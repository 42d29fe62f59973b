"""The oracle for a `reference.py` that imports PyTorch, over memory shared with the host.

Theory of operation: see `oracle_runner`, with two differences. PyTorch is imported before "ready", so that a
warm pool hides the seconds that this takes. Code that requests a GPU gets the CPU, since most imported
references request a GPU.
"""

import sys

from sandbox.runner.oracle_runner import HostArrays, OracleRunner
from sandbox.runner.session import serve
from sandbox.runner.torch_host import place_on_host


def main() -> None:
    """Serve until the host goes."""
    with place_on_host():
        serve(OracleRunner(HostArrays()))


if __name__ == "__main__":
    main()
    sys.exit(0)
