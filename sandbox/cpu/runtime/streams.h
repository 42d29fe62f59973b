// What programs give to streams: kernels, copies and fills, and functions of the host.
//
// Nothing runs in the background. A step runs when it is submitted, is recorded while a capture is on, or is postponed
// (operations.h).
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <string>

#include "footprint.h"

namespace warpcourt::cpu {

// Where work of a stream runs and what it waits for. A default stream is that of the device that is current.
struct StreamPlace {
  cudaStream_t stream = nullptr;
  int device = 0;
  bool blocking = true;
};

StreamPlace place_of(cudaStream_t stream);

inline bool is_legacy(cudaStream_t stream) { return !stream || stream == cudaStreamLegacy; }

using Work = std::function<cudaError_t()>;

// What race mode wants to know about a step.
struct Description {
  std::string name;            // "cudaMemcpyAsync"
  std::string kernel = {};     // the name of a kernel; it is watched while it runs
  Footprint touched = {};      // of others
  const char* verb = nullptr;  // what it does to memory, where its use of it does not say so
  bool host_waits = false;     // the call returns when the step has ended
  bool on_host = false;        // a function of the program
  u32 devices = 0;             // a bit for each whose default stream takes part, besides that of the step
  // For work that is postponed: the same work on a copy of what the caller may change when the call has returned.
  std::function<Work()> keep = nullptr;
};

struct Step {
  Work work;
  std::function<Description()> describe;
  bool is_kernel = false;
};

// Does the step now, or later as the order of streams permits, or records it when a capture is on and `stream` may
// take part in it.
cudaError_t submit(cudaStream_t stream, Step step);

// The same for a step of a graph that is launched in `stream`; `place` is that of its branch.
cudaError_t submit_of_graph(cudaStream_t stream, const StreamPlace& place, const Step& step);

// Sets the error of a call that must not be made now, in a function that a stream calls, or with that stream, which was
// destroyed. False where there is none.
bool refused(const char* call, cudaStream_t stream = nullptr);

// The same for a call that must not be made while this thread captures a stream. cudaStreamCaptureModeRelaxed permits
// calls that do not wait.
bool refused_in_capture(const char* call, bool waits = false);

// What a program made and has not destroyed.
u64 live_streams();
u64 live_events();

}  // namespace warpcourt::cpu
