// Vector clocks of streams. See stream_order.h.
#include "stream_order.h"

#include <algorithm>

namespace warpcourt::cpu {

void join(Clock& clock, const Clock& other) {
  if (clock.size() < other.size()) clock.resize(other.size());
  for (std::size_t i = 0; i < other.size(); ++i) clock[i] = std::max(clock[i], other[i]);
}

bool covers(const Clock& clock, const Stamp& operation) {
  return operation.stream < clock.size() && clock[operation.stream] >= operation.number;
}

bool unordered(const Stamp& a, const Stamp& b) { return !covers(a.before, b) && !covers(b.before, a); }

void StreamOrder::start_call() {
  streams_.assign(1, {});
  indices_.clear();
  events_.clear();
  host_.clear();
}

u32 StreamOrder::index(cudaStream_t stream, bool blocking) {
  if (!stream || stream == cudaStreamLegacy) return kDefault;
  const auto [found, added] = indices_.emplace(stream, static_cast<u32>(streams_.size()));
  if (added) streams_.push_back({{}, blocking});
  return found->second;
}

Clock StreamOrder::now(u32 stream) const {
  Clock clock = host_;
  join(clock, streams_[stream].clock);
  if (stream == kDefault) {
    for (const Stream& other : streams_) {
      if (other.blocking) join(clock, other.clock);
    }
  } else if (streams_[stream].blocking) {
    join(clock, streams_[kDefault].clock);
  }
  return clock;
}

Stamp StreamOrder::submit(cudaStream_t stream, bool blocking, u32 ordinal) {
  const u32 at = index(stream, blocking);
  Stamp stamp{.stream = at, .ordinal = ordinal, .before = now(at)};
  Clock& clock = streams_[at].clock;
  clock = stamp.before;
  if (clock.size() <= at) clock.resize(at + 1);
  stamp.number = ++clock[at];
  return stamp;
}

void StreamOrder::record(cudaEvent_t event, cudaStream_t stream, bool blocking) {
  const u32 at = index(stream, blocking);
  streams_[at].clock = events_[event] = now(at);
}

void StreamOrder::wait(cudaStream_t stream, bool blocking, cudaEvent_t event) {
  const u32 at = index(stream, blocking);
  const auto found = events_.find(event);
  if (found != events_.end()) join(streams_[at].clock, found->second);
}

void StreamOrder::host_waits_for_stream(cudaStream_t stream, bool blocking) {
  host_ = now(index(stream, blocking));
}

void StreamOrder::host_waits_for_event(cudaEvent_t event) {
  const auto found = events_.find(event);
  if (found != events_.end()) join(host_, found->second);
}

void StreamOrder::host_waits_for_all() {
  for (const Stream& stream : streams_) join(host_, stream.clock);
}

void StreamOrder::host_waits_for(const Stamp& operation) {
  join(host_, operation.before);
  if (host_.size() <= operation.stream) host_.resize(operation.stream + 1);
  host_[operation.stream] = std::max(host_[operation.stream], operation.number);
}

bool StreamOrder::host_has_waited_for(cudaEvent_t event) const {
  const auto found = events_.find(event);
  if (found == events_.end()) return true;
  Clock both = host_;
  join(both, found->second);
  Clock host = host_;
  host.resize(both.size());
  return both == host;
}

void StreamOrder::forget(cudaStream_t stream) { indices_.erase(stream); }

}  // namespace warpcourt::cpu
