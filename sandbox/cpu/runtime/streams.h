// Streams run nothing in the background: work is done when it is submitted, or recorded while capturing.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>

namespace warpcourt::cpu {

using Work = std::function<cudaError_t()>;

// Does `work` now, or records it when a capture is on and `stream` may take part in it.
cudaError_t submit(cudaStream_t stream, Work work);

}  // namespace warpcourt::cpu
