// Names lines that compute in double precision, in programs that keep no doubles in memory: there it is an accident as a
// rule, such as the literal 0.5. The translator lists them (translator/doubles.py), so that they cost nothing.
#pragma once

#include <set>

#include "abi.h"

namespace warpcourt::cpu {

class Doubles {
 public:
  void start_call() { launched_.clear(); }
  void start_launch(const Kernel& kernel) { launched_.insert(&kernel); }
  // Reports the lines of the kernels that were launched.
  void report_lines() const;

 private:
  std::set<const Kernel*> launched_;
};

Doubles& doubles();

}  // namespace warpcourt::cpu
