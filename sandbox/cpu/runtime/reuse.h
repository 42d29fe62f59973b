// Counts how often a block loads the same bytes from global memory.
//
// Within a request, bytes that several lanes ask for count once, because a GPU broadcasts them. Requests for a single
// element are left to the cache: a scalar or a coefficient that all lanes share. Bytes that the block also writes do not
// count either, because they may have changed. The rest is compared with the bytes that the block touches at all: a ratio
// of eight says that each byte was loaded eight times, where shared memory or registers would have kept it.
#pragma once

#include <map>
#include <string>

#include "counters.h"
#include "requests.h"

namespace warpcourt::cpu {

class Reuse {
 public:
  void start_call();
  void end_block(const Block& block, const Requests& requests);
  void report_lines() const;

 private:
  struct Bytes {
    u64 loaded = 0;
    u64 touched = 0;
  };
  struct Totals {
    Bytes bytes;
    u64 requests = 0;
    std::string kernel;
  };

  std::map<u32, Totals> lines_;           // by location
  std::map<std::string, Bytes> kernels_;  // by name
};

Reuse& reuse();

}  // namespace warpcourt::cpu
