// What a program asks of the CUDA runtime in one call of solve, for the requirements of a problem (sums.h).
//
// Only calls whose sums are reported are traced. A copy or launch of a graph counts when it runs, so a graph with
// three kernels that is launched twice makes six launches.
//
// Events that a program measures time with are followed too. A kernel is timed if it runs between two records of events
// that cudaEventElapsedTime compares, in an order that the streams guarantee: both events were recorded in one stream,
// and the kernel runs in this stream, or one of the two is the default stream and the other waits for it.
#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>

#include "abi.h"

namespace warpcourt::cpu {

// In the order of kHostEventNames, which are the names of counters in problem.toml.
enum class HostEvent : u32 {
  kSynchronisation,
  kCopyToDevice,
  kCopyToHost,
  kCopyOnDevice,
  kByteToDevice,
  kByteToHost,
  kPageableCopy,
  kDeviceAllocation,
  kStreamOrderedAllocation,
  kPinnedAllocation,
  kManagedAllocation,
  kDeviceFree,
  kStreamOrderedFree,
  kEventRecord,
  kStreamWait,
  kTimedLaunch,
  kGraphInstantiation,
  kGraphLaunch,
  kLaunchOutsideGraph,
  kCooperativeLaunch,
  kEvents,
};

class HostTrace {
 public:
  // Before a call, with what the program holds.
  void start_call(u64 held_allocations);
  void count(HostEvent event, const char* call, u64 amount = 1);
  // A kernel runs in the stream with this number.
  void count_kernel(u64 stream, bool in_graph);
  // "graph_launches=3:cudaGraphLaunch copies_to_host=1:cudaMemcpy": what happened, with the call that made most of it.
  std::string text(u64 held_allocations, u64 peak_bytes) const;

 private:
  mutable std::mutex mutex_;
  std::map<HostEvent, std::map<std::string, u64>> amounts_;  // by call
  std::set<u64> streams_;  // in which kernels ran
  u64 held_ = 0;           // allocations at the start
};

HostTrace& host_trace();

}  // namespace warpcourt::cpu
