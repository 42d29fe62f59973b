// A thread that sleeps until a deadline.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace warpcourt {

class Watchdog {
 public:
  using Expire = void(std::uint32_t limit_ms);

  // `expire` is called on a thread of its own when a limit is reached.
  explicit Watchdog(Expire* expire) : expire_(expire) {
    std::thread([this] { watch(); }).detach();
  }

  // Starts the clock anew; 0 stops it.
  void set(std::uint32_t limit_ms) {
    {
      std::lock_guard lock(mutex_);
      limit_ms_ = limit_ms;
      until_ = Clock::now() + std::chrono::milliseconds(limit_ms);
    }
    changed_.notify_one();
  }

 private:
  using Clock = std::chrono::steady_clock;

  void watch() {
    std::unique_lock lock(mutex_);
    for (;;) {
      if (limit_ms_ == 0) {
        changed_.wait(lock);
      } else if (changed_.wait_until(lock, until_) == std::cv_status::timeout && limit_ms_ != 0 &&
                 Clock::now() >= until_) {
        const std::uint32_t limit_ms = limit_ms_;
        limit_ms_ = 0;
        lock.unlock();
        expire_(limit_ms);
        lock.lock();
      }
    }
  }

  Expire* expire_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint32_t limit_ms_ = 0;
  Clock::time_point until_;
};

}  // namespace warpcourt
