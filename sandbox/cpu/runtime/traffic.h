// Counts what each instruction of a kernel asks of memory, as a GPU would serve it.
//
// Theory of operation. A GPU serves a load or store for all lanes of a warp at a time: a request. Global memory moves
// whole sectors of 32 bytes. Shared memory has 32 banks of four bytes and serves as many wavefronts as the busiest bank
// has different words; accesses of 8 and 16 bytes take two and four turns, each for a part of the warp. An atomic
// operation serves lanes that update one address one after the other. A fetch from a texture is a request, too: it moves the
// sectors of the texels that its lanes need after the address mode and the filter, as if an array held its rows one after
// the other. What the runtime copies or fills within device memory moves sectors as well. Accesses to local arrays and parameters are not
// counted. See counters.h for how lanes make requests.
#pragma once

#include <set>
#include <span>
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
  void count(const ThreadRecord& thread, const MemoryInstruction& by, u64 address);
  void count_fetch(const ThreadRecord& thread, const MemoryInstruction& by, std::span<const u64> texels);
  void count_async_copy(const ThreadRecord& thread);
  // A copy or fill by the runtime touches rows of device memory.
  void count_rows(u64 base, u64 row_bytes, u64 rows, u64 pitch);
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
    u64 sectors = 0;  // of atomic operations on global memory
    std::string kernel;
  };

  struct Running {
    Requests requests;
    Fetches fetches;
    std::vector<u64> texels;  // of the fetches
  };

  // What a block asked of global memory and textures.
  struct Moved {
    u64 requests = 0;
    u64 sectors = 0;
    void add(u64 more) { ++requests, sectors += more; }
  };

  Moved count_requests(const Block& block, const Requests& requests);
  Moved count_fetches(const Block& block, const Running& running);

  std::unordered_map<const Block*, Running> running_;
  std::map<MemoryInstruction, Totals> totals_;
  std::set<u32> async_sites_;  // those of asynchronous copies
  Sum copied_;
  u64 busiest_block_ = 0;            // requests to global memory and textures
  std::map<u64, u64> of_launches_;  // the same, by the number of the launch
  Budget budget_;
};

Traffic& traffic();

}  // namespace warpcourt::cpu
