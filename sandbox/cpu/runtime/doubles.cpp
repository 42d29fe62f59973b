// Counts arithmetic in double precision. See doubles.h.
#include "doubles.h"

#include "diagnostics.h"
#include "launch.h"

namespace warpcourt::cpu {
namespace {

constexpr u64 kLeastExecutions = 32;  // a warp's worth

}  // namespace

Doubles& doubles() {
  static auto* instance = new Doubles;
  return *instance;
}

void Doubles::count(const ThreadRecord& thread, u32 location) {
  Totals& totals = totals_[location];
  if (totals.executions++ == 0) totals.kernel = thread.block->launch->name;
}

void Doubles::report_lines() const {
  for (const auto& [location, totals] : totals_) {
    if (totals.executions < kLeastExecutions) continue;
    note_line("double_precision", totals.kernel, location,
              "In kernel " + totals.kernel + ", threads computed in double precision in this line " +
                  std::to_string(totals.executions) +
                  " times, although no array holds doubles. Most GPUs have few units for it.");
  }
}

extern "C" void wc_double(Thread* caller, u32 location) { doubles().count(record(caller), location); }

}  // namespace warpcourt::cpu
