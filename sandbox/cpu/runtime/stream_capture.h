// What a capture takes in: a first stream, and the streams that wait for an event of it.
//
// Theory of operation. Each stream of a capture is a branch, and counts its steps. An event keeps the counts of what it
// comes after, and a stream that waits for the event takes them over. When the capture ends, the first stream must come
// after all steps. What the streams got, in this order, is the graph: its branches are streams again when it is launched.
#pragma once

#include <cuda_runtime_api.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "abi.h"
#include "streams.h"

namespace warpcourt::cpu {

// What a branch of a graph gets: a step, or the record of an event, or a wait for one. Events have numbers.
struct GraphNode {
  enum class Kind { kStep, kRecord, kWait };
  Kind kind;
  u32 branch = 0;  // 0: the stream in which the graph is launched
  u32 event = 0;
  Step step = {};
};

struct CapturedGraph {
  std::vector<GraphNode> nodes;
  std::vector<StreamPlace> branches;  // the streams that were captured; 0: the first
  u32 events = 0;
};

class StreamCapture {
 public:
  StreamCapture(cudaStream_t first, cudaStreamCaptureMode mode) : first_(first), mode_(mode) { branch_of(first); }

  cudaStream_t first() const { return first_; }
  cudaStreamCaptureMode mode() const { return mode_; }
  bool has(cudaStream_t stream) const { return known_.contains(stream); }
  bool has(cudaEvent_t event) const { return events_.contains(event); }
  void submit(cudaStream_t stream, Step step);
  // `step` runs when a launch of the graph comes to the record.
  void record(cudaEvent_t event, cudaStream_t stream, Step step);
  // The event was recorded in a stream outside.
  void forget(cudaEvent_t event) { events_.erase(event); }
  void wait(cudaStream_t stream, cudaEvent_t event);
  // Whether the first stream comes after all steps.
  bool is_joined() const;
  // A call that a capture does not permit has made it invalid: it ends without a graph.
  void invalidate(const std::string& message) {
    if (invalid_.empty()) invalid_ = message;
  }
  const std::string& invalid() const { return invalid_; }  // why, or ""
  CapturedGraph finish() { return std::move(graph_); }

 private:
  using Counts = std::map<cudaStream_t, u64>;
  struct Branch {
    u32 number;
    Counts seen;
  };
  struct Record {
    u32 number;
    Counts seen;
  };

  Branch& branch_of(cudaStream_t stream);

  cudaStream_t first_;
  cudaStreamCaptureMode mode_;
  std::map<cudaStream_t, Branch> known_;
  std::map<cudaEvent_t, Record> events_;
  CapturedGraph graph_;
  std::string invalid_;
};

// The captures that this host thread has begun. A stream takes part in one of them at most.
std::vector<std::unique_ptr<StreamCapture>>& captures_of_thread();

// The capture in which a stream takes part, or in which an event was recorded last; null if there is none.
StreamCapture* capture_of(cudaStream_t stream);
StreamCapture* capture_of(cudaEvent_t event);

inline bool captures(cudaStream_t stream) { return capture_of(stream); }

// Refuses a call that a capture does not permit, and makes it invalid; or all captures of this thread.
cudaError_t refuse_in_capture(StreamCapture& capture, cudaError_t error, const std::string& message);
cudaError_t refuse_in_captures(cudaError_t error, const std::string& message);

}  // namespace warpcourt::cpu
