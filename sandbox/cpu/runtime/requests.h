// The requests of a block to memory, as a counting run (counters.h) keeps them until the block has ended.
//
// A request is the n-th execution of an instruction by the lanes of a warp.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "abi.h"
#include "block.h"

namespace warpcourt::cpu {

enum class Space : u8 { kGlobal, kShared, kTexture };

struct MemoryInstruction {
  u32 site;  // 0 for shared memory and textures, which have none
  u32 location;
  u32 bytes;
  Access access;
  Space space;
  bool on_host = false;  // pinned or registered host memory
  bool on_peer = false;  // memory of another device

  bool shared() const { return space == Space::kShared; }
  auto operator<=>(const MemoryInstruction&) const = default;
};

// What each lane of a warp brought to each execution of an instruction.
template <class T>
using OfLanes = std::array<std::vector<T>, kWarpLanes>;

// By instruction and warp: the address of each execution.
using Requests = std::map<std::pair<MemoryInstruction, u32>, OfLanes<u64>>;

// A fetch from a texture by one lane: where its texels are in the list of the block.
struct Fetch {
  std::size_t first;
  std::size_t end;
};
using Fetches = std::map<std::pair<MemoryInstruction, u32>, OfLanes<Fetch>>;

// Calls `visit(values, lanes)` for each execution, with the lanes that take part.
template <class T, class Visit>
void for_executions(const OfLanes<T>& of_lanes, Visit visit) {
  std::vector<T> values;
  std::vector<u32> lanes;
  std::size_t most = 0;
  for (const std::vector<T>& lane : of_lanes) most = std::max(most, lane.size());
  for (std::size_t n = 0; n < most; ++n) {
    values.clear();
    lanes.clear();
    for (u32 lane = 0; lane < kWarpLanes; ++lane) {
      if (n >= of_lanes[lane].size()) continue;
      values.push_back(of_lanes[lane][n]);
      lanes.push_back(lane);
    }
    visit(values, lanes);
  }
}

}  // namespace warpcourt::cpu
