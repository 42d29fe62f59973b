"""The oracle for a `reference.py` that imports PyTorch, over memory shared with the host.

Theory of operation: see `oracle_runner`, of which nothing differs but what is there: PyTorch is imported
before "ready", so that a pool hides the seconds that it takes, and code that asks for a GPU gets the
processor, since imported references do so everywhere.
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
