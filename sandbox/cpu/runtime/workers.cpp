// The OS threads that run a launch, and how many stacks they may hold. See scheduler.h.
#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <thread>

#include "counters.h"
#include "device_limits.h"
#include "engine.h"
#include "occupancy.h"
#include "scheduler.h"

namespace warpcourt::cpu {
namespace {

constexpr u32 kResidentThreads = 8192;     // bounds the stacks of one OS thread
constexpr u32 kInterleavedThreads = 2048;  // where all of them wait, and none for another block
constexpr unsigned kMaxWorkers = 64;

constexpr u64 kMappingsOfStack = 2;         // the stack and its guard
constexpr u64 kDefaultMappings = 65530;     // of a process, where /proc does not say
constexpr u64 kTouchedBytes = 12 << 10;     // of a stack, by a kernel with few local variables
// Stacks may take one in so many. What earlier launches left may come to the same again.
constexpr u64 kShareOfMappings = 4;
constexpr u64 kShareOfData = 3;
constexpr u64 kShareOfMemory = 4;
// If all blocks wait for others, they may hold more than these shares: nothing else would let them continue.
constexpr u64 kMoreIfAllWait = 5, kOfShare = 2;

// The OS threads in addition to the caller. They live until the process ends.
class WorkerPool {
 public:
  explicit WorkerPool(unsigned helpers) {
    for (unsigned i = 0; i < helpers; ++i) std::thread([this, i] { serve(i); }).detach();
  }

  // Runs the launch on the caller and so many helpers.
  void run(Launch& launch, unsigned helpers) {
    {
      std::lock_guard lock(mutex_);
      launch_ = &launch;
      taking_part_ = busy_ = helpers;
      ++round_;
    }
    start_.notify_all();
    this_worker().run(launch);
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return busy_ == 0; });
  }

 private:
  void serve(unsigned number) {
    Worker& worker = this_worker();
    for (u64 seen = 0;;) {
      Launch* launch;
      {
        std::unique_lock lock(mutex_);
        start_.wait(lock, [&] { return round_ != seen; });
        seen = round_;
        if (number >= taking_part_) continue;
        launch = launch_;
      }
      worker.run(*launch);
      std::lock_guard lock(mutex_);
      if (--busy_ == 0) done_.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable start_, done_;
  Launch* launch_ = nullptr;
  u64 round_ = 0;
  unsigned taking_part_ = 0;
  unsigned busy_ = 0;
};

BlockOrder order_of(const Launch& launch, const Options& options) {
  if (options.interleaved) return BlockOrder::kShuffledInWindows;
  if (options.deterministic && !options.reversed) return BlockOrder::kAscending;
  if (!launch.kernel->polls) return BlockOrder::kDescending;
  // Blocks that wait for earlier ones cost time in this order: large cases do without.
  return options.deterministic ? BlockOrder::kDescendingInWindows : BlockOrder::kAscending;
}

unsigned processors() {
  if (engine().processors) return std::clamp(engine().processors, 1u, kMaxWorkers);
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return std::clamp(static_cast<unsigned>(CPU_COUNT(&set)), 1u, kMaxWorkers);
}

// How many stacks all workers together may hold, so that there is room for everything else.
u64 affordable_stacks() {
  u64 mappings = 0;
  if (!(std::ifstream("/proc/sys/vm/max_map_count") >> mappings)) mappings = kDefaultMappings;
  u64 stacks = mappings / kShareOfMappings / kMappingsOfStack;
  rlimit data{};
  if (getrlimit(RLIMIT_DATA, &data) == 0 && data.rlim_cur != RLIM_INFINITY) {
    stacks = std::min<u64>(stacks, data.rlim_cur / kShareOfData / (kStackMappingBytes - kGuardBytes));
  }
  return std::min(stacks, engine().device_bytes / kShareOfMemory / kTouchedBytes);
}

struct Means {
  unsigned workers = processors();
  u64 stacks = affordable_stacks();
};

const Means& means() {
  static const Means found;
  return found;
}

// How many stacks this launch may use.
u64 affordable_stacks(const Launch& launch) {
  const u64 touched = std::max<u64>(kTouchedBytes, launch.kernel->resources.local_bytes);
  return std::min(means().stacks / launch.stack_units(), engine().device_bytes / kShareOfMemory / touched);
}

// How many blocks one of so many workers may have under way. Blocks that wait for others share what can be afforded;
// the others come one after the other.
u64 window_of(const Launch& launch, const Options& options, bool alone) {
  const bool few = options.interleaved && !launch.kernel->polls;
  u64 threads = (few ? kInterleavedThreads : kResidentThreads) / launch.stack_units();
  if (!alone) threads = std::min(threads, affordable_stacks(launch) / means().workers);
  return std::clamp<u64>(threads / launch.threads, 2, 32);
}

// No more than there are stacks for, nor than there are blocks.
unsigned workers_for(const Launch& launch) {
  const u64 most = std::min<u64>(means().workers, launch.blocks);
  if (launch.cooperative) return static_cast<unsigned>(most);
  const u64 stacks = (launch.kernel->polls ? launch.resident : 1) * launch.threads;
  return static_cast<unsigned>(std::clamp<u64>(affordable_stacks(launch) / stacks, 1, most));
}

// How many blocks of that size are resident at the same time on the device that programs see.
u64 resident_on_device(const Launch& launch) {
  return u64{resident_blocks(*launch.kernel, launch.threads, launch.dynamic_shared_bytes)} * kMultiprocessors;
}

}  // namespace

void run_launch(Launch& launch) {
  static WorkerPool* pool = nullptr;
  const Options& options = engine().options;
  const bool alone = options.deterministic || means().workers == 1 || launch.blocks == 1;
  launch.resident = window_of(launch, options, alone);
  launch.order = order_of(launch, options);
  if (options.counted) start_counting_launch(launch);
  if (options.races) start_turns_of_launch();
  const unsigned workers = alone ? 1 : workers_for(launch);
  // Cooperative blocks are all resident, else their barrier could never complete. Workers share them equally.
  if (launch.cooperative) launch.resident = (launch.blocks + workers - 1) / workers;
  launch.most_resident = std::min(launch.blocks, resident_on_device(launch));
  launch.admitted = workers * launch.resident;
  if (workers == 1) {
    this_worker().run(launch);
    return;
  }
  // Other workers have the stacks of earlier launches.
  const u64 needed = launch.cooperative ? launch.blocks * launch.threads * launch.stack_units() : 0;
  if (StackPool::mapped() + needed > means().stacks) release_idle_stacks();
  if (!pool) pool = new WorkerPool(means().workers - 1);
  pool->run(launch, workers - 1);
}

u64 admit_more(Launch& launch, u64 resident) {
  const u64 admitted = launch.admitted.load(std::memory_order_relaxed);
  const u64 stacks = means().stacks * kMoreIfAllWait / kOfShare, mapped = StackPool::mapped();
  if (admitted >= launch.most_resident || mapped >= stacks) return 0;
  const u64 more = std::min({resident, launch.most_resident - admitted, (stacks - mapped) / (launch.threads * launch.stack_units())});
  launch.admitted.fetch_add(more, std::memory_order_relaxed);
  return more;
}

}  // namespace warpcourt::cpu
