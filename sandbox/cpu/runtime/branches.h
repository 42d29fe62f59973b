// Counts where the lanes of a warp take different sides of a branch.
//
// The translator names the branches that are counted (translator/branches.py). Lanes of a split warp execute one side
// after the other.
//
// A bounds check splits a warp once in each row of a block, or twice if it checks both ends. If the sides alternate more
// often, the condition interleaves them, as `threadIdx.x % 2` does. Only such branches are reported, and none of those
// that are counted for a requirement alone.
#pragma once

#include <map>
#include <string>
#include <unordered_map>

#include "counters.h"
#include "requests.h"
#include "sums.h"

namespace warpcourt::cpu {

class Branches {
 public:
  void start_call();
  void start_launch() { budget_.start_launch(); }
  void count(const ThreadRecord& thread, bool taken, const BranchSite& site);
  void end_block(const Block& block);
  void report_lines() const;
  // Adds what the call executed.
  void add_to(Sums& sums) const;
  void add_to(CountsByKernel& kernels) const;

 private:
  struct Totals {
    u64 executions = 0;  // by warps
    u64 lanes = 0;
    u64 divergent = 0;
    u64 alternating = 0;  // divergent ones in which the sides alternate
    u64 fewer_lanes = 0;  // those on the side of the fewer, over all divergent executions
    u64 split_lanes = 0;  // all lanes of these executions
    std::string kernel;
  };
  struct Key {
    BranchSite site;
    u32 warp;
    auto operator<=>(const Key&) const = default;
  };

  std::unordered_map<const Block*, std::map<Key, OfLanes<u8>>> running_;
  // By location, since a compiler may make several branches of one, and whether notes may be made of it.
  std::map<std::pair<u32, bool>, Totals> totals_;
  Budget budget_;
};

Branches& branches();

}  // namespace warpcourt::cpu
