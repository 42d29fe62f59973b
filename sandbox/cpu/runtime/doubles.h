// Counts arithmetic in double precision, in programs that keep no doubles in memory (translator/doubles.py): there it is
// an accident as a rule, such as the literal 0.5.
#pragma once

#include <map>
#include <string>

#include "counters.h"
#include "requests.h"

namespace warpcourt::cpu {

class Doubles {
 public:
  void start_call() { totals_.clear(); }
  void count(const ThreadRecord& thread, u32 location);
  void report_lines() const;

 private:
  struct Totals {
    u64 executions = 0;  // by threads
    std::string kernel;
  };
  std::map<u32, Totals> totals_;  // by location
};

Doubles& doubles();

}  // namespace warpcourt::cpu
