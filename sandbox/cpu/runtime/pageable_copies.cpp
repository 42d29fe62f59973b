// Counts copies of pageable memory. See pageable_copies.h.
#include "pageable_copies.h"

#include "diagnostics.h"

namespace warpcourt::cpu {
namespace {

constexpr u64 kLeastAsynchronous = 1 << 10;  // bytes
constexpr u64 kLeastSynchronous = 16 << 10;

std::string effect_of(PageableCopies::How how, bool to_device) {
  switch (how) {
    case PageableCopies::How::kSynchronous: return "The driver copies each byte twice, through a pinned buffer of its own. ";
    case PageableCopies::How::kAsynchronous: return "Such a copy makes the host wait, and overlaps with nothing. ";
    case PageableCopies::How::kInGraph: break;
  }
  if (to_device) return "cudaGraphLaunch copies the memory to a buffer of the driver before it returns. ";
  return "cudaGraphLaunch returns only when such a copy has ended. ";
}

}  // namespace

PageableCopies& pageable_copies() {
  static auto* instance = new PageableCopies;
  return *instance;
}

void PageableCopies::count(const char* call, bool to_device, How how, bool own, u64 bytes) {
  if (how == How::kSynchronous && !own) return;
  Copies& copies = copies_[{call, to_device, how == How::kInGraph}];
  ++copies.copies;
  copies.bytes += bytes;
  copies.how = how;
}

void PageableCopies::report_calls() const {
  for (const auto& [key, copies] : copies_) {
    if (copies.bytes < (copies.how == How::kSynchronous ? kLeastSynchronous : kLeastAsynchronous)) continue;
    const auto& [call, to_device, in_graph] = key;
    // judge/compiler/host_lines.py reads the call and the direction.
    report({Severity::kNote, "pageable_copy",
            call + (to_device ? " (host to device)" : " (device to host)") + " copies " + std::to_string(copies.bytes) +
                " bytes of pageable memory in " + cpu::count(copies.copies, in_graph ? "execution" : "call") +
                (in_graph ? " of captured copies. " : ". ") + effect_of(copies.how, to_device) +
                "Allocate the memory of the host with cudaMallocHost, or pin it with cudaHostRegister.",
            {}});
  }
}

}  // namespace warpcourt::cpu
