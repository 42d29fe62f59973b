# What every Triton program of attacks/ begins with: the honest kernel of vector addition, and names.
import ctypes
import gc
import os
import signal
import subprocess
import sys
import threading
import time

import torch
import triton
import triton.language as tl


@triton.jit
def add(a, b, c, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(c + at, tl.load(a + at, mask=inside) + tl.load(b + at, mask=inside), mask=inside)


def answer(a, b, c, n):
    add[(triton.cdiv(n, 1024),)](a, b, c, n, BLOCK=1024)
