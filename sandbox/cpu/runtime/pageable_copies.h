// Finds copies between the device and pageable memory of the host that cost what pinned memory would save.
//
// The device cannot read pageable memory, so the driver copies it through a pinned buffer of its own. Two kinds of copies
// are reported. An asynchronous copy makes the host wait, so it overlaps with nothing. A synchronous one is slow if the
// memory is the program's own, which could be pinned: copies from arguments of solve are made once as a rule.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "abi.h"

namespace warpcourt::cpu {

class PageableCopies {
 public:
  void start_call() { copies_.clear(); }
  // A copy between the device and pageable memory. `own` says that the memory is no argument of solve.
  void count(const char* call, bool to_device, bool synchronous, bool own, u64 bytes);
  void report_calls() const;

 private:
  struct Copies {
    u64 copies = 0;
    u64 bytes = 0;
    bool synchronous = false;
  };
  std::map<std::pair<std::string, bool>, Copies> copies_;  // by call and direction
};

PageableCopies& pageable_copies();

}  // namespace warpcourt::cpu
