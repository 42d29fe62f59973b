// Race mode: who touched each byte of a block's shared memory last, and what separates the accesses.
//
// Two accesses to a byte by different threads, at least one of them a write, need a barrier of the block
// or a meeting of their warp between them. Epochs count barriers; a warp's own epoch counts its meetings.
// Atomic operations do not race with each other. A value that nothing wrote is uninitialised.
#pragma once

#include <vector>

#include "abi.h"

namespace warpcourt::cpu {

struct ShadowAccess {
  u32 epoch = 0;  // of the block, 0: never
  u32 warp_epoch = 0;
  u32 thread = 0;
  u32 location = 0;
};

struct ShadowCell {
  ShadowAccess write;
  ShadowAccess read;          // the last one
  ShadowAccess earlier_read;  // the last one by another thread
  bool atomic_write = false;
};

class SharedShadow {
 public:
  void start_block(u32 shared_bytes);
  // A barrier of the block completed.
  void meet() { ++epoch_; }
  void access(Thread* thread, u32 offset, u32 bytes, Access kind, u32 location);

 private:
  void check(Thread* thread, u32 offset, Access kind, const ShadowAccess& now);

  std::vector<ShadowCell> cells_;  // one for each byte
  u32 epoch_ = 1;
  u32 first_epoch_ = 1;            // of this block: older writes belong to another one
};

}  // namespace warpcourt::cpu
