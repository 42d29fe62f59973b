// Counts how often warps execute the kinds of instructions that a problem's requirements name.
//
// Theory of operation. The translator lists the instructions that it was asked to count (translator/families.py), and
// each thread counts its executions of each. When its block has ended, the executions by a warp are the most of any of
// its lanes: the n-th execution by each lane is one execution by the warp, as in counters.h. A program that was
// translated for a problem without such requirements counts nothing and costs nothing.
#pragma once

#include <map>
#include <string>

#include "abi.h"

namespace warpcourt::cpu {

struct Block;

class Executed {
 public:
  void start_call() { totals_.clear(); }
  // Gives the threads of a block their counters.
  void start_block(Block& block) const;
  void end_block(const Block& block);
  // "tensor_instructions=64@12": the sum of each kind, and the line that executes most of it.
  std::string text() const;

 private:
  std::map<std::string, std::map<u32, u64>> totals_;  // by kind and location
};

Executed& executed();

}  // namespace warpcourt::cpu
