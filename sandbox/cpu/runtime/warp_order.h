// Race mode: which accesses of one lane happen before those of another lane of its warp.
//
// __syncwarp orders the memory accesses of the lanes in its mask, and of no others. Shuffles, votes and matrix
// operations let lanes meet, but order nothing (CUDA C++ Programming Guide, "Warp Vote Functions" to "Warp Shuffle
// Functions": they do not imply a memory barrier).
#pragma once

#include <algorithm>
#include <bit>

#include "abi.h"

namespace warpcourt::cpu {

class WarpOrder {
 public:
  void reset() {
    std::fill_n(clocks_, kLanes, 1u);
    std::fill_n(&seen_[0][0], kLanes * kLanes, 0u);
  }
  // What an access of the lane is marked with.
  u32 clock(u32 lane) const { return clocks_[lane]; }
  // Whether an access of `other` with that mark comes before what `lane` does now.
  bool covers(u32 lane, u32 other, u32 clock) const { return clock <= seen_[lane][other]; }
  // Up to which mark of `other` accesses come before what `lane` does now.
  u32 seen(u32 lane, u32 other) const { return seen_[lane][other]; }
  // Later accesses of the lane get another mark.
  void tick(u32 lane) { ++clocks_[lane]; }
  // The lanes of a mask meet at __syncwarp.
  void meet(u32 lanes) {
    u32 known[kLanes] = {};
    for (u32 rest = lanes; rest; rest &= rest - 1) {
      const u32 lane = static_cast<u32>(std::countr_zero(rest));
      for (u32 other = 0; other < kLanes; ++other) known[other] = std::max(known[other], seen_[lane][other]);
    }
    for (u32 rest = lanes; rest; rest &= rest - 1) {
      const u32 lane = static_cast<u32>(std::countr_zero(rest));
      known[lane] = clocks_[lane]++;
    }
    for (u32 rest = lanes; rest; rest &= rest - 1) {
      std::copy_n(known, kLanes, seen_[std::countr_zero(rest)]);
    }
  }

 private:
  static constexpr u32 kLanes = 32;
  u32 clocks_[kLanes];
  u32 seen_[kLanes][kLanes];  // by the lane that knows, and the one that it knows of
};

}  // namespace warpcourt::cpu
