// Counts subtractions that cancel. See cancellation.h.
#include "cancellation.h"

#include <cmath>
#include <cstdio>

#include "block.h"
#include "counters.h"
#include "diagnostics.h"
#include "launch.h"

namespace warpcourt::cpu {
namespace {

constexpr int kLeastBits = 10;  // of the 24 that a float has
constexpr u64 kLeastShare = 4;  // one in so many subtractions

std::string number(float value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", static_cast<double>(value));
  return text;
}

}  // namespace

Cancellations& cancellations() {
  static auto* instance = new Cancellations;
  return *instance;
}

void Cancellations::count(const ThreadRecord& thread, float larger, float left, u32 location) {
  if (larger == 0 || !std::isfinite(larger) || !std::isfinite(left)) return;
  Line& line = lines_[location];
  ++line.subtractions;
  // Equal numbers are equal on purpose, as a number and the maximum of several are.
  if (left == 0 || std::ldexp(std::fabs(left), kLeastBits) > std::fabs(larger)) return;
  const bool first = line.cancelled++ == 0;
  if (first) line.kernel = thread.block->launch->name;
  if (first || std::fabs(left / larger) < std::fabs(line.left / line.larger)) {
    line.larger = larger;
    line.left = left;
  }
}

void Cancellations::report_lines() const {
  for (const auto& [location, line] : lines_) {
    if (line.cancelled == 0 || line.cancelled * kLeastShare < line.subtractions) continue;
    const int bits = static_cast<int>(std::log2(std::fabs(line.larger / line.left)));
    note_line("cancellation", line.kernel, location,
              "In kernel " + line.kernel + ", " + std::to_string(line.cancelled) + " of " +
                  cpu::count(line.subtractions, "subtraction") + " in this line cancel. One has an operand of " +
                  number(line.larger) + " and leaves " + number(line.left) + ", so " + std::to_string(bits) +
                  " of 24 bits are lost: rounding errors of the operands are that much larger in the result.");
  }
}

extern "C" void wc_subtracted(Thread* caller, float larger, float left, u32 location) {
  cancellations().count(record(caller), larger, left, location);
}

}  // namespace warpcourt::cpu
