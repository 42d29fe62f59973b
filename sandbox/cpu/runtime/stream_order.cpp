// Vector clocks of streams. See stream_order.h.
#include "stream_order.h"

#include <algorithm>

#include "devices.h"

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
  streams_.clear();
  for (int device = 0; device < device_count(); ++device) streams_.push_back({{}, device, true});
  indices_.clear();
  events_.clear();
  host_.clear();
}

u32 StreamOrder::index(const StreamPlace& place) {
  if (!place.stream || place.stream == cudaStreamLegacy) return static_cast<u32>(place.device);
  const auto [found, added] = indices_.emplace(std::pair{place.stream, place.device}, static_cast<u32>(streams_.size()));
  if (added) streams_.push_back({{}, place.device, place.blocking});
  return found->second;
}

Clock StreamOrder::now(u32 stream) const {
  Clock clock = host_;
  const Stream& own = streams_[stream];
  join(clock, own.clock);
  const u32 default_stream = static_cast<u32>(own.device);
  if (stream == default_stream) {
    for (const Stream& other : streams_) {
      if (other.blocking && other.device == own.device) join(clock, other.clock);
    }
  } else if (own.blocking) {
    join(clock, streams_[default_stream].clock);
  }
  return clock;
}

Stamp StreamOrder::submit(const StreamPlace& place, u32 ordinal, u32 devices) {
  const u32 at = index(place);
  Stamp stamp{.stream = at, .ordinal = ordinal, .before = now(at)};
  const auto takes_part = [&](u32 device) { return device != at && (devices >> device & 1); };
  for (u32 device = 0; device < static_cast<u32>(device_count()); ++device) {
    if (takes_part(device)) join(stamp.before, now(device));
  }
  Clock& clock = streams_[at].clock;
  clock = stamp.before;
  if (clock.size() <= at) clock.resize(at + 1);
  stamp.number = ++clock[at];
  for (u32 device = 0; device < static_cast<u32>(device_count()); ++device) {
    if (takes_part(device)) join(streams_[device].clock, clock);
  }
  return stamp;
}

void StreamOrder::record(cudaEvent_t event, const StreamPlace& place) {
  const u32 at = index(place);
  streams_[at].clock = events_[event] = now(at);
}

void StreamOrder::wait(const StreamPlace& place, cudaEvent_t event) {
  const u32 at = index(place);
  const auto found = events_.find(event);
  if (found != events_.end()) join(streams_[at].clock, found->second);
}

void StreamOrder::host_waits_for_stream(const StreamPlace& place) { host_ = now(index(place)); }

void StreamOrder::host_waits_for_device(int device) {
  for (const Stream& stream : streams_) {
    if (stream.device == device) join(host_, stream.clock);
  }
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
  return found == events_.end() || host_covers(found->second);
}

bool StreamOrder::host_has_waited_for_stream(const StreamPlace& place) { return host_covers(now(index(place))); }

bool StreamOrder::host_covers(const Clock& clock) const {
  for (std::size_t stream = 0; stream < clock.size(); ++stream) {
    if (clock[stream] > (stream < host_.size() ? host_[stream] : 0)) return false;
  }
  return true;
}

void StreamOrder::forget(cudaStream_t stream) {
  std::erase_if(indices_, [stream](const auto& entry) { return entry.first.first == stream; });
}

}  // namespace warpcourt::cpu
