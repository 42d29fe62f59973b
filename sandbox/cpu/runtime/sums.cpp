// Adds the counters of a call up. See sums.h.
#include "sums.h"

#include <algorithm>

#include "branches.h"
#include "diagnostics.h"
#include "executed.h"
#include "host_trace.h"
#include "launch.h"
#include "link_time.h"
#include "memory.h"
#include "registry.h"
#include "relays.h"
#include "traffic.h"

namespace warpcourt::cpu {

void Sum::add(u32 location, u64 requests, u64 units, u64 fewest) {
  requests_ += requests;
  units_ += units;
  fewest_ += fewest;
  Line& line = lines_[location];
  line.requests += requests;
  line.units += units;
  line.fewest += fewest;
}

u32 Sum::worst_line() const {
  const auto worst = std::max_element(lines_.begin(), lines_.end(), [](const auto& one, const auto& other) {
    const u64 waste = one.second.units - one.second.fewest, more = other.second.units - other.second.fewest;
    return waste != more ? waste < more : one.second.units < other.second.units;
  });
  return worst == lines_.end() ? 0 : line_number(worst->first);
}

u32 Sum::busiest_line() const {
  const auto busiest = std::max_element(lines_.begin(), lines_.end(), [](const auto& one, const auto& other) {
    return one.second.requests < other.second.requests;
  });
  return busiest == lines_.end() ? 0 : line_number(busiest->first);
}

std::string Sum::requests() const {
  const u32 line = busiest_line();
  return requests_ ? std::to_string(requests_) + (line ? '@' + std::to_string(line) : "") : "";
}

std::string Sum::text() const {
  const u32 worst = worst_line(), busiest = busiest_line();
  return std::to_string(requests_) + '/' + std::to_string(units_) + '/' + std::to_string(fewest_) +
         (worst ? '@' + std::to_string(worst) : "") +
         (worst && busiest && busiest != worst ? '/' + std::to_string(busiest) : "");
}

void Tally::start_call() {
  launches_ = blocks_ = barriers_ = 0;
  children_.clear();
  shapes_.clear();
  more_shapes_ = false;
}

void Tally::start_launch(const Launch& launch) {
  ++launches_;
  const KernelResources& has = launch.kernel->resources;
  const auto number = [&](u32 value) { return (has.known ? std::to_string(value) : "?") + '/'; };
  const u32 line = line_number(launch.kernel->location);
  const std::string shape = number(has.registers) + number(has.spilled_bytes) + number(has.local_bytes) +
                            std::to_string(launch.static_shared_bytes + launch.dynamic_shared_bytes) + '/' +
                            std::to_string(launch.threads) + (line ? '@' + std::to_string(line) : "");
  if (std::find(shapes_.begin(), shapes_.end(), shape) != shapes_.end()) return;
  if (shapes_.size() < kMaxShapes) {
    shapes_.push_back(shape);
  } else {
    more_shapes_ = true;
  }
}

std::string Tally::shapes() const {
  std::string out;
  for (const std::string& shape : shapes_) out += " shape=" + shape;
  return out + (more_shapes_ ? " shape=more" : "");
}

std::string Tally::text() const {
  std::string out = "launches=" + std::to_string(launches_) + " blocks=" + std::to_string(blocks_) +
                    " barriers=" + std::to_string(barriers_);
  if (children_.empty()) return out;
  u64 total = 0;
  for (const auto& [site, launches] : children_) total += launches;
  const auto most = std::max_element(children_.begin(), children_.end(),
                                     [](const auto& one, const auto& other) { return one.second < other.second; });
  const u32 line = line_number(std::get<2>(most->first));
  return out + " device_launches=" + std::to_string(total) + (line ? '@' + std::to_string(line) : "");
}

void Tally::report_children() const {
  for (const auto& [site, launches] : children_) {
    const auto& [parent, child, location] = site;
    report({Severity::kNote, "device_launches",
            "kernel " + parent + " launched " + count(launches, "grid") + " of kernel " + child,
            {parent, nullptr, nullptr, location}});
  }
}

Tally& tally() {
  static auto* instance = new Tally;
  return *instance;
}

void report_sums() {
  Sums all;
  traffic().add_to(all);
  branches().add_to(all);
  const auto group = [](const char* name, const Sum& sum) { return sum.empty() ? "" : name + sum.text(); };
  const auto number = [](const char* name, u64 value) { return value ? name + std::to_string(value) : ""; };
  const auto requests = [](const char* name, const Sum& sum) { return sum.empty() ? "" : name + sum.requests(); };
  report_always("sums", tally().text() + " global_load=" + all.global_load.text() +
                            " global_store=" + all.global_store.text() + " shared=" + all.shared.text() +
                            " atomic=" + all.atomic.text() + " branch=" + all.branch.text() +
                            group(" texture=", all.texture) + group(" async_load=", all.async_load) +
                            group(" global_atomic=", all.global_atomic) + group(" copied=", all.copied) +
                            " complete=" + (all.complete ? "1" : "0") + tally().shapes() + requests(" global_vector_requests=", all.vector) +
                            requests(" peer_bytes=", all.peer) + group(" host=", all.host) + executed().text() +
                            host_trace().text(live_memory().allocations, memory_peak() + variable_bytes()) +
                            number(" relayed_bytes=", relays().bytes()) +
                            number(" pipeline_span=", link_time().end()) +
                            number(" largest_copy_bytes=", link_time().largest_copy()) +
                            number(" kernel_requests=", all.kernel_requests) +
                            number(" busiest_block=", all.busiest_block) +
                            number(" busiest_launch=", all.busiest_launch));
}

}  // namespace warpcourt::cpu
