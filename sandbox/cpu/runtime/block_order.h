// In which order the blocks of a launch start. CUDA promises none, so every order has to give the right result.
#pragma once

#include <algorithm>
#include <numeric>

#include "abi.h"

namespace warpcourt::cpu {

enum class BlockOrder : u8 { kAscending, kDescending, kDescendingInWindows, kShuffledInWindows };

// The block that starts as number `ticket`.
//
// Programs that look back count on blocks that started before theirs. In an order by windows, all blocks of a window
// fit on one OS thread together, and windows start one after the other: a block then waits at most for blocks
// that are there, or get there without it.
inline u64 block_at(BlockOrder order, u64 ticket, u64 blocks, u64 window) {
  if (order == BlockOrder::kAscending) return ticket;
  if (order == BlockOrder::kDescending) return blocks - 1 - ticket;
  const u64 first = ticket / window * window, place = ticket - first;
  const u64 size = std::min(window, blocks - first);
  if (order == BlockOrder::kDescendingInWindows) return first + size - 1 - place;
  u64 stride = size * 5 / 8 + 1;
  while (std::gcd(stride, size) != 1) ++stride;
  return first + (place * stride + size / 2) % size;
}

}  // namespace warpcourt::cpu
