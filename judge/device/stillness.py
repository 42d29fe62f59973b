"""Whether anything of somebody else's is running on the GPU, seen by taking all of it.

Theory of operation. The probe is a kernel of as many threads as the GPU can hold at once, in blocks of
1024. Each block counts itself and waits until all have come. A GPU that is free takes them all in at once,
and the probe is over in microseconds. If a single warp of another kernel stays on one multiprocessor, one
of our blocks finds no room, the others wait in vain, and give up after a while: the GPU is not still.

This sees kernels of other clients under MPS, where they share the multiprocessors. Where contexts take turns
instead (no MPS), a probe has the whole GPU during its turn and sees nobody.
"""

import cupy
import numpy as np

_BLOCK = 1024
_PATIENCE_NS = 300_000
_SOURCE = r"""
extern "C" __global__ void __launch_bounds__(1024, 2)
gather(unsigned int* counters, unsigned int blocks, unsigned long long patience_ns) {
  if (threadIdx.x == 0) {
    volatile unsigned int* came = counters;
    unsigned long long start, now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
    atomicAdd(&counters[0], 1u);
    while (*came < blocks) {
      asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
      if (now - start > patience_ns) {
        atomicAdd(&counters[1], 1u);
        break;
      }
    }
  }
  __syncthreads();
}
"""


class Probe:
    """Takes the whole of the current GPU for a moment, on `stream`."""

    def __init__(self, stream: cupy.cuda.Stream) -> None:
        self._stream = stream
        self._kernel = cupy.RawKernel(_SOURCE, "gather", options=("-std=c++17",))
        attributes = cupy.cuda.Device().attributes
        per_multiprocessor = int(attributes["MaxThreadsPerMultiProcessor"]) // _BLOCK
        self._blocks = int(attributes["MultiProcessorCount"]) * per_multiprocessor
        with stream:
            self._counters = cupy.zeros(2, cupy.uint32)
        self.still()  # the first launch loads the kernel

    def still(self) -> bool:
        """Whether the whole GPU was free at this moment."""
        with self._stream:
            self._counters.fill(0)
            arguments = (self._counters, np.uint32(self._blocks), np.uint64(_PATIENCE_NS))
            self._kernel((self._blocks,), (_BLOCK,), arguments)
            came, gave_up = (int(count) for count in self._counters.get(stream=self._stream))
        return came == self._blocks and gave_up == 0
