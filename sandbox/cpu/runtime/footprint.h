// Which bytes of global memory an operation of a stream touched, how, and from which line first.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "abi.h"

namespace warpcourt::cpu {

// Updates are atomic, polls are volatile or atomic reads.
enum class Use : u8 { kReads, kWrites, kUpdates, kPolls };
constexpr u32 kUses = 4;

struct Run {
  u64 begin;
  u64 end;
  u32 location = 0;
};

// A byte that two operations use, where at least one of them changes it.
struct Clash {
  u64 address;
  Use first, second;
  u32 first_location, second_location;
};

class Footprint {
 public:
  void add(Use use, const Run& run);
  // After the last `add`.
  void close();

  // The runs of one use: ascending, none overlaps another.
  const std::vector<Run>& runs(Use use) const { return runs_[static_cast<u32>(use)]; }
  std::size_t size() const;
  bool has(Use use, u64 address) const;
  // Where the two clash. Two updates do not, and polls never do.
  std::optional<Clash> clash(const Footprint& second) const;

 private:
  std::array<std::vector<Run>, kUses> runs_;
};

// Collects the accesses of a running kernel, a page at a time.
class FootprintBuilder {
 public:
  void note(u64 address, u32 bytes, Access access, u32 location);
  // What was collected, with nothing left here.
  Footprint finish();

 private:
  static constexpr u64 kPageBytes = 4096;
  static constexpr u32 kWordBytes = 4;
  static constexpr std::size_t kMaxPages = 1024;

  struct Word {
    u32 location[kUses];
    u8 bytes[kUses];  // one bit each
  };
  using Page = std::array<Word, kPageBytes / kWordBytes>;

  Page* page(u64 number);

  std::map<u64, std::unique_ptr<Page>> pages_;
  u64 last_number_ = 0;
  Page* last_ = nullptr;
};

}  // namespace warpcourt::cpu
