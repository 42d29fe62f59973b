// Counts what lives before and after each call. See leaks.h.
#include "leaks.h"

#include "diagnostics.h"
#include "engine.h"
#include "library_work.h"
#include "memory.h"
#include "streams.h"

namespace warpcourt::cpu {
namespace {

struct Held {
  u64 allocations = 0, bytes = 0, streams = 0, events = 0, handles = 0;
};

Held before;
Held left;  // more, by the call before
bool reported = false;

Held held() {
  const LiveMemory memory = live_memory();
  return {memory.allocations, memory.bytes, live_streams(), live_events(), live_library_handles()};
}

u64 more(u64 now, u64 then) { return now > then ? now - then : 0; }

std::string list(const Held& what) {
  std::string out;
  const auto add = [&](const std::string& item) { out += (out.empty() ? "" : ", ") + item; };
  if (what.allocations) add(count(what.allocations, "allocation") + " with " + count(what.bytes, "byte"));
  if (what.streams) add(count(what.streams, "stream"));
  if (what.events) add(count(what.events, "event"));
  if (what.handles) add(count(what.handles, "handle") + " of a library");
  return out;
}

}  // namespace

void start_leaks() {
  if (engine().options.races) before = held();
}

void report_leaks() {
  if (!engine().options.races) {
    left = {};
    return;
  }
  const Held now = held();
  const bool memory_again = left.allocations && left.bytes;
  Held grown{more(now.allocations, before.allocations), more(now.bytes, before.bytes),
             more(now.streams, before.streams), more(now.events, before.events), more(now.handles, before.handles)};
  Held again = grown;
  if (!memory_again || !grown.bytes) again.allocations = again.bytes = 0;
  if (!left.streams) again.streams = 0;
  if (!left.events) again.events = 0;
  if (!left.handles) again.handles = 0;
  left = grown;
  const std::string what = list(again);
  if (reported || what.empty()) return;
  reported = true;
  report({Severity::kNote, "leak",
          "solve() returns without freeing " + what + ", in each call. Free memory with cudaFree, and destroy streams" +
              (again.handles ? ", events and the handles of libraries." : " and events."),
          {}});
}

}  // namespace warpcourt::cpu
