// Finds subtractions that leave little more than the rounding errors of their operands.
//
// The translator lists the subtractions in float32 of numbers that were rounded before (translator/cancellation.py).
// Counting runs see each of them with one operand and the result. If a result is far smaller than the operand, their
// leading bits were equal: the result has few bits left, and the errors of the operands are as large as before. A line
// is reported if that happens in a quarter of its subtractions. The judge keeps the note for wrong answers only.
#pragma once

#include <map>
#include <string>

#include "abi.h"

namespace warpcourt::cpu {

struct ThreadRecord;

class Cancellations {
 public:
  void start_call() { lines_.clear(); }
  void count(const ThreadRecord& thread, float larger, float left, u32 location);
  void report_lines() const;

 private:
  struct Line {
    std::string kernel;
    u64 subtractions = 0;
    u64 cancelled = 0;
    float larger = 0, left = 0;  // of the worst one
  };
  std::map<u32, Line> lines_;  // by location
};

Cancellations& cancellations();

}  // namespace warpcourt::cpu
