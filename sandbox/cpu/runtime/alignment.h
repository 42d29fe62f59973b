// Finds warps that access neighbouring elements of global memory from a place that does not start a sector.
//
// Theory of operation. Such a request moves one sector more than its bytes fill. The lanes are contiguous, so the accesses
// coalesce; only their start is wrong. An instruction is reported if a program can avoid that:
//
//   - Nearly all of its contiguous requests start at the same offset in a sector, the first of them at the begin of an
//     argument; or the program allocated the memory. The parts and rows of an argument start where its layout puts them.
//   - No other request of a block accesses the same sectors from another offset, as the loads of a stencil and of a
//     gather do.
#pragma once

#include <map>
#include <string>

#include "requests.h"

namespace warpcourt::cpu {

class Alignment {
 public:
  void start_call() { totals_.clear(); }
  void end_block(const Block& block, const Requests& requests);
  void report_lines() const;

 private:
  struct Totals {
    std::string kernel;
    u64 requests = 0;
    u64 contiguous = 0;  // requests
    u64 misaligned = 0;  // of the contiguous ones
    u64 sectors = 0;     // of the misaligned ones
    u64 fewest = 0;
    u64 shared = 0;      // misaligned requests whose first or last sector others access from another offset
    bool at_begin = false;  // whether a misaligned request starts in the first bytes of its array
    u64 own = 0;         // misaligned requests to memory that the program allocated
    std::map<u32, u64> offsets;  // of misaligned requests in their first sector
  };
  std::map<MemoryInstruction, Totals> totals_;
};

Alignment& alignment();

}  // namespace warpcourt::cpu
