// What a program asks of the CUDA runtime in one call of solve, for the requirements of a problem (sums.h).
//
// Only calls whose sums are reported are traced. A copy or launch of a graph counts when it runs, so a graph with
// three kernels that is launched twice makes six launches.
//
// Events that a program measures time with are followed too. A kernel is timed if it is submitted between the records of
// two events that cudaEventElapsedTime compares, and if its stream keeps it between them: each event was recorded in this
// stream, or one of the two streams is the default stream and the other waits for it (seen on an H200 with CUDA 13.0).
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

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
  kCopyBetweenDevices,
  kByteBetweenDevices,
  kStagedByte,  // of these, without peer access
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

// A stream: 0 is the number of the default streams, of which each device has one.
struct TracedStream {
  u64 number = 0;
  bool blocking = true;
  int device = 0;
};

// Where an event was recorded: in a stream, after so many kernels of the call.
struct TracedRecord {
  TracedStream stream;
  u64 kernels = 0;
};

class HostTrace {
 public:
  // Before a call, with what the program holds.
  void start_call(u64 held_allocations);
  void count(HostEvent event, const char* call, u64 amount = 1);
  void count_kernel(const TracedStream& stream, bool in_graph);
  TracedRecord record(const TracedStream& stream);
  // The program compares the times of two records.
  void compare(const TracedRecord& from, const TracedRecord& to);
  // "graph_launches=3:cudaGraphLaunch copies_to_host=1:cudaMemcpy": what happened, with the call that made most of it.
  std::string text(u64 held_allocations, u64 peak_bytes) const;

 private:
  mutable std::mutex mutex_;
  std::map<HostEvent, std::map<std::string, u64>> amounts_;  // by call
  std::vector<TracedStream> kernels_;  // the stream of each
  u64 held_ = 0;           // allocations at the start
};

HostTrace& host_trace();

}  // namespace warpcourt::cpu
