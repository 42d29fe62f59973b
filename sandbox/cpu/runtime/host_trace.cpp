// Counts calls of the CUDA runtime. See host_trace.h.
#include "host_trace.h"

#include <algorithm>

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

std::string pair(const char* name, u64 amount) { return std::string(" ") + name + '=' + std::to_string(amount); }

}  // namespace

HostTrace& host_trace() {
  static auto* instance = new HostTrace;
  return *instance;
}

void HostTrace::start_call(u64 held_allocations) {
  std::lock_guard lock(mutex_);
  amounts_.clear();
  streams_.clear();
  held_ = held_allocations;
}

void HostTrace::count(HostEvent event, const char* call, u64 amount) {
  if (!engine().options.summed || amount == 0) return;
  std::lock_guard lock(mutex_);
  amounts_[event][call] += amount;
}

void HostTrace::count_kernel(u64 stream, bool in_graph) {
  if (!engine().options.summed) return;
  std::lock_guard lock(mutex_);
  streams_.insert(stream);
  if (!in_graph) ++amounts_[HostEvent::kLaunchOutsideGraph][""];
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
  if (!streams_.empty()) out += pair("kernel_streams", streams_.size());
  if (held_allocations > held_) out += pair("unfreed_allocations", held_allocations - held_);
  if (peak_bytes) out += pair("device_memory_peak", peak_bytes);
  return out;
}

}  // namespace warpcourt::cpu
