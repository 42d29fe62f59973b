// A timed session: orders over a shared page, because a socket takes longer than many kernels.
//
// Theory of operation. See sandbox/wire.py. What we write here is believed by nobody: the referee times on
// the device, by what it sees of the outputs. Between orders we spin, and now and then look whether the
// referee is still there.
#pragma once

#include <sys/mman.h>

#include <cstdlib>
#include <vector>

#include "channel.h"
#include "submission.h"
#include "wire.h"

namespace warpcourt {

constexpr unsigned kLooksPerCheck = 1u << 18;  // some milliseconds

inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Waits until `field` holds at least `number`; ends the process when the host has gone.
inline std::uint64_t await_number(const std::uint64_t& field, std::uint64_t number) {
  for (unsigned looks = 1;; ++looks) {
    const std::uint64_t found = __atomic_load_n(&field, __ATOMIC_ACQUIRE);
    if (found >= number) return found;
    if (looks % kLooksPerCheck == 0 && host_has_gone()) std::exit(0);
    relax();
  }
}

// Carries out the orders of one session until one ends it. `Device` has
//     void hold(std::uint64_t number), void call(unsigned set), void release(std::uint64_t number), void finish()
// where hold and release queue the wait before a call and the flag after it, and finish waits for the device.
template <class Device>
void serve_orders(wire::Page& page, unsigned sets, Device& device) {
  for (std::uint64_t last = __atomic_load_n(&page.done, __ATOMIC_RELAXED);;) {
    const std::uint64_t number = await_number(page.order, last + 1);
    const std::uint64_t kind = page.kind;
    if (kind != wire::kEnd) {
      if (kind == wire::kQueued) {
        device.hold(number);
      } else {
        await_number(page.go, number);
      }
      device.call(static_cast<unsigned>(page.set % sets));
      if (kind == wire::kCalled) device.finish();  // its work need not be in the stream of the flag
      device.release(number);
      __atomic_store_n(&page.queued, number, __ATOMIC_RELEASE);
      device.finish();
    }
    __atomic_store_n(&page.done, number, __ATOMIC_RELEASE);
    if (kind == wire::kEnd) return;
    last = number;
  }
}

// The page of TIME, `flags` descriptors that follow it, and the argument sets, bound by `bind(first
// descriptor)`.
class TimedSession {
 public:
  template <class Bind>
  TimedSession(Message& message, std::size_t flags, Bind bind) {
    const unsigned sets = message.request.sets;
    const std::size_t before = 1 + flags;
    if (message.descriptors.size() < before || sets == 0) our_fault("TIME needs a page, flags and argument sets");
    const std::size_t arrays = (message.descriptors.size() - before) / sets;
    if (message.descriptors.size() != before + sets * arrays) our_fault("the sets of TIME differ in size");
    void* page = mmap(nullptr, wire::kPageBytes, PROT_READ | PROT_WRITE, MAP_SHARED, message.descriptors[0], 0);
    if (page == MAP_FAILED) our_fault("the page of TIME cannot be mapped");
    page_ = static_cast<wire::Page*>(page);
    for (unsigned set = 0; set < sets; ++set) sets_.push_back(bind(before + set * arrays));
    message.close_descriptors();
  }
  ~TimedSession() { munmap(page_, wire::kPageBytes); }
  TimedSession(const TimedSession&) = delete;
  TimedSession& operator=(const TimedSession&) = delete;

  const Arguments& arguments(unsigned set) const { return sets_[set]; }

  template <class Device>
  void serve(Device& device) {
    serve_orders(*page_, static_cast<unsigned>(sets_.size()), device);
  }

 private:
  wire::Page* page_;
  std::vector<Arguments> sets_;
};

}  // namespace warpcourt
