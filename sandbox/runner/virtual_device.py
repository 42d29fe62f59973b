"""The device of functional mode, as `torch.cuda` describes it: the one that CUDA programs see.

The figures are those of `sandbox/cpu/runtime/device_limits.h`.
"""

import contextlib
import os
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

NAME = "Warpcourt functional mode (CPU)"
CAPABILITY = (8, 0)
MULTIPROCESSORS = 8
SHARED_BYTES = 227 << 10
REGISTERS = 65536
WARP = 32


def _memory_bytes() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


PROPERTIES = SimpleNamespace(
    name=NAME,
    major=CAPABILITY[0],
    minor=CAPABILITY[1],
    multi_processor_count=MULTIPROCESSORS,
    total_memory=_memory_bytes(),
    warp_size=WARP,
    max_threads_per_multi_processor=2048,
    regs_per_multiprocessor=REGISTERS,
    shared_memory_per_block=48 << 10,
    shared_memory_per_block_optin=SHARED_BYTES,
    shared_memory_per_multiprocessor=228 << 10,
    L2_cache_size=50 << 20,
)
# Functions of `torch.cuda`, by name.
ANSWERS: Mapping[str, Callable[..., Any]] = {
    "get_device_properties": lambda _device=None: PROPERTIES,
    "get_device_capability": lambda _device=None: CAPABILITY,
    "get_device_name": lambda _device=None: NAME,
    "mem_get_info": lambda _device=None: (PROPERTIES.total_memory, PROPERTIES.total_memory),
    "set_device": lambda _device: None,
    "device": lambda _device: contextlib.nullcontext(),
}
