// Finds waits of the host between kernels that run one after the other anyway.
//
// A wait is needless if the next thing that the program asks for is another kernel, and the host cannot have looked at any
// result in between: results come from copies, or from memory that kernels and host share. Programs with several
// streams are left alone, because a wait may be what orders them.
#pragma once

#include <map>
#include <set>
#include <string>

#include "abi.h"

namespace warpcourt::cpu {

class NeedlessWaits {
 public:
  void start_call();
  // The host waits by `call` for all that it has submitted.
  void wait(const char* call);
  // The program submits a kernel, or something else, to the stream with that number.
  void submit(u64 stream, bool is_kernel);
  void report_calls() const;

 private:
  std::map<std::string, u64> waits_;  // needless ones by call
  std::set<u64> streams_;             // with kernels
  std::string last_;                  // the wait that nothing has followed yet
  bool busy_ = false;                 // a kernel was submitted since the last wait
};

NeedlessWaits& needless_waits();

}  // namespace warpcourt::cpu
