// Finds operations of streams that nothing orders and that use the same memory.
//
// Theory of operation. Each operation that has ended is kept with its footprint until the host has waited for it:
// whatever is submitted later comes after it. A new one is compared with those that are kept. Two that are unordered
// (stream_order.h) and clash (footprint.h) are a hazard, whichever of them ran first. So is a host access to memory
// that an operation uses which the host has not waited for.
//
// A finding is a warning. The earlier one of the two becomes a suspect: the other orders of small cases postpone it
// (operations.h), so that a hazard which can change an output changes it there.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "footprint.h"
#include "host_guards.h"
#include "stream_order.h"

namespace warpcourt::cpu {

struct Done {
  Stamp stamp;
  int device;
  std::string name;           // "kernel add", "cudaMemcpyAsync"
  std::string kernel;         // its bare name, or empty
  const char* verb;           // instead of one for its use of the memory; null: none
  Footprint touched;
  GuardedPages pages = {};    // of it, see host_guards.h
  bool told = false;          // about an access of the host
};

class Hazards {
 public:
  void start_call();
  void add(Done done);
  // Host code touched memory while nothing but operations that it has not waited for are kept.
  void host_touched(u64 address, bool write);
  // The host has waited for these.
  void forget(const Clock& host);
  // What the host must not touch.
  GuardedPages guarded() const;

  // Operations, by their ordinals in the call, that came first in a hazard.
  const std::set<u32>& suspects() const { return suspects_; }
  void clear_suspects() { suspects_.clear(); }

 private:
  static constexpr std::size_t kMaxKept = 512;
  static constexpr std::size_t kMaxRuns = 1u << 20;

  void compare(const Done& before, const Done& after);

  std::vector<Done> kept_;
  std::size_t runs_ = 0;
  std::set<u32> suspects_;
};

}  // namespace warpcourt::cpu
