// Names kernels whose registers do not suffice, so that ptxas keeps some of them in local memory.
#pragma once

#include <map>

#include "abi.h"

namespace warpcourt::cpu {

struct Launch;

class Spills {
 public:
  void start_call() { threads_.clear(); }
  void start_launch(const Launch& launch);
  // Reports the kernels that were launched.
  void report_kernels() const;

 private:
  std::map<const Kernel*, u64> threads_;  // that were launched
};

Spills& spills();

}  // namespace warpcourt::cpu
