// What a capture takes in: a first stream, and the streams that wait for an event of it.
//
// Theory of operation. Each stream of a capture counts its steps. An event keeps the counts of what it comes after, and a
// stream that waits for the event takes them over. When the capture ends, the first stream must come after all steps.
#pragma once

#include <cuda_runtime_api.h>

#include <map>

#include "abi.h"

namespace warpcourt::cpu {

class StreamCapture {
 public:
  StreamCapture(cudaStream_t first, cudaStreamCaptureMode mode) : first_(first), mode_(mode) { known_[first]; }

  cudaStream_t first() const { return first_; }
  cudaStreamCaptureMode mode() const { return mode_; }
  bool has(cudaStream_t stream) const { return known_.contains(stream); }
  bool has(cudaEvent_t event) const { return events_.contains(event); }
  void submit(cudaStream_t stream) { ++known_[stream][stream]; }
  void record(cudaEvent_t event, cudaStream_t stream) { events_[event] = known_[stream]; }
  // The event was recorded in a stream outside.
  void forget(cudaEvent_t event) { events_.erase(event); }
  void wait(cudaStream_t stream, cudaEvent_t event);
  // Whether the first stream comes after all steps.
  bool is_joined() const;

 private:
  using Counts = std::map<cudaStream_t, u64>;

  cudaStream_t first_;
  cudaStreamCaptureMode mode_;
  std::map<cudaStream_t, Counts> known_;
  std::map<cudaEvent_t, Counts> events_;
};

}  // namespace warpcourt::cpu
