// Counts calls of the CUDA runtime. See host_trace.h.
#include "host_trace.h"

#include <algorithm>
#include <set>

#include "engine.h"

namespace warpcourt::cpu {
namespace {

constexpr const char* kHostEventNames[] = {
    "host_synchronisations",
    "copies_to_device",
    "copies_to_host",
    "copies_on_device",
    "bytes_to_device",
    "bytes_to_host",
    "copies_between_devices",
    "bytes_between_devices",
    "staged_bytes",
    "pageable_copies",
    "device_allocations",
    "stream_ordered_allocations",
    "pinned_allocations",
    "managed_allocations",
    "device_frees",
    "stream_ordered_frees",
    "event_records",
    "stream_waits",
    "timed_launches",
    "graph_instantiations",
    "graph_launches",
    "launches_outside_graphs",
    "cooperative_launches",
};
static_assert(std::size(kHostEventNames) == static_cast<std::size_t>(HostEvent::kEvents));

// Whether what two streams do happens in the order in which it was submitted.
bool in_order(const TracedStream& one, const TracedStream& other) {
  if (one.device != other.device) return false;
  return one.number == other.number || ((one.number == 0 || other.number == 0) && one.blocking && other.blocking);
}

std::string pair(const char* name, u64 amount) { return std::string(" ") + name + '=' + std::to_string(amount); }

}  // namespace

HostTrace& host_trace() {
  static auto* instance = new HostTrace;
  return *instance;
}

void HostTrace::start_call(u64 held_allocations) {
  std::lock_guard lock(mutex_);
  amounts_.clear();
  kernels_.clear();
  held_ = held_allocations;
}

void HostTrace::count(HostEvent event, const char* call, u64 amount) {
  if (!engine().options.summed || amount == 0) return;
  std::lock_guard lock(mutex_);
  amounts_[event][call] += amount;
}

void HostTrace::count_kernel(const TracedStream& stream, bool in_graph) {
  if (!engine().options.summed) return;
  std::lock_guard lock(mutex_);
  kernels_.push_back(stream);
  if (!in_graph) ++amounts_[HostEvent::kLaunchOutsideGraph][""];
}

TracedRecord HostTrace::record(const TracedStream& stream) {
  std::lock_guard lock(mutex_);
  return {stream, kernels_.size()};
}

void HostTrace::compare(const TracedRecord& from, const TracedRecord& to) {
  u64 timed = 0;
  {
    std::lock_guard lock(mutex_);
    for (u64 at = from.kernels; at < std::min<u64>(to.kernels, kernels_.size()); ++at) {
      timed += in_order(from.stream, kernels_[at]) && in_order(kernels_[at], to.stream);
    }
  }
  count(HostEvent::kTimedLaunch, "cudaEventElapsedTime", timed);
}

std::string HostTrace::text(u64 held_allocations, u64 peak_bytes) const {
  std::lock_guard lock(mutex_);
  std::string out;
  for (const auto& [event, by_call] : amounts_) {
    u64 total = 0;
    for (const auto& [call, amount] : by_call) total += amount;
    const auto most = std::max_element(by_call.begin(), by_call.end(),
                                       [](const auto& one, const auto& other) { return one.second < other.second; });
    out += pair(kHostEventNames[static_cast<std::size_t>(event)], total);
    if (!most->first.empty()) out += ':' + most->first;
  }
  std::set<std::pair<int, u64>> streams;
  for (const TracedStream& stream : kernels_) streams.emplace(stream.device, stream.number);
  if (!streams.empty()) out += pair("kernel_streams", streams.size());
  if (held_allocations > held_) out += pair("unfreed_allocations", held_allocations - held_);
  if (peak_bytes) out += pair("device_memory_peak", peak_bytes);
  return out;
}

}  // namespace warpcourt::cpu
