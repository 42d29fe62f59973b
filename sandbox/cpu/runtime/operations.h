// Runs what streams get, in race mode in an order that the streams permit.
//
// Theory of operation. Outside race mode a step runs when it is submitted. In race mode each step is an operation with
// a place in the order of streams. Ordinary programs use one stream and device memory: they are left alone. Once
// a program has made a stream, or pinned or managed memory, operations are watched for hazards (hazards.h).
//
// In ascending order, all operations run at once. In the two other orders, those that came first in a hazard are
// postponed, with all that is ordered after them, until the host waits for them. Then those that may run do: in
// descending order the suspects last, in interleaved order one of each stream in turn, whatever the host waits for. So a kernel that does not wait for its input finds it missing, a copy that is early copies
// what was there before, and the host reads old values before it synchronises. A program without hazards runs as
// in the first order.
//
// A kernel that polls memory which the host can poll, or updates it atomically, may synchronise with the host. So it counts as
// one that the host has waited for. From then on nothing is postponed, and accesses of the host are not watched.
#pragma once

#include <list>
#include <mutex>
#include <set>

#include "hazards.h"
#include "streams.h"

namespace warpcourt::cpu {

class Operations {
 public:
  void start_call();
  // Before the first call of a case: nothing is known of its operations.
  void start_case();
  // Waits for everything.
  void finish_call();
  // The program has something that can make a hazard.
  void watch() { watching_ = true; }

  cudaError_t submit(const StreamPlace& place, const Step& step);
  void record(cudaEvent_t event, const StreamPlace& place);
  void wait(const StreamPlace& place, cudaEvent_t event);
  void host_waits_for_stream(const StreamPlace& place);
  void host_waits_for_event(cudaEvent_t event);
  void host_waits_for_device(int device);
  void host_waits_for_all();
  // Whether all work of a stream, or before an event, has ended. If the host has not waited for it, the first answer is
  // no, since a GPU may need longer; when the host asks again, it waits.
  bool stream_has_ended(const StreamPlace& place);
  bool event_has_happened(cudaEvent_t event);
  // Whether the host knows that an event has happened. Outside race mode it always has.
  bool host_has_waited_for(cudaEvent_t event);
  void forget(cudaStream_t stream);
  void forget(cudaEvent_t event);

  // An access by the kernel that runs.
  void note(u64 address, u32 bytes, Access access, u32 location) {
    if (recording_) builder_.note(address, bytes, access, location);
  }
  // Whether a host access that failed may be repeated.
  bool host_touched(u64 address, bool write);

 private:
  struct Pending {
    Stamp stamp;
    Work work;
    Description description;
    int device = 0;
  };
  using Postponed = std::list<Pending>;

  static constexpr std::size_t kMaxPostponed = 256;
  static constexpr std::size_t kMaxStreams = 256;

  bool watches() const;
  bool is_suspect(const Stamp& stamp) const;
  bool has_to_wait(const Stamp& stamp) const;
  // Runs what is postponed and covered by the clock.
  void run_until(const Clock& clock);
  // The postponed operation to run next: of those that the clock covers, or of all streams in turn.
  Postponed::iterator next_of(const Clock& clock);
  Postponed::iterator next_in_turn();
  cudaError_t run(Pending pending);
  void host_waited();

  std::recursive_mutex mutex_;
  StreamOrder order_;
  Hazards hazards_;
  HostGuards guards_;
  FootprintBuilder builder_;
  Postponed postponed_;
  std::set<const void*> asked_;  // streams and events of which the host has learnt that they have not ended
  u32 ordinal_ = 0;
  bool watching_ = false;
  bool recording_ = false;
  bool host_polls_ = false;
  bool too_many_ = false;  // streams: no more hazards are looked for in this call
};

Operations& operations();

}  // namespace warpcourt::cpu
