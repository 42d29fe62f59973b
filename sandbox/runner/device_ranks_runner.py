"""Runs a Python program with ranks on GPUs: one process and one GPU for each rank, and NCCL.

Theory of operation: see `ranks`, `rank` and `device_triton_runner`. Rank r uses visible GPU r. The arrays of
the referee are in memory of the first GPU. Each rank maps them there, works on copies of its slices in memory
of its own GPU, and copies these back after the call, by way of plain memory of the first GPU. So NCCL never
uses the mapping, which the ranks share, and the first rank has no advantage. CUDA cannot be used in a process
that was forked from one that uses it, so the supervisor never opens a GPU.
"""

import os
import sys
from collections.abc import Sequence
from typing import NoReturn

# The network namespace has no other interface, and NVLink multicast would need a service of the host.
os.environ.update(
    {
        "GLOO_SOCKET_IFNAME": "lo",
        "NCCL_SOCKET_IFNAME": "lo",
        "NCCL_IB_DISABLE": "1",
        "NCCL_NVLS_ENABLE": "0",
        "TORCH_CPP_LOG_LEVEL": "ERROR",
        "TORCH_NCCL_ENABLE_MONITORING": "0",  # the supervisor notices what hangs
    }
)

import torch

from sandbox.runner.device_triton_runner import DeviceTritonRunner, tell_triton_where_the_driver_is
from sandbox.runner.helper import Helper
from sandbox.runner.rank import Rank, RankRunner, serve_rank
from sandbox.runner.ranks import RanksRunner
from sandbox.runner.session import Load, serve
from sandbox.runner.triton_submission import DTYPES
from sandbox.wire import Request, WireArgument

_BACKEND = "cpu:gloo,cuda:nccl"


class DeviceRank(RankRunner, DeviceTritonRunner):
    """One rank on its GPU."""

    @property
    def _gpu(self) -> torch.device:
        return torch.device("cuda", self.rank.number)

    def prepare(self) -> None:
        """Open the first GPU for the memory of the referee, and the GPU of this rank for all else."""
        Helper.start().install()
        tell_triton_where_the_driver_is()
        torch.cuda.set_device(self._gpu)
        super().prepare()
        torch.cuda.set_device(self._gpu)

    def join(self) -> None:
        """Create the process group and the communicator of NCCL.

        A failure of NCCL here is not charged to the program.
        """
        self._operators.restore()  # the collective computes, which only programs in Triton must not do
        self.rank.join(_BACKEND)
        torch.distributed.all_reduce(torch.zeros(1, device=self._gpu))
        self.finish()

    def run(self, request: Request, descriptors: Sequence[int]) -> None:
        """Call `solve` once, with the GPU of this rank current."""
        torch.cuda.set_device(self._gpu)
        super().run(request, descriptors)

    def tensor(self, argument: WireArgument, descriptors: Sequence[int]) -> torch.Tensor:
        """Return a copy in memory of this GPU."""
        (address,) = self._memory.map([argument], descriptors)
        payload = torch.as_tensor(self.payload(address, argument.bytes), device=torch.device("cuda", 0))
        tensor = payload.view(DTYPES[argument.dtype]).reshape(argument.shape)
        # By way of plain memory: only the first GPU may access what was imported from a descriptor.
        copy = tensor.clone().to(self._gpu)
        self._copies.append((tensor, copy))
        return copy

    def empty(self, argument: WireArgument) -> torch.Tensor:
        """Return a tensor without elements."""
        return torch.empty(argument.shape, dtype=DTYPES[argument.dtype], device=self._gpu)

    def finish(self) -> None:
        """Wait for all GPUs that this rank uses."""
        torch.cuda.synchronize(self._gpu)
        torch.cuda.synchronize(torch.device("cuda", 0))

    def release(self) -> None:
        """Copy results back and unmap the memory of the referee."""
        for tensor, copy in self._copies:
            tensor.copy_(copy.to(tensor.device))
        self._copies.clear()
        self.finish()
        self._memory.release()


def main() -> None:
    """Serve until the host closes the channel."""
    runner = DeviceRank()

    def start(rank: Rank, load: Load) -> NoReturn:
        serve_rank(runner, rank, load)

    serve(RanksRunner(start))


if __name__ == "__main__":
    main()
    sys.exit(0)
