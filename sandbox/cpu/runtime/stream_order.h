// What happens before what on the host and on its streams, in one call of solve.
//
// Theory of operation. Each operation that a stream gets has a number in that stream, and a vector clock: for each
// stream, how many of its operations have ended for sure when this one begins. Clocks grow by
//
//   the stream          an operation begins when the one before it in its stream has ended
//   the default stream  its operations wait for all streams of its device but the non-blocking ones, and those wait
//                       for it. Each device has one. A copy between devices that uses a default stream is an operation
//                       of those of both devices
//   events              cudaStreamWaitEvent takes over what the stream of the event had got by the time of its last
//                       record. An event that was not recorded adds nothing
//   the host            what the host has waited for has ended before anything that it submits later
//
// All threads of the host count as one.
#pragma once

#include <cuda_runtime_api.h>

#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "abi.h"
#include "streams.h"

namespace warpcourt::cpu {

// For each stream, how many of its operations have ended. What a shorter clock does not have is zero.
using Clock = std::vector<u32>;

void join(Clock& clock, const Clock& other);

// One operation.
struct Stamp {
  u32 stream = 0;
  u32 number = 0;   // in its stream, from 1
  u32 ordinal = 0;  // in the call
  Clock before;     // what had ended for sure
};

bool covers(const Clock& clock, const Stamp& operation);
bool unordered(const Stamp& a, const Stamp& b);

class StreamOrder {
 public:
  void start_call();

  // The next operation of a stream. The default streams of `devices`, a bit for each, take part in it.
  Stamp submit(const StreamPlace& place, u32 ordinal, u32 devices = 0);
  void record(cudaEvent_t event, const StreamPlace& place);
  void wait(const StreamPlace& place, cudaEvent_t event);

  // The host waits. Afterwards `host` covers what has ended.
  void host_waits_for_stream(const StreamPlace& place);
  void host_waits_for_event(cudaEvent_t event);
  void host_waits_for_device(int device);
  void host_waits_for_all();
  void host_waits_for(const Stamp& operation);
  const Clock& host() const { return host_; }
  // Whether the host has waited for all that the event comes after.
  bool host_has_waited_for(cudaEvent_t event) const;
  // Whether it has waited for all work of the stream.
  bool host_has_waited_for_stream(const StreamPlace& place);

  // The handle may come back for another stream or event.
  void forget(cudaStream_t stream);
  void forget(cudaEvent_t event) { events_.erase(event); }

  std::size_t streams() const { return streams_.size(); }

 private:
  struct Stream {
    Clock clock;
    int device = 0;
    bool blocking = true;
  };

  u32 index(const StreamPlace& place);
  // What has ended before the next operation of that stream.
  Clock now(u32 stream) const;
  bool host_covers(const Clock& clock) const;

  std::vector<Stream> streams_;  // first the default streams, by device
  std::map<std::pair<const void*, int>, u32> indices_;
  std::unordered_map<const void*, Clock> events_;
  Clock host_;
};

}  // namespace warpcourt::cpu
