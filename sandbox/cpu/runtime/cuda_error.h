// The last CUDA error of each host thread, and the finding that goes with it.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

namespace warpcourt::cpu {

// Notes `error` as the last one of this thread, tells the learner why, and returns it.
cudaError_t refuse(cudaError_t error, const std::string& message);
// The same without a finding: for errors that correct programs provoke and handle.
cudaError_t set_error(cudaError_t error, const std::string& message = "");
cudaError_t last_error();
// What `refuse` said about the last error.
const std::string& last_message();
void clear_error();

}  // namespace warpcourt::cpu
