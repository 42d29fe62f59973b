// Runs families of grids. See child_grids.h.
#include "child_grids.h"

#include <set>
#include <utility>

#include "device_limits.h"
#include "devices.h"
#include "diagnostics.h"
#include "engine.h"
#include "host_trace.h"
#include "races.h"
#include "scheduler.h"
#include "sums.h"

namespace warpcourt::cpu {
namespace {

constexpr std::size_t kMaxGrids = 1u << 18;  // that race mode keeps
constexpr u64 kFirstHandle = 0x100;           // beyond the streams that CUDA names
constexpr u64 kLegacyStream = 1, kPerThreadStream = 2, kTailLaunch = 3, kFireAndForget = 4;

bool is_default(u64 stream) { return stream == 0 || stream == kLegacyStream || stream == kPerThreadStream; }

void note(const Grid& grid, u32 location) {
  const Launch& launch = grid.launch;
  std::string message = launch.name + "<<<" + text(launch.grid) + ", " + text(launch.block);
  if (launch.dynamic_shared_bytes) message += ", " + std::to_string(launch.dynamic_shared_bytes);
  message += ">>>";
  if (launch.static_shared_bytes) {
    message += " with " + std::to_string(launch.static_shared_bytes) + " bytes of static shared memory";
  }
  if (launch.kernel->resources.known) {
    message += ", " + count(launch.kernel->resources.registers, "register") + " per thread";
  }
  if (grid.parent) {
    const std::string line = line_text(location);
    message += " from kernel " + grid.parent->launch.name + (line.empty() ? "" : ", " + line);
  }
  report({Severity::kNote, "launch", message, {launch.name, nullptr, nullptr, 0}});
}

// Whether the access comes before the launch, in its block.
bool precedes(const Touch& before, const LaunchPoint& point) {
  const Touch& at = point.touch;
  if (before.block != at.block || before.epoch != at.epoch) return before.block == at.block && before.epoch < at.epoch;
  if (before.thread == at.thread) return before.lane_clock <= at.lane_clock;
  return before.thread / kWarpLanes == at.thread / kWarpLanes &&
         before.lane_clock <= point.seen[before.thread % kWarpLanes];
}

// Whether a child waits for an earlier child of the same grid.
bool waits_for(const Grid& later, const Grid& earlier) {
  if (later.stream && later.stream == earlier.stream) return earlier.number < later.number;
  std::set<const Grid*> seen;
  std::vector<const Grid*> next(later.after);
  while (!next.empty()) {
    const Grid* grid = next.back();
    next.pop_back();
    if (grid == &earlier) return true;
    if (grid->number < earlier.number || !seen.insert(grid).second) continue;
    next.insert(next.end(), grid->after.begin(), grid->after.end());
  }
  return false;
}

}  // namespace

Family& family() {
  static auto* instance = new Family;
  return *instance;
}

std::unique_ptr<Grid> Family::make(const Kernel& kernel, const LaunchShape& shape, std::vector<u64> parameters) {
  static u64 launches = 0;
  auto made = std::make_unique<Grid>();
  Launch& launch = made->launch;
  const dim3 &grid = shape.grid, &block = shape.block;
  launch.kernel = &kernel;
  launch.node = made.get();
  launch.name = demangle(kernel.name);
  launch.number = ++launches;
  launch.grid = {grid.x, grid.y, grid.z};
  launch.block = {block.x, block.y, block.z};
  launch.threads = block.x * block.y * block.z;
  launch.static_shared_bytes = kernel.static_shared_bytes;
  launch.dynamic_shared_bytes = static_cast<u32>(shape.shared_bytes);
  launch.blocks = u64{grid.x} * grid.y * grid.z;
  launch.cooperative = shape.cooperative;
  launch.parameters = std::move(parameters);
  return made;
}

void Family::run(const Kernel& kernel, const LaunchShape& shape, std::vector<u64> parameters) {
  streams_.clear();
  events_.clear();
  numbered_.clear();
  handles_ = pending_ = blocks_ = 0;
  std::unique_ptr<Grid> root = make(kernel, shape, std::move(parameters));
  root->launch.device = executing_device();
  note(*root, 0);
  if (root->launch.cooperative) {
    host_trace().count(HostEvent::kCooperativeLaunch, "");
    reset_grid_workspace();
  }
  const bool watched = engine().options.races;
  if (watched) races().start_launch();
  ++pending_;
  run_grid(std::move(root));
  if (watched) races().finish_launch();
}

void Family::run_grid(std::unique_ptr<Grid> owned) {
  Grid& grid = *owned;
  // A tail launch may launch another one, and so on: what it launches runs next, before those that follow it.
  std::deque<std::unique_ptr<Grid>> queue;
  std::unique_ptr<Grid> next = std::move(owned);
  for (;;) {
    Grid& running = *next;
    release();
    running.launch.first_block = blocks_;
    if (engine().options.races) {
      blocks_ += static_cast<u32>(running.launch.blocks);
      numbered_.push_back(std::move(next));
    } else if (&running == &grid) {
      owned = std::move(next);
    }
    run_without_tails(running);
    queue.insert(queue.begin(), std::make_move_iterator(running.tails.begin()), std::make_move_iterator(running.tails.end()));
    if (queue.empty()) break;
    next = std::move(queue.front());
    queue.pop_front();
  }
  grid.complete = true;
}

void Family::run_without_tails(Grid& grid) {
  run_launch(grid.launch);
  while (std::unique_ptr<Grid> child = next_child(grid)) run_grid(std::move(child));
}

std::unique_ptr<Grid> Family::next_child(Grid& grid) {
  if (grid.children.empty()) return nullptr;
  auto next = grid.children.begin();
  if (engine().options.races && engine().options.interleaved) {
    const auto is_ready = [](const std::unique_ptr<Grid>& child) {
      return std::ranges::all_of(child->after, [](const Grid* other) { return other->complete; });
    };
    next = std::ranges::find_if(grid.children.rbegin(), grid.children.rend(), is_ready).base() - 1;
  }
  std::unique_ptr<Grid> child = std::move(*next);
  grid.children.erase(next);
  return child;
}

cudaError_t Family::reserve(const Kernel& kernel, std::string& why) {
  std::lock_guard lock(mutex_);
  if (pending_ >= limit_) {
    why = "kernel " + demangle(kernel.name) + " was launched while " + std::to_string(pending_) +
          " child grids wait to start, which is the limit. Launch fewer, larger grids, or raise the limit with "
          "cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, count)";
    return cudaErrorLaunchPendingCountExceeded;
  }
  ++pending_;
  return cudaSuccess;
}

void Family::release() {
  std::lock_guard lock(mutex_);
  --pending_;
}

cudaError_t Family::launch(ThreadRecord& thread, const Kernel& kernel, const LaunchShape& shape,
                           std::vector<u64> parameters, u64 stream, u32 location, std::string& why) {
  Block& block = *thread.block;
  Grid& parent = *block.launch->node;
  const bool watched = engine().options.races;
  std::lock_guard lock(mutex_);
  Stream* in = is_default(stream) || stream >= kFirstHandle ? stream_of(thread, stream) : nullptr;
  if (!in && stream != kTailLaunch && stream != kFireAndForget) {
    --pending_;
    why = "kernel " + demangle(kernel.name) + " was launched into a stream that device code did not create";
    return cudaErrorInvalidResourceHandle;
  }
  const u32 depth = parent.depth + (stream == kTailLaunch ? 0 : 1);
  if (depth > kMaxDepth) {
    --pending_;
    why = "kernel " + demangle(kernel.name) + " would be a grid at depth " + std::to_string(depth) +
          ", and child grids nest at most " + std::to_string(kMaxDepth) + " deep";
    return cudaErrorLaunchMaxDepthExceeded;
  }
  if (watched && numbered_.size() + pending_ > kMaxGrids) {
    fail({Severity::kError, "memory",
          "one launch by the host led to more than " + std::to_string(kMaxGrids) +
              " grids, which is as many as functional mode keeps" + place(thread, location) + '.',
          where(thread, location)},
         wire::kMemoryLimit);
  }
  std::unique_ptr<Grid> child = make(kernel, shape, std::move(parameters));
  child->launch.device = parent.launch.device;
  child->parent = &parent;
  child->number = parent.launched++;
  child->tail = stream == kTailLaunch;
  child->generation = parent.generation + 1;
  child->depth = depth;
  note(*child, location);
  if (thread.counted) tally().count_child(parent.launch.name, child->launch.name, location);
  if (watched) {
    WarpOrder& order = block.warp_orders[thread.warp()];
    child->point.touch = block.touch(thread, Access::kRead, location);
    child->point.acquired = child->launch.acquired = std::max(block.acquired, block.updated_at);
    for (u32 lane = 0; lane < kWarpLanes; ++lane) child->point.seen[lane] = order.seen(thread.lane(), lane);
    order.tick(thread.lane());  // what the thread does from here on comes after the launch
    if (in) {
      child->stream = in->number;
      child->after = std::exchange(in->last, {child.get()});
    }
  }
  if (watched && engine().options.reversed && !child->tail) {
    block.worker->launched = std::move(child);
  } else {
    (child->tail ? parent.tails : parent.children).push_back(std::move(child));
  }
  return cudaSuccess;
}

void Family::run_launched(std::unique_ptr<Grid> grid) { run_grid(std::move(grid)); }

Family::Stream* Family::stream_of(const ThreadRecord& thread, u64 stream) {
  if (is_default(stream)) {
    const StreamKey key{thread.block->launch->node, thread.block->number, 0};
    return &streams_.try_emplace(key, Stream{++handles_, {}}).first->second;
  }
  const auto found = streams_.find({nullptr, 0, stream});
  return found == streams_.end() ? nullptr : &found->second;
}

u64 Family::create_stream() {
  std::lock_guard lock(mutex_);
  const u64 handle = kFirstHandle + ++handles_;
  streams_.try_emplace({nullptr, 0, handle}, Stream{handles_, {}});
  return handle;
}

bool Family::destroy_stream(u64 stream) {
  std::lock_guard lock(mutex_);
  return streams_.erase({nullptr, 0, stream});
}

u64 Family::create_event() {
  std::lock_guard lock(mutex_);
  const u64 handle = kFirstHandle + ++handles_;
  events_[handle] = {};
  return handle;
}

bool Family::destroy_event(u64 event) {
  std::lock_guard lock(mutex_);
  return events_.erase(event);
}

bool Family::record(const ThreadRecord& thread, u64 event, u64 stream) {
  std::lock_guard lock(mutex_);
  const auto found = events_.find(event);
  const Stream* recorded = stream_of(thread, stream);
  if (found == events_.end() || !recorded) return false;
  found->second = recorded->last;
  return true;
}

bool Family::wait(const ThreadRecord& thread, u64 stream, u64 event) {
  std::lock_guard lock(mutex_);
  const auto found = events_.find(event);
  Stream* waits = stream_of(thread, stream);
  if (found == events_.end() || !waits) return false;
  waits->last.insert(waits->last.end(), found->second.begin(), found->second.end());
  return true;
}

const Grid& Family::grid_of(u32 block) const {
  const auto after = std::ranges::upper_bound(numbered_, block, {}, [](const auto& grid) { return grid->launch.first_block; });
  return **(after - 1);
}

bool Family::ordered(const Touch& before, u32 now) const {
  if (numbered_.size() == 1) return false;
  // Climb to the grid that both descend from, or that one of them is. The branches are its children on the ways.
  const Grid *first = &grid_of(before.block), *second = &grid_of(now);
  const Grid *first_branch = nullptr, *second_branch = nullptr;
  while (first != second) {
    const bool climb_first = first->generation >= second->generation, climb_second = second->generation >= first->generation;
    if (climb_first) first = (first_branch = first)->parent;
    if (climb_second) second = (second_branch = second)->parent;
  }
  if (!second_branch) return false;
  if (second_branch->tail) return !first_branch || !first_branch->tail || first_branch->number < second_branch->number;
  if (!first_branch) return precedes(before, second_branch->point);
  return !first_branch->tail && waits_for(*second_branch, *first_branch);
}

}  // namespace warpcourt::cpu
