// Counts how often warps execute the kinds of instructions that a problem's requirements name.
//
// Theory of operation. The translator lists the instructions that it was asked to count (translator/families.py), and
// each thread counts its executions of each. When its block has ended, the executions by a warp are the most of any of
// its lanes: the n-th execution by each lane is one execution by the warp, as in counters.h. A program that was
// translated for a problem without such requirements counts at most products of narrow types (tensor_cores.h).
#pragma once

#include <map>
#include <string>

#include "abi.h"

namespace warpcourt::cpu {

struct Block;

class Executed {
 public:
  using ByLocation = std::map<u32, u64>;

  void start_call() { totals_.clear(); }
  // Gives the threads of a block their counters.
  void start_block(Block& block) const;
  void end_block(const Block& block);
  // "tensor_instructions=64@12": the sum of each kind, and the line that executes most of it.
  std::string text() const;
  // Executions of one kind.
  ByLocation of(const std::string& kind) const;
  // The kernel that executes an instruction, the last one of several.
  const std::string& kernel_of(u32 location) const { return kernels_.at(location); }

 private:
  std::map<std::string, ByLocation> totals_;  // by kind
  std::map<u32, std::string> kernels_;        // by location
};

Executed& executed();

}  // namespace warpcourt::cpu
