"""Runs a Python program with ranks without a GPU: gloo, and the tensors of `triton_runner`.

Theory of operation: see `ranks` and `rank`. The supervisor creates the runner, and each rank inherits it. Its
tensors are the memory of the host's arrays, so ranks write their slices of the outputs in place.
"""

import gc
import os
import sys
from typing import NoReturn

os.environ["GLOO_SOCKET_IFNAME"] = "lo"  # the only interface of the sandbox

from sandbox.runner.rank import Rank, RankRunner, serve_rank
from sandbox.runner.ranks import RanksRunner
from sandbox.runner.session import Load, serve
from sandbox.runner.triton_runner import InterpreterRunner

_BACKEND = "cpu:gloo,cuda:gloo"  # tensors of functional mode are said to be on a GPU


class HostRank(RankRunner, InterpreterRunner):
    """One rank in host memory."""

    def become(self, rank: Rank) -> None:
        """Be this rank, on the virtual device of its number."""
        super().become(rank)
        self.device, self.devices = rank.number, rank.count

    def join(self) -> None:
        """Create the process group, which uses gloo."""
        self.rank.join(_BACKEND)


def main() -> None:
    """Serve until the host closes the channel."""
    gc.freeze()  # imported objects are permanent
    gc.enable()
    runner = HostRank()

    def start(rank: Rank, load: Load) -> NoReturn:
        serve_rank(runner, rank, load)

    serve(RanksRunner(start))


if __name__ == "__main__":
    main()
    sys.exit(0)
