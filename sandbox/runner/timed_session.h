// A timed session: orders over a shared page, because a socket takes longer than many kernels.
//
// Theory of operation. See sandbox/wire.py. The referee writes `set` and `count` and then `go`; we see the new
// `go`, make the calls, wait for the device and store `done`. Between orders we spin, and now and then look
// whether the referee is still there. What we write here is believed by nobody: the clock is the
// referee's, and so is the look at the outputs.
#pragma once

#include <sys/mman.h>

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

// The next order's number, other than `last`.
inline std::uint64_t await_order(const wire::Page& page, std::uint64_t last) {
  for (unsigned looks = 1;; ++looks) {
    const std::uint64_t go = __atomic_load_n(&page.go, __ATOMIC_ACQUIRE);
    if (go != last) return go;
    if (looks % kLooksPerCheck == 0 && host_has_gone()) std::exit(0);
    relax();
  }
}

// Carries out the orders of one session until one asks for no calls. `Device` has
//     void begin(), void call(unsigned set), std::uint64_t finish()
// where finish waits for the device and returns what its own events say, in nanoseconds.
template <class Device>
void serve_orders(wire::Page& page, unsigned sets, Device& device) {
  std::uint64_t number = __atomic_load_n(&page.done, __ATOMIC_RELAXED);
  for (;;) {
    number = await_order(page, number);
    const std::uint64_t count = page.count;
    if (count) {
      device.begin();
      for (std::uint64_t i = 0, set = page.set % sets; i < count; ++i) {
        device.call(static_cast<unsigned>(set));
        if (++set == sets) set = 0;
      }
      page.self_reported_ns = device.finish();
    }
    __atomic_store_n(&page.done, number, __ATOMIC_RELEASE);
    if (!count) return;
  }
}

// The page of TIME and its argument sets, bound by `bind(first descriptor)`.
class TimedSession {
 public:
  template <class Bind>
  TimedSession(Message& message, Bind bind) {
    const unsigned sets = message.request.sets;
    if (message.descriptors.empty() || sets == 0) our_fault("TIME needs a page and argument sets");
    const std::size_t arrays = (message.descriptors.size() - 1) / sets;
    if (message.descriptors.size() != 1 + sets * arrays) our_fault("the sets of TIME differ in size");
    void* page = mmap(nullptr, wire::kPageBytes, PROT_READ | PROT_WRITE, MAP_SHARED, message.descriptors[0], 0);
    if (page == MAP_FAILED) our_fault("the page of TIME cannot be mapped");
    page_ = static_cast<wire::Page*>(page);
    for (unsigned set = 0; set < sets; ++set) sets_.push_back(bind(1 + set * arrays));
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
