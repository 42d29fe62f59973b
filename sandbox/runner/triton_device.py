"""Describes the device of functional mode to Triton programs, which ask for it to size persistent kernels.

It is the device that CUDA programs see (`sandbox/cpu/runtime/device_limits.h`).
"""

import contextlib
import os
from types import SimpleNamespace
from typing import Any

import torch
import triton  # type: ignore[import-untyped]
from triton.backends.compiler import GPUTarget  # type: ignore[import-untyped]

_NAME = "Warpcourt functional mode (CPU)"
_CAPABILITY = (8, 0)
_MULTIPROCESSORS = 8
_SHARED_BYTES = 227 << 10
_REGISTERS = 65536
_WARP = 32


def install() -> None:
    """Answer the questions of `torch.cuda` and of Triton's driver."""
    properties = SimpleNamespace(
        name=_NAME,
        major=_CAPABILITY[0],
        minor=_CAPABILITY[1],
        multi_processor_count=_MULTIPROCESSORS,
        total_memory=_memory_bytes(),
        warp_size=_WARP,
        max_threads_per_multi_processor=2048,
        regs_per_multiprocessor=_REGISTERS,
        shared_memory_per_block=48 << 10,
        shared_memory_per_block_optin=_SHARED_BYTES,
        shared_memory_per_multiprocessor=228 << 10,
        L2_cache_size=50 << 20,
    )
    answers: dict[str, Any] = {
        "get_device_properties": lambda _device=None: properties,
        "get_device_capability": lambda _device=None: _CAPABILITY,
        "get_device_name": lambda _device=None: _NAME,
        "mem_get_info": lambda _device=None: (properties.total_memory, properties.total_memory),
        "set_device": lambda _device: None,
        "device": lambda _device: contextlib.nullcontext(),
    }
    for name, answer in answers.items():
        setattr(torch.cuda, name, answer)
    triton.runtime.driver.set_active(_Driver())


class _Driver:
    """The questions that programs ask of `triton.runtime.driver.active`."""

    utils = SimpleNamespace(
        get_device_properties=lambda _device: {
            "max_shared_mem": _SHARED_BYTES,
            "max_num_regs": _REGISTERS,
            "multiprocessor_count": _MULTIPROCESSORS,
            "warpSize": _WARP,
        }
    )

    def get_current_target(self) -> GPUTarget:
        return GPUTarget("cuda", 10 * _CAPABILITY[0] + _CAPABILITY[1], _WARP)

    def get_current_device(self) -> int:
        return 0

    def get_active_torch_device(self) -> torch.device:
        return torch.device("cuda", 0)

    def get_device_interface(self) -> Any:
        return torch.cuda


def _memory_bytes() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
