// Counts what each instruction of a kernel asks of memory, as a GPU would serve it.
//
// Theory of operation. A GPU serves a load or store for all lanes of a warp at a time: a request. Global memory moves
// whole sectors of 32 bytes. Shared memory has 32 banks of four bytes and serves as many wavefronts as the busiest bank
// has different words; accesses of 8 and 16 bytes take two and four turns, each for a part of the warp. An atomic
// operation serves lanes that update one address one after the other. Accesses to local arrays and parameters are not
// counted. See counters.h for how lanes make requests.
#pragma once

#include <string>
#include <unordered_map>

#include "counters.h"
#include "requests.h"
#include "sums.h"

namespace warpcourt::cpu {

// The sectors of 32 bytes that `bytes` at each address touch.
u32 sectors_of(const std::vector<u64>& addresses, u32 bytes);
// The fewest sectors that can hold what they ask for: bytes that several lanes ask for count once.
u32 fewest_sectors(const std::vector<u64>& addresses, u32 bytes);
// The wavefronts of a request to shared memory, and the fewest for accesses of this size by these lanes.
u32 wavefronts_of(const std::vector<u64>& offsets, const std::vector<u32>& lanes, u32 bytes);
u32 fewest_wavefronts(const std::vector<u32>& lanes, u32 bytes);
// The lanes at the address that most of them use.
u32 most_at_one_address(const std::vector<u64>& addresses);

class Traffic {
 public:
  void start_call();
  void start_launch() { budget_.start_launch(); }
  void count(const ThreadRecord& thread, bool shared, u64 address, u32 bytes, Access access, u32 site, u32 location);
  // The block has run to its end.
  void end_block(const Block& block);
  // Reports the lines that move much more than they need, or whose lanes meet at one address.
  void report_lines() const;
  // Adds what the call asked for.
  void add_to(Sums& sums) const;
  void add_to(CountsByKernel& kernels) const;

 private:
  struct Totals {
    u64 warps = 0;
    u64 requests = 0;
    u64 lanes = 0;
    u64 units = 0;   // sectors or wavefronts; of atomic operations, lanes at one address
    u64 fewest = 0;
    std::string kernel;
  };

  std::unordered_map<const Block*, Requests> running_;
  std::map<MemoryInstruction, Totals> totals_;
  Budget budget_;
};

Traffic& traffic();

}  // namespace warpcourt::cpu
