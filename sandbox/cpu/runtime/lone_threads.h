// Which threads of a block synchronise with other blocks. So a race of its other threads names the missing barrier.
//
// Programs let one thread of a block acquire a lock or poll a flag, and fence. Barriers before and after that order
// the accesses of the whole block. If one is missing, a thread races that has not synchronised itself, and a further fence would not help.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "abi.h"
#include "shadow_cells.h"

namespace warpcourt::cpu {

struct ThreadRecord;

class LoneThreads {
 public:
  // The barrier that is missing at an access.
  struct Missing {
    u16 thread;         // the one that synchronises in its place
    u32 after = 0;      // location of the operation that waits for other blocks; 0 if a barrier follows it
    u32 before = 0;     // of the operation that lets other blocks continue; 0 if a barrier precedes it
    bool same_warp;     // a barrier of the warp is enough
  };

  void start_launch() { blocks_.clear(); }
  // A polled or atomic access to global memory, for other blocks too.
  void synchronise(const ThreadRecord& thread, u64 address, const Touch& touch);
  void fence(const ThreadRecord& thread);
  // `waits` says that the access comes after one of another block, rather than before it.
  std::optional<Missing> barrier_missing(const Touch& access, bool waits) const;

 private:
  // The operations of a thread on a word.
  struct Use {
    u64 address;
    u16 thread;
    Touch taken;   // the last that read, or null
    Touch given;   // the last that wrote, or null
    bool polls;    // the thread has waited there
  };
  struct OfBlock {
    std::vector<Use> uses;
    std::vector<u16> fenced;  // threads
    bool crowded = false;     // there are too many to follow
  };
  static constexpr std::size_t kMostUses = 64;

  std::unordered_map<u32, OfBlock> blocks_;  // by number in the family
};

}  // namespace warpcourt::cpu
