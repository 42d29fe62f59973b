// Finds copies between the device and pageable memory of the host that cost what pinned memory would save.
//
// The device cannot read pageable memory, so the driver copies it through a pinned buffer of its own. Two kinds of copies
// are reported. An asynchronous copy makes the host wait, so it overlaps with nothing. A synchronous one is slow if the
// memory is the program's own, which could be pinned: copies from arguments of solve are made once as a rule.
//
// In a graph, a copy to pageable memory makes cudaGraphLaunch wait until the copy has ended, and one from it is read
// before cudaGraphLaunch returns (seen on an H200 with CUDA 13.0, up to 64 MiB). Each execution counts.
#pragma once

#include <map>
#include <string>
#include <tuple>

#include "abi.h"

namespace warpcourt::cpu {

class PageableCopies {
 public:
  void start_call() { copies_.clear(); }
  enum class How { kSynchronous, kAsynchronous, kInGraph };

  // A copy between the device and pageable memory. `own` says that the memory is no argument of solve.
  void count(const char* call, bool to_device, How how, bool own, u64 bytes);
  void report_calls() const;

 private:
  struct Copies {
    u64 copies = 0;
    u64 bytes = 0;
    How how = How::kSynchronous;
  };
  std::map<std::tuple<std::string, bool, bool>, Copies> copies_;  // by call, direction and whether in a graph
};

PageableCopies& pageable_copies();

}  // namespace warpcourt::cpu
