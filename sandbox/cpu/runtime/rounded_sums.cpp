// Adds the terms of sums in double precision. See rounded_sums.h.
#include "rounded_sums.h"

#include <cmath>
#include <cstdio>

#include "block.h"
#include "diagnostics.h"
#include "launch.h"

namespace warpcourt::cpu {
namespace {

constexpr std::size_t kMostChains = 256;  // of a thread and line; a register tile has fewer sums
constexpr u64 kLeastAdditions = 4;

struct Format {
  const char* name;
  double epsilon;  // half of the distance of 1 and the next number
};

const Format& properties(SumFormat format) {
  static constexpr Format kFormats[] = {{"float32", 0x1p-24}, {"float16", 0x1p-11}, {"bfloat16", 0x1p-8}};
  return kFormats[static_cast<u8>(format)];
}

std::string number(const char* form, double value) {
  char text[32];
  std::snprintf(text, sizeof text, form, value);
  return text;
}

}  // namespace

RoundedSums& rounded_sums() {
  static auto* instance = new RoundedSums;
  return *instance;
}

void RoundedSums::start_call() {
  running_.clear();
  lines_.clear();
  budget_.start_call(false);
}

void RoundedSums::count(const ThreadRecord& thread, const Addition& addition, u32 location) {
  if (!budget_.take() || !std::isfinite(addition.after)) return;
  Line& line = lines_[location];
  if (line.kernel.empty()) line.kernel = thread.block->launch->name;
  line.format = addition.format;
  Chains& chains = running_[thread.block][{location, thread.index}];
  Chain* chain = find(chains, addition.before, addition.format);
  if (chain == nullptr) {
    if (chains.open.size() < kMostChains) {
      chains.open.emplace_back();
      chain = &chains.open.back();
    } else {
      chain = &chains.open[chains.next++ % kMostChains];
      finish(*chain, line);
    }
    *chain = {0, addition.before, std::fabs(addition.before), 0};
  }
  chain->last = addition.after;
  chain->exact += addition.term;
  chain->magnitude += std::fabs(addition.term);
  ++chain->additions;
}

RoundedSums::Chain* RoundedSums::find(Chains& chains, double before, SumFormat format) {
  // A new sum starts with 0.
  if (before == 0) return nullptr;
  // A sum that is kept in half precision was rounded since the last addition.
  const double near = format == SumFormat::kFloat32 ? 0 : properties(format).epsilon * std::fabs(before);
  const std::size_t size = chains.open.size();
  for (const double most : {0.0, near}) {
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t place = (chains.next + i) % size;
      if (std::fabs(chains.open[place].last - before) > most) continue;
      chains.next = place + 1;
      return &chains.open[place];
    }
    if (near == 0) break;
  }
  return nullptr;
}

void RoundedSums::end_block(const Block& block) {
  const auto found = running_.find(&block);
  if (found == running_.end()) return;
  for (const auto& [key, chains] : found->second) {
    for (const Chain& chain : chains.open) finish(chain, lines_[key.first]);
  }
  running_.erase(found);
}

void RoundedSums::finish(const Chain& chain, Line& line) {
  if (chain.additions < kLeastAdditions) return;
  ++line.sums;
  line.squares += chain.exact * chain.exact;
  const double error = std::fabs(chain.last - chain.exact);
  if (error <= line.error) return;
  line.error = error;
  line.worst = chain;
}

void RoundedSums::report_lines() const {
  for (const auto& [location, line] : lines_) {
    const double typical = line.sums ? std::sqrt(line.squares / static_cast<double>(line.sums)) : 0;
    if (line.error == 0 || typical == 0) continue;
    const Format& format = properties(line.format);
    const Chain& worst = line.worst;
    const double bound = static_cast<double>(worst.additions) * format.epsilon * worst.magnitude;
    note_line("rounded_sum", line.kernel, location,
              "In kernel " + line.kernel + ", this line adds up " + cpu::count(worst.additions, "term") + " in " +
                  format.name + ", one after the other, to " + number("%.9g", worst.last) +
                  ". In double precision, the same terms give " + number("%.9g", worst.exact) +
                  ". The largest error is " + number("%.1e", line.error / typical) + " of a typical sum. It can be up to " +
                  number("%.1e", bound / typical) + ": n * eps * sum of |x|.");
  }
}

extern "C" void wc_accumulated(Thread* caller, const Addition& addition, u32 location) {
  rounded_sums().count(record(caller), addition, location);
}

}  // namespace warpcourt::cpu
