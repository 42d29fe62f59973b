// Counts copies of pageable memory. See pageable_copies.h.
#include "pageable_copies.h"

#include "diagnostics.h"

namespace warpcourt::cpu {
namespace {

constexpr u64 kLeastAsynchronous = 1 << 10;  // bytes
constexpr u64 kLeastSynchronous = 16 << 10;

}  // namespace

PageableCopies& pageable_copies() {
  static auto* instance = new PageableCopies;
  return *instance;
}

void PageableCopies::count(const char* call, bool to_device, bool synchronous, bool own, u64 bytes) {
  if (synchronous && !own) return;
  Copies& copies = copies_[{call, to_device}];
  ++copies.copies;
  copies.bytes += bytes;
  copies.synchronous = synchronous;
}

void PageableCopies::report_calls() const {
  for (const auto& [key, copies] : copies_) {
    if (copies.bytes < (copies.synchronous ? kLeastSynchronous : kLeastAsynchronous)) continue;
    const auto& [call, to_device] = key;
    const std::string effect = copies.synchronous ? "The driver copies each byte twice, through a pinned buffer of its own. "
                                                  : "Such a copy makes the host wait, and overlaps with nothing. ";
    // judge/compiler/host_lines.py reads the call and the direction.
    report({Severity::kNote, "pageable_copy",
            call + (to_device ? " (host to device)" : " (device to host)") + " copies " + std::to_string(copies.bytes) +
                " bytes of pageable memory in " + cpu::count(copies.copies, "call") + ". " + effect +
                "Allocate the memory of the host with cudaMallocHost, or pin it with cudaHostRegister.",
            {}});
  }
}

}  // namespace warpcourt::cpu
