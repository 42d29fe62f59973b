// Finds sums whose rounding errors add up.
//
// Theory of operation. The translator lists the additions of the sums that loops accumulate (translator/accumulation.py).
// Counting runs add the same terms in double precision. An addition continues a sum of its thread and line if the sum so
// far is the last result of that sum. When the block has ended, the results are compared: the largest error of a line is
// told in units of the typical sum of the line, which is the root of the mean square of its sums in double precision. Thus a
// sum that happens to be nearly 0 does not count as wrong. The judge keeps the note if this error explains a wrong answer
// (judge/evidence/rounded_sums.py).
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "abi.h"
#include "counters.h"

namespace warpcourt::cpu {

class RoundedSums {
 public:
  void start_call();
  void start_launch() { budget_.start_launch(); }
  void count(const ThreadRecord& thread, const Addition& addition, u32 location);
  void end_block(const Block& block);
  void report_lines() const;

 private:
  // A sum so far: its value, the exact one, that of the absolute values of its terms, and the number of additions.
  struct Chain {
    double last;
    double exact;
    double magnitude;
    u64 additions;
  };
  // Those of a thread and line, of which the addition after `next` probably continues the next one.
  struct Chains {
    std::vector<Chain> open;
    std::size_t next = 0;
  };
  struct Line {
    std::string kernel;
    SumFormat format;
    u64 sums = 0;
    double squares = 0;  // of the exact sums
    Chain worst{};
    double error = 0;  // of the worst
  };

  static Chain* find(Chains& chains, double before, SumFormat format);
  void finish(const Chain& chain, Line& line);

  std::unordered_map<const Block*, std::map<std::pair<u32, u32>, Chains>> running_;  // by location and thread
  std::map<u32, Line> lines_;                                                        // by location
  Budget budget_;
};

RoundedSums& rounded_sums();

}  // namespace warpcourt::cpu
