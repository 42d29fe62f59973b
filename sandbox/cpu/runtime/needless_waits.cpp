// Counts waits between kernels. See needless_waits.h.
#include "needless_waits.h"

#include "diagnostics.h"
#include "engine.h"
#include "memory.h"

namespace warpcourt::cpu {

NeedlessWaits& needless_waits() {
  static auto* instance = new NeedlessWaits;
  return *instance;
}

void NeedlessWaits::start_call() {
  waits_.clear();
  streams_.clear();
  last_.clear();
  busy_ = false;
}

void NeedlessWaits::wait(const char* call) {
  if (!engine().options.counted) return;
  last_ = busy_ && !shares_memory_with_host() ? call : "";
  busy_ = false;
}

void NeedlessWaits::submit(u64 stream, bool is_kernel) {
  if (!engine().options.counted) return;
  if (is_kernel) {
    if (!last_.empty()) ++waits_[last_];
    streams_.insert(stream);
    busy_ = true;
  }
  last_.clear();
}

void NeedlessWaits::report_calls() const {
  if (streams_.size() > 1) return;
  for (const auto& [call, waits] : waits_) {
    // judge/compiler/host_lines.py reads the call.
    report({Severity::kNote, "needless_wait",
            call + " made the host wait " + count(waits, "time") +
                " between two kernels of one stream. They run one after the other in any case. The GPU is idle from the end of a " +
                "kernel until the host has submitted the next one, which takes several microseconds. Remove the wait.",
            {}});
  }
}

}  // namespace warpcourt::cpu
