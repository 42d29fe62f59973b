// Grids that device code launches, and the order between them and the grids that launch them.
//
// Theory of operation. A kernel that the host launches is the root of a family: its children, their children, and so on.
// A grid is complete when its blocks have ended, then its children, then the grids that it launched into
// cudaStreamTailLaunch, one after the other. Nothing waits on the device, so this order is always permitted: run the
// blocks of a grid, then each of its children with all that it launches, then its tail launches.
//
//   ascending    children run in the order of their launches, after the blocks of their parent. A parent that reads what
//                a child writes reads too early
//   descending   a child runs to completion at its launch. A child whose input is written after the launch reads it
//                too early
//   interleaved  children run after the blocks of their parent, the last first, as far as their streams permit
//
// Large cases run in the ascending order. A launch takes a slot, of which there are kPendingLaunches unless the host
// changes the limit, until its grid starts. In the descending order it starts at once, but the ascending order comes
// first, so a program that launches too much fails in any case.
//
// In race mode a family is one launch for races.h: blocks are numbered through all of its grids, and `ordered` says which
// of two grids comes first. A child comes after what its launching thread did before the launch, and after what was ordered
// before that: by a barrier, by __syncwarp, or by a release that the block had acquired. Nothing of a parent comes after what a
// child does, but its tail launches do. Two children of a grid are ordered if they share a stream of one block, or by events.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "abi.h"
#include "launch.h"
#include "shadow_cells.h"

namespace warpcourt::cpu {

struct ThreadRecord;

// CUDA's limit for child grids. An H100 with CUDA 13.0 nests deeper, until the launches that it keeps run out.
constexpr u32 kMaxDepth = 24;
constexpr u32 kPendingLaunches = 2048;
constexpr u32 kMaxPendingLaunches = 1u << 16;

// Where a grid was launched, as far as the order of accesses depends on it.
struct LaunchPoint {
  Touch touch;        // by the launching thread
  u64 acquired = 0;   // by its block, on the clock of releases
  u32 seen[32] = {};  // by its lane, of each lane of its warp
};

struct Grid {
  Launch launch;
  Grid* parent = nullptr;
  u32 generation = 0;  // ancestors
  u32 depth = 0;       // of nesting: a tail launch is as deep as the grid that it follows
  LaunchPoint point;
  bool tail = false;
  u64 stream = 0;    // 0: none, so that nothing orders it among the children of its parent
  u32 number = 0;    // among those children
  bool complete = false;
  std::vector<const Grid*> after;  // race mode: earlier children of its parent that it waits for
  u32 launched = 0;                // children so far
  std::deque<std::unique_ptr<Grid>> children, tails;  // that have not run
};

// One at a time: it runs from a launch by the host until all that was launched is complete. Several OS threads may
// launch children.
class Family {
 public:
  void run(const Kernel& kernel, const LaunchShape& shape, std::vector<u64> parameters);

  // Takes a slot for a launch. If there is none, returns the error, and `why` says the rest.
  cudaError_t reserve(const Kernel& kernel, std::string& why);
  void release();
  // Launches with a slot that was reserved. If that fails, does the same, and the slot is free again.
  cudaError_t launch(ThreadRecord& thread, const Kernel& kernel, const LaunchShape& shape, std::vector<u64> parameters,
                     u64 stream, u32 location, std::string& why);
  // Descending order: runs a grid that `launch` gave to the worker of its thread.
  void run_launched(std::unique_ptr<Grid> grid);

  u64 create_stream();
  u64 create_event();
  // False if there is no such handle.
  bool destroy_stream(u64 stream);
  bool destroy_event(u64 event);
  bool record(const ThreadRecord& thread, u64 event, u64 stream);
  bool wait(const ThreadRecord& thread, u64 stream, u64 event);

  // Race mode: the grid of a block, by its number in the family.
  const Grid& grid_of(u32 block) const;
  // Race mode: whether an access comes before all that a block of another grid does, by launches and streams.
  bool ordered(const Touch& before, u32 now) const;

  // cudaLimitDevRuntimePendingLaunchCount
  void set_limit(u64 pending) { limit_ = static_cast<u32>(std::clamp<u64>(pending, 1, kMaxPendingLaunches)); }
  u32 limit() const { return limit_; }

 private:
  // What comes next in a stream, or after an event, waits for these.
  using Frontier = std::vector<const Grid*>;
  struct StreamKey {
    const Grid* grid = nullptr;  // of the block whose default stream it is
    u32 block = 0;
    u64 handle = 0;
    auto operator<=>(const StreamKey&) const = default;
  };
  struct Stream {
    u64 number;
    Frontier last;
  };

  std::unique_ptr<Grid> make(const Kernel& kernel, const LaunchShape& shape, std::vector<u64> parameters);
  void run_grid(std::unique_ptr<Grid> grid);
  // Its blocks and its children.
  void run_without_tails(Grid& grid);
  std::unique_ptr<Grid> next_child(Grid& grid);
  // Null if there is no such stream. The lock must be held.
  Stream* stream_of(const ThreadRecord& thread, u64 stream);

  std::mutex mutex_;
  std::map<StreamKey, Stream> streams_;
  std::map<u64, Frontier> events_;
  std::vector<std::unique_ptr<Grid>> numbered_;  // race mode: all that have started, by their first blocks
  u64 handles_ = 0;
  u32 pending_ = 0;
  u32 limit_ = kPendingLaunches;
  u32 blocks_ = 0;  // numbered so far
};

Family& family();

}  // namespace warpcourt::cpu
