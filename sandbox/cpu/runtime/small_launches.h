// Finds programs whose launches grow in number with the size of a case, and not in size: one for each row, say.
//
// Such a program is bound by launching, which takes microseconds each time. Many small launches in one small case prove
// nothing, because the same number may do much more in a large one. So calls are compared: it is reported if a call
// makes many times the launches of another one, and each of them is still small.
#pragma once

#include <map>
#include <string>

#include "abi.h"

namespace warpcourt::cpu {

struct Launch;

class SmallLaunches {
 public:
  void start_call();
  void count(const Launch& launch);
  // Reports the kernel that is launched most, once for a process.
  void end_call();

 private:
  std::map<std::string, u64> kernels_;  // launches of this call by kernel
  u64 launches_ = 0;
  u64 threads_ = 0;
  u64 fewest_ = 0;  // launches of the call that made the fewest, 0 if none made any
  bool reported_ = false;
};

SmallLaunches& small_launches();

}  // namespace warpcourt::cpu
