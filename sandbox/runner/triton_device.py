"""Describes the device of functional mode to Triton programs, which ask for it to size persistent kernels.

See `virtual_device`.
"""

from types import SimpleNamespace
from typing import Any

import torch
import triton  # type: ignore[import-untyped]
from triton.backends.compiler import GPUTarget  # type: ignore[import-untyped]

from sandbox.runner.virtual_device import ANSWERS, CAPABILITY, MULTIPROCESSORS, REGISTERS, SHARED_BYTES, WARP


def install() -> None:
    """Answer the questions of `torch.cuda` and of Triton's driver."""
    for name, answer in ANSWERS.items():
        setattr(torch.cuda, name, answer)
    triton.runtime.driver.set_active(_Driver())


class _Driver:
    """The questions that programs ask of `triton.runtime.driver.active`."""

    utils = SimpleNamespace(
        get_device_properties=lambda _device: {
            "max_shared_mem": SHARED_BYTES,
            "max_num_regs": REGISTERS,
            "multiprocessor_count": MULTIPROCESSORS,
            "warpSize": WARP,
        }
    )

    def get_current_target(self) -> GPUTarget:
        return GPUTarget("cuda", 10 * CAPABILITY[0] + CAPABILITY[1], WARP)

    def get_current_device(self) -> int:
        return 0

    def get_active_torch_device(self) -> torch.device:
        return torch.device("cuda", 0)

    def get_device_interface(self) -> Any:
        return torch.cuda
