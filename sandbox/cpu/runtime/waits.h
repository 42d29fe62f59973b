// What threads wait for: the message about a block that is deadlocked, and about a launch in which all threads wait.
//
// Theory of operation. Whether a polling thread waits forever is unknown: another thread may change what it polls. So the
// deadline decides. It asks the workers. Each of them answers between two blocks, when the state of its own blocks no
// longer changes. If every thread of these blocks is at a barrier, waits for lanes of its warp, or has polled in vain
// for a while, none can continue.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "abi.h"

namespace warpcourt::cpu {

struct Block;
struct Launch;
struct ThreadRecord;
struct Worker;

// "__syncthreads()", or what the program calls instead.
std::string barrier_name(BarrierOp op);

class Waits {
 public:
  // `names_blocks` says that the first thread of a group is named with its block.
  explicit Waits(bool names_blocks) : names_blocks_(names_blocks) {}
  // Adds the threads of a block. False if one of them may continue.
  bool add(const Block& block);
  u64 blocks() const { return blocks_; }
  // "3 threads (first (0,0,0)) waiting at __syncthreads(), line 7; " and so on for each group.
  std::string text() const;
  // What to do about it if threads poll.
  std::string advice(const Launch& launch) const;

 private:
  struct Group {
    u64 size = 0;
    std::string first;
  };
  std::map<std::string, Group> groups_;  // by what they do
  std::string meets_pollers_;            // a thread that waits for lanes of its warp which poll
  bool names_blocks_;
  u64 blocks_ = 0;
  bool at_grid_barrier_ = false;  // a thread waits at grid.sync()
};

// Of a worker that is between two blocks: answers if the deadline asks.
void answer_what_waits(const Worker& worker, const std::vector<std::unique_ptr<Block>>& resident);
// All threads of all workers that have blocks, or nothing if one of them may continue. Takes up to a third of a second.
std::optional<Waits> ask_what_waits();

}  // namespace warpcourt::cpu
