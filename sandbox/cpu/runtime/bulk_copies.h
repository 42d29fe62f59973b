// Bulk copies (cp.async.bulk) between global and shared memory, in one dimension.
//
// Theory of operation. A copy to shared memory reads its source at once. Its target is filled with poison, and the block
// keeps what was read, with the mbarrier that the copy names. When a thread looks whether a phase of that mbarrier is
// complete, the copies arrive: they are written, and their bytes complete the transactions that the mbarrier expects.
// So what is read without a look at the mbarrier is poison. Race mode takes the look for the write.
//
// A copy to global memory is done at once. The program waits for its bulk group before it writes to the source again,
// which functional mode does not check.
#pragma once

#include <vector>

#include "abi.h"

namespace warpcourt::cpu {

struct BulkCopy {
  u64 barrier;   // host address of the mbarrier
  u32 offset;    // of the target in shared memory
  u32 location;
  std::vector<u8> data;
};

}  // namespace warpcourt::cpu
