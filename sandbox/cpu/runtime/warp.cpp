// Warp operations: lanes named by a mask meet, and the last one to arrive computes for all of them.
//
// Lanes meet when every lane of the mask that has not exited waits at the same kind of operation with the
// same mask (PTX ISA, "membermask"). The line does not matter: compilers duplicate code.
#include <algorithm>
#include <bit>

#include "diagnostics.h"
#include "engine.h"
#include "scheduler.h"

namespace warpcourt::cpu {
namespace {

// Calls `visit(record)` for each lane in `lanes`.
template <class Visit>
void for_lanes(ThreadRecord* warp, u32 lanes, Visit visit) {
  for (; lanes; lanes &= lanes - 1) visit(warp[std::countr_zero(lanes)]);
}

bool same_meeting(const WarpRequest& a, const WarpRequest& b) {
  if (a.mask != b.mask || a.meeting != b.meeting) return false;
  if (a.meeting == Meeting::kVote) return a.op == b.op;
  if (a.meeting == Meeting::kShuffle) return a.shuffle == b.shuffle;
  return a.combine == b.combine;
}

// PTX ISA, shfl.sync: the lane to read from, and whether it lies in the segment.
u32 shuffle_source(const WarpRequest& request, u32 lane, bool& in_range) {
  const u32 segment = request.clamp >> 8 & 31;
  const u32 clamp = request.clamp & 31;
  const u32 first = lane & segment;
  const u32 last = first | (clamp & ~segment);
  const u32 operand = request.lane & 31;
  s32 source = 0;
  switch (request.shuffle) {
    case Shuffle::kUp:
      source = static_cast<s32>(lane - operand);
      in_range = source >= static_cast<s32>(last);
      break;
    case Shuffle::kDown:
      source = static_cast<s32>(lane + operand);
      in_range = source <= static_cast<s32>(last);
      break;
    case Shuffle::kButterfly:
      source = static_cast<s32>(lane ^ operand);
      in_range = source <= static_cast<s32>(last);
      break;
    case Shuffle::kIndex:
      source = static_cast<s32>(first | (operand & ~segment));
      in_range = source <= static_cast<s32>(last);
      break;
  }
  return in_range ? static_cast<u32>(source) : lane;
}

void warn_absent_lane(const ThreadRecord& thread, u32 source) {
  report({Severity::kWarning, "shuffle_source",
          "shuffle reads from lane " + std::to_string(source) + ", which does not participate in it" +
              place(thread, thread.waits_at) +
              ". The value is undefined on a GPU. Every source lane must execute the shuffle.",
          where(thread, thread.waits_at)});
}

void shuffle(ThreadRecord* warp, u32 lanes) {
  for_lanes(warp, lanes, [&](ThreadRecord& thread) {
    const u32 source = shuffle_source(thread.request, thread.lane(), thread.request.in_range);
    if (lanes >> source & 1) {
      thread.result = static_cast<u32>(warp[source].request.value);
    } else {
      thread.result = static_cast<u32>(thread.request.value);
      warn_absent_lane(thread, source);
    }
  });
}

u32 lanes_equal_to(ThreadRecord* warp, u32 lanes, u64 value) {
  u32 equal = 0;
  for_lanes(warp, lanes, [&](ThreadRecord& other) {
    if (other.request.value == value) equal |= other.lane_bit();
  });
  return equal;
}

u32 fold(WarpOp op, u32 a, u32 b) {
  switch (op) {
    case WarpOp::kAdd: return a + b;
    case WarpOp::kMin: return static_cast<s32>(b) < static_cast<s32>(a) ? b : a;
    case WarpOp::kMax: return static_cast<s32>(b) > static_cast<s32>(a) ? b : a;
    case WarpOp::kMinUnsigned: return std::min(a, b);
    case WarpOp::kMaxUnsigned: return std::max(a, b);
    case WarpOp::kAnd: return a & b;
    case WarpOp::kOr: return a | b;
    default: return a ^ b;
  }
}

u32 reduce(ThreadRecord* warp, u32 lanes, WarpOp op) {
  u32 result = static_cast<u32>(warp[std::countr_zero(lanes)].request.value);
  for_lanes(warp, lanes & (lanes - 1), [&](ThreadRecord& thread) {
    result = fold(op, result, static_cast<u32>(thread.request.value));
  });
  return result;
}

void vote(ThreadRecord* warp, u32 lanes, WarpOp op) {
  u32 ballot = 0;
  for_lanes(warp, lanes, [&](ThreadRecord& thread) {
    if (static_cast<u32>(thread.request.value)) ballot |= thread.lane_bit();
  });
  const u32 folded = op >= WarpOp::kAdd ? reduce(warp, lanes, op) : 0;
  for_lanes(warp, lanes, [&](ThreadRecord& thread) {
    switch (op) {
      case WarpOp::kSync: break;
      case WarpOp::kBallot: thread.result = ballot; break;
      case WarpOp::kAny: thread.result = ballot != 0; break;
      case WarpOp::kAll: thread.result = ballot == lanes; break;
      case WarpOp::kUniform: thread.result = ballot == lanes || ballot == 0; break;
      case WarpOp::kMatchAny: thread.result = lanes_equal_to(warp, lanes, thread.request.value); break;
      case WarpOp::kMatchAll:
        thread.result = lanes_equal_to(warp, lanes, thread.request.value) == lanes ? lanes : 0;
        break;
      default: thread.result = folded;
    }
  });
}

// Matrix instructions are .aligned: all threads of a warp execute the same one, or the result is undefined.
void warn_divergent_matrix(const ThreadRecord* warp, u32 lanes) {
  const ThreadRecord& first = warp[std::countr_zero(lanes)];
  bool one_place = true;
  for (u32 rest = lanes; rest; rest &= rest - 1) {
    one_place = one_place && warp[std::countr_zero(rest)].waits_at == first.waits_at;
  }
  if (lanes == ~0u && one_place) return;
  report({Severity::kWarning, "divergent_barrier",
          (one_place ? "only " + std::to_string(std::popcount(lanes)) +
                           " of the 32 threads of a warp execute a matrix instruction"
                     : std::string("threads of a warp execute different matrix instructions at the same time")) +
              place(first, first.waits_at) +
              ". The result is undefined on a GPU. All 32 threads of the warp must execute the same instruction.",
          where(first, first.waits_at)});
}

void combine(ThreadRecord* warp, u32 lanes) {
  warn_divergent_matrix(warp, lanes);
  void* slots[kWarpLanes] = {};
  for_lanes(warp, lanes, [&](ThreadRecord& thread) { slots[thread.lane()] = thread.request.slot; });
  warp[std::countr_zero(lanes)].request.combine(slots, lanes);
}

// Completes the operation with the mask of `first`, if all its lanes are there.
bool complete(Block& block, u32 warp_index, const ThreadRecord& first) {
  ThreadRecord* warp = &block.threads[warp_index * kWarpLanes];
  Warp& state = block.warps[warp_index];
  const u32 lanes = first.request.mask & state.live;
  if ((state.waiting & lanes) != lanes) return false;
  const WarpRequest request = first.request;
  for (u32 rest = lanes; rest; rest &= rest - 1) {
    if (!same_meeting(warp[std::countr_zero(rest)].request, request)) return false;
  }
  switch (request.meeting) {
    case Meeting::kVote: vote(warp, lanes, request.op); break;
    case Meeting::kShuffle: shuffle(warp, lanes); break;
    case Meeting::kCombine: combine(warp, lanes); break;
  }
  if (request.meeting == Meeting::kVote && request.op == WarpOp::kSync && engine().options.races) {
    block.warp_orders[warp_index].meet(lanes);
  }
  state.waiting &= ~lanes;
  block.at_warps -= static_cast<u32>(std::popcount(lanes));
  block.yields = 0;
  for_lanes(warp, lanes, resume);
  return true;
}

// Meets the other lanes of `thread.request.mask`.
void meet(ThreadRecord& thread, u32 location) {
  Block& block = *thread.block;
  thread.waits_at = location;
  if (!(thread.request.mask & thread.lane_bit())) {
    fail({Severity::kError, "bad_mask",
          "lane " + std::to_string(thread.lane()) + " calls a warp operation, but the mask " +
              hexadecimal(thread.request.mask) + " excludes this lane" + place(thread, location) +
              ". Include every calling lane in the mask.",
          where(thread, location)},
         wire::kRuntimeError);
  }
  thread.state = State::kAtWarp;
  ++block.at_warps;
  block.warps[thread.warp()].waiting |= thread.lane_bit();
  if (!complete(block, thread.warp(), thread)) suspend(thread);
}

}  // namespace

void release_warp_after_exit(Block& block, u32 warp_index) {
  const u32 first = warp_index * kWarpLanes;
  const u32 end = std::min(block.count, first + kWarpLanes);
  for (u32 index = first; index < end; ++index) {
    const ThreadRecord& thread = block.threads[index];
    if (thread.state == State::kAtWarp) complete(block, warp_index, thread);
  }
}

bool resolve_active_masks(Block& block) {
  if (block.at_masks == 0) return false;
  for (u32 index = 0; index < block.count; ++index) {
    if (block.threads[index].state != State::kAtActiveMask) continue;
    const u32 warp = index / kWarpLanes;
    const u32 end = std::min(block.count, (warp + 1) * kWarpLanes);
    const std::string line = line_text(block.threads[index].waits_at);
    u32 mask = 0;
    for (u32 other = index; other < end; ++other) {
      const ThreadRecord& thread = block.threads[other];
      if (thread.state == State::kAtActiveMask && line_text(thread.waits_at) == line) mask |= thread.lane_bit();
    }
    for_lanes(&block.threads[warp * kWarpLanes], mask, [&](ThreadRecord& thread) {
      thread.result = mask;
      --block.at_masks;
      resume(thread);
    });
  }
  return true;
}

extern "C" u32 wc_warp(Thread* caller, WarpOp op, u32 mask, u64 value, u32 location) {
  ThreadRecord& thread = record(caller);
  thread.request.meeting = Meeting::kVote;
  thread.request.op = op;
  thread.request.mask = mask;
  thread.request.value = value;
  meet(thread, location);
  return thread.result;
}

extern "C" u32 wc_shuffle(Thread* caller, Shuffle mode, u32 mask, u32 value, u32 lane, u32 clamp, bool* in_range,
                          u32 location) {
  ThreadRecord& thread = record(caller);
  thread.request.meeting = Meeting::kShuffle;
  thread.request.shuffle = mode;
  thread.request.mask = mask;
  thread.request.value = value;
  thread.request.lane = lane;
  thread.request.clamp = clamp;
  meet(thread, location);
  if (in_range) *in_range = thread.request.in_range;
  return thread.result;
}

extern "C" void wc_warp_combine(Thread* caller, u32 mask, void* slot, void (*function)(void**, u32), u32 location) {
  ThreadRecord& thread = record(caller);
  thread.request.meeting = Meeting::kCombine;
  thread.request.mask = mask;
  thread.request.slot = slot;
  thread.request.combine = function;
  meet(thread, location);
}

extern "C" u32 wc_activemask(Thread* caller, u32 location) {
  ThreadRecord& thread = record(caller);
  Block& block = *thread.block;
  thread.waits_at = location;
  thread.state = State::kAtActiveMask;
  ++block.at_masks;
  suspend(thread);
  return thread.result;
}

}  // namespace warpcourt::cpu
