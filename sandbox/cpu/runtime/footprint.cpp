// Footprints as sorted runs of bytes. See footprint.h.
#include "footprint.h"

#include <algorithm>

namespace warpcourt::cpu {
namespace {

// The first byte that both lists hold.
std::optional<u64> common(const std::vector<Run>& a, const std::vector<Run>& b, std::size_t& in_a, std::size_t& in_b) {
  in_a = in_b = 0;
  while (in_a < a.size() && in_b < b.size()) {
    const u64 begin = std::max(a[in_a].begin, b[in_b].begin);
    if (begin < std::min(a[in_a].end, b[in_b].end)) return begin;
    a[in_a].end < b[in_b].end ? ++in_a : ++in_b;
  }
  return std::nullopt;
}

Use use_of(Access access) {
  switch (access) {
    case Access::kRead:
    case Access::kCachedRead: return Use::kReads;
    case Access::kWrite: return Use::kWrites;
    case Access::kPolledRead:
    case Access::kRelaxedRead:
    case Access::kVolatileRead:
    case Access::kBlockPolledRead: return Use::kPolls;
    default: return Use::kUpdates;
  }
}

constexpr std::pair<Use, Use> kClashes[] = {
    {Use::kWrites, Use::kReads},   {Use::kReads, Use::kWrites},   {Use::kWrites, Use::kWrites},
    {Use::kWrites, Use::kUpdates}, {Use::kUpdates, Use::kWrites}, {Use::kUpdates, Use::kReads},
    {Use::kReads, Use::kUpdates},
};

}  // namespace

void Footprint::add(Use use, const Run& run) {
  std::vector<Run>& runs = runs_[static_cast<u32>(use)];
  if (!runs.empty() && runs.back().end == run.begin && runs.back().location == run.location) {
    runs.back().end = run.end;
  } else if (run.begin < run.end) {
    runs.push_back(run);
  }
}

void Footprint::close() {
  for (std::vector<Run>& runs : runs_) {
    std::ranges::stable_sort(runs, {}, &Run::begin);
    std::vector<Run> apart;
    for (Run run : runs) {
      if (!apart.empty()) run.begin = std::max(run.begin, apart.back().end);
      if (run.begin < run.end) apart.push_back(run);
    }
    runs = std::move(apart);
  }
}

std::size_t Footprint::size() const {
  std::size_t size = 0;
  for (const std::vector<Run>& runs : runs_) size += runs.size();
  return size;
}

bool Footprint::has(Use use, u64 address) const {
  const std::vector<Run>& runs = this->runs(use);
  const auto after = std::ranges::upper_bound(runs, address, {}, &Run::begin);
  return after != runs.begin() && address < std::prev(after)->end;
}

std::optional<Clash> Footprint::clash(const Footprint& second) const {
  for (const auto& [ours, theirs] : kClashes) {
    const std::vector<Run>&a = runs(ours), &b = second.runs(theirs);
    std::size_t in_a, in_b;
    if (const std::optional<u64> at = common(a, b, in_a, in_b)) {
      return Clash{*at, ours, theirs, a[in_a].location, b[in_b].location};
    }
  }
  return std::nullopt;
}

FootprintBuilder::Page* FootprintBuilder::page(u64 number) {
  if (last_ && number == last_number_) return last_;
  auto found = pages_.find(number);
  if (found == pages_.end()) {
    if (pages_.size() >= kMaxPages) return nullptr;
    found = pages_.emplace(number, std::make_unique<Page>()).first;
  }
  last_number_ = number;
  return last_ = found->second.get();
}

void FootprintBuilder::note(u64 address, u32 bytes, Access access, u32 location) {
  const u32 use = static_cast<u32>(use_of(access));
  for (u64 at = address; at < address + bytes;) {
    Page* in = page(at / kPageBytes);
    const u64 end = std::min(address + bytes, (at / kWordBytes + 1) * kWordBytes);
    if (in) {
      Word& word = (*in)[at % kPageBytes / kWordBytes];
      if (!word.bytes[use]) word.location[use] = location;
      word.bytes[use] |= static_cast<u8>(((1u << (end - at)) - 1) << (at % kWordBytes));
    }
    at = end;
  }
}

Footprint FootprintBuilder::finish() {
  Footprint print;
  for (const auto& [number, page] : pages_) {
    for (u32 i = 0; i < page->size(); ++i) {
      const Word& word = (*page)[i];
      const u64 base = number * kPageBytes + u64{i} * kWordBytes;
      for (u32 use = 0; use < kUses; ++use) {
        if (!word.bytes[use]) continue;
        if (word.bytes[use] == 0xf) {
          print.add(static_cast<Use>(use), {base, base + kWordBytes, word.location[use]});
          continue;
        }
        for (u32 byte = 0; byte < kWordBytes; ++byte) {
          if (word.bytes[use] >> byte & 1) print.add(static_cast<Use>(use), {base + byte, base + byte + 1, word.location[use]});
        }
      }
    }
  }
  print.close();
  pages_.clear();
  last_ = nullptr;
  return print;
}

}  // namespace warpcourt::cpu
