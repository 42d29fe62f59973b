// cp.async: copies to shared memory that are not there before the thread that started them has waited.
//
// Theory of operation. A copy reads its source at once, and keeps what it read in the record of its thread. Its target
// is filled with poison. Groups are counted: a wait names how many of the latest ones may still be under way, and
// writes all before them. So a read that comes before the wait gets poison, on every host, in each case. Race mode also
// names both lines, and takes the wait for the write: other threads need a barrier after it.
//
// An mbarrier that a thread makes track its copies (cp.async.mbarrier.arrive) counts as a wait for them.
#pragma once

#include <vector>

#include "abi.h"

namespace warpcourt::cpu {

struct AsyncCopy {
  static constexpr u32 kWidest = 16;
  u32 offset;    // of the target in shared memory
  u32 bytes;
  u32 group;     // of the thread
  u32 location;
  u8 data[kWidest];
};

struct AsyncCopies {
  std::vector<AsyncCopy> under_way;  // in the order of their start
  u32 group = 0;                     // that the next copy belongs to

  void forget() {
    under_way.clear();
    group = 0;
  }
};

}  // namespace warpcourt::cpu
