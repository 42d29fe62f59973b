// Adds the counters of a call up. See sums.h.
#include "sums.h"

#include <algorithm>

#include "branches.h"
#include "diagnostics.h"
#include "traffic.h"

namespace warpcourt::cpu {

void Sum::add(u32 location, u64 requests, u64 units, u64 fewest) {
  requests_ += requests;
  units_ += units;
  fewest_ += fewest;
  Line& line = lines_[location];
  line.units += units;
  line.fewest += fewest;
}

std::string Sum::text() const {
  const auto worst = std::max_element(lines_.begin(), lines_.end(), [](const auto& one, const auto& other) {
    const u64 waste = one.second.units - one.second.fewest, more = other.second.units - other.second.fewest;
    return waste != more ? waste < more : one.second.units < other.second.units;
  });
  const u32 line = worst == lines_.end() ? 0 : line_number(worst->first);
  return std::to_string(requests_) + '/' + std::to_string(units_) + '/' + std::to_string(fewest_) +
         (line ? '@' + std::to_string(line) : "");
}

std::string Tally::text() const {
  return "launches=" + std::to_string(launches_) + " blocks=" + std::to_string(blocks_) +
         " barriers=" + std::to_string(barriers_);
}

Tally& tally() {
  static auto* instance = new Tally;
  return *instance;
}

void report_sums() {
  Sums all;
  traffic().add_to(all);
  branches().add_to(all);
  report_always("sums", tally().text() + " global_load=" + all.global_load.text() +
                            " global_store=" + all.global_store.text() + " shared=" + all.shared.text() +
                            " atomic=" + all.atomic.text() + " branch=" + all.branch.text() +
                            " complete=" + (all.complete ? "1" : "0"));
}

}  // namespace warpcourt::cpu
