// Compares copies to the host with copies from it. See relays.h.
#include "relays.h"

#include <functional>
#include <string_view>

#include "memory.h"

namespace warpcourt::cpu {
namespace {

constexpr u64 kLeastBytes = 64;  // of less, a program could bring all values to the host, and compose its results of them

}  // namespace

Relays& relays() {
  static auto* instance = new Relays;
  return *instance;
}

void Relays::start_call() {
  std::lock_guard lock(mutex_);
  on_host_.clear();
  bytes_ = 0;
}

void Relays::count(bool to_device, const Place& place, const Extent& extent) {
  const u64 bytes = extent.width * extent.height * extent.depth;
  if (bytes < kLeastBytes) return;
  DeviceOpen open;
  std::size_t hash = 0;
  for (u64 z = 0; z < extent.depth; ++z) {
    for (u64 y = 0; y < extent.height; ++y) {
      const auto* row = reinterpret_cast<const char*>(place.base) + z * place.slice + y * place.pitch;
      hash = hash * 31 + std::hash<std::string_view>{}({row, extent.width});
    }
  }
  std::lock_guard lock(mutex_);
  if (!to_device) {
    on_host_.emplace(bytes, hash);
  } else if (on_host_.contains({bytes, hash})) {
    bytes_ += bytes;
  }
}

u64 Relays::bytes() const {
  std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace warpcourt::cpu
