// The referee's own kernels: secret random bytes, equality of bytes, and the comparison of outputs.
//
// Compiled by NVRTC after common.cu, so there are no headers. All of them are bound by memory bandwidth: every byte that is
// looked at is read once, in loads that neighbouring threads share.

constexpr u32 kThreads = 256;

__device__ bool aligned(const void* at) { return reinterpret_cast<u64>(at) % sizeof(uint4) == 0; }

__device__ u8 byte_of(uint4 block, u32 index) {
  const u32 words[4] = {block.x, block.y, block.z, block.w};
  return static_cast<u8>(words[index / 4] >> (8 * (index % 4)));
}

__device__ bool equal(uint4 a, uint4 b) { return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w; }

__device__ void store(u8* bytes, u64 block, u64 count, uint4 value) {
  const u64 at = block * sizeof(uint4);
  if (at + sizeof(uint4) <= count && aligned(bytes)) {
    reinterpret_cast<uint4*>(bytes)[block] = value;
    return;
  }
  for (u32 i = 0; i < sizeof(uint4) && at + i < count; ++i) bytes[at + i] = byte_of(value, i);
}

__device__ u64 first_block() { return static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ u64 all_threads() { return static_cast<u64>(gridDim.x) * blockDim.x; }

// The rule of judge/runner/poison.py for 64 bits: those of `ones` are set, those of `flips` unlike the bit above.
__device__ void bend(u32& low, u32& high, u64 ones, u64 flips) {
  const u64 set = (static_cast<u64>(high) << 32 | low) | ones;
  const u64 bent = (set & ~flips) | ((~set >> 1) & flips);
  low = static_cast<u32>(bent);
  high = static_cast<u32>(bent >> 32);
}

// Writes `count` random bytes to `bytes`, bent, and the same to `copy` unless it is null.
extern "C" __global__ void fill_random(u8* bytes, u8* copy, u64 count, u32 key0, u32 key1, u32 nonce0,
                                       u32 nonce1, u64 ones, u64 flips) {
  const u64 blocks = (count + sizeof(uint4) - 1) / sizeof(uint4);
  for (u64 block = first_block(); block < blocks; block += all_threads()) {
    uint4 value = philox(block, {key0, key1, nonce0, nonce1});
    bend(value.x, value.y, ones, flips);
    bend(value.z, value.w, ones, flips);
    store(bytes, block, count, value);
    if (copy) store(copy, block, count, value);
  }
}

// Sets *differs unless `bytes` are what fill_random wrote and did not bend.
extern "C" __global__ void check_random(const u8* bytes, u64 count, u32 key0, u32 key1, u32 nonce0, u32 nonce1,
                                        u64* differs) {
  const u64 blocks = (count + sizeof(uint4) - 1) / sizeof(uint4);
  for (u64 block = first_block(); block < blocks; block += all_threads()) {
    const uint4 value = philox(block, {key0, key1, nonce0, nonce1});
    const u64 at = block * sizeof(uint4);
    bool same = true;
    if (at + sizeof(uint4) <= count && aligned(bytes)) {
      same = equal(reinterpret_cast<const uint4*>(bytes)[block], value);
    } else {
      for (u32 i = 0; i < sizeof(uint4) && at + i < count; ++i) same = same && bytes[at + i] == byte_of(value, i);
    }
    if (!same) *differs = 1;
  }
}

// ---- equality ---------------------------------------------------------------------------------------
// Sets *differs unless the first `count` bytes of both are equal.
extern "C" __global__ void check_equal(const u8* left, const u8* right, u64 count, u64* differs) {
  const bool wide = aligned(left) && aligned(right);
  const u64 blocks = wide ? count / sizeof(uint4) : 0;
  bool same = true;
  for (u64 block = first_block(); block < blocks; block += all_threads()) {
    same = same && equal(reinterpret_cast<const uint4*>(left)[block], reinterpret_cast<const uint4*>(right)[block]);
  }
  for (u64 at = blocks * sizeof(uint4) + first_block(); at < count; at += all_threads()) {
    same = same && left[at] == right[at];
  }
  if (!same) *differs = 1;
}

// ---- comparison of outputs --------------------------------------------------------------------------
// The rule of judge/runner/comparison.py, in the same double arithmetic: the roundings are spelled out so that no
// multiplication and addition are fused. `overflow` is the least magnitude that rounds to infinity in the
// output's dtype: an expected value from there on is that infinity.
struct Rule {
  double absolute, relative, overflow;
  bool nan_matches;
};

__device__ bool wrong_float(double got, double want, const Rule& rule) {
  if (isnan(want)) return !(rule.nan_matches && isnan(got));
  if (fabs(want) >= rule.overflow) return !(isinf(got) && (got > 0) == (want > 0));
  if (!isfinite(got)) return true;
  const double bound = __dadd_rn(rule.absolute, __dmul_rn(rule.relative, fabs(want)));
  return !(fabs(__dsub_rn(got, want)) <= bound);
}

// CuPy compiles with -ftz=true, which would convert a subnormal float to 0. This instruction keeps it.
__device__ double widen(float value) {
  double wide;
  asm("cvt.f64.f32 %0, %1;" : "=d"(wide) : "f"(value));
  return wide;
}

// For each dtype: its bits, those of what is expected, and whether an element is wrong.
struct Float64 {
  using Got = u64;
  using Want = u64;
  static __device__ bool wrong(Got got, Want want, const Rule& rule) {
    return wrong_float(__longlong_as_double(got), __longlong_as_double(want), rule);
  }
};

struct Float32 {
  using Got = u32;
  using Want = u64;
  static __device__ bool wrong(Got got, Want want, const Rule& rule) {
    return wrong_float(widen(__uint_as_float(got)), __longlong_as_double(want), rule);
  }
};

struct Float16 {
  using Got = u16;
  using Want = u64;
  static __device__ bool wrong(Got got, Want want, const Rule& rule) {
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(got));
    return wrong_float(value, __longlong_as_double(want), rule);
  }
};

struct BFloat16 {
  using Got = u16;
  using Want = u64;
  static __device__ bool wrong(Got got, Want want, const Rule& rule) {
    return wrong_float(widen(__uint_as_float(static_cast<u32>(got) << 16)), __longlong_as_double(want), rule);
  }
};

template <class T>
struct Exact {
  using Got = T;
  using Want = T;
  static __device__ bool wrong(Got got, Want want, const Rule&) { return got != want; }
};

struct Bool {
  using Got = u8;
  using Want = u8;
  static __device__ bool wrong(Got got, Want want, const Rule&) { return (got != 0) != (want != 0); }
};

// Any byte but 0 is true, so a byte of poison that is left would do where true is expected.
template <class D>
constexpr bool kPoisonPasses = false;
template <>
constexpr bool kPoisonPasses<Bool> = true;

template <class D>
struct Output {
  const typename D::Got* got;
  const typename D::Want* want;
  const typename D::Got* poison;  // null: nothing was poisoned
  u64 count;
  Rule rule;

  __device__ bool unwritten(u64 at) const { return poison && got[at] == poison[at]; }
  __device__ bool wrong(u64 at, typename D::Got got, typename D::Want want) const {
    return D::wrong(got, want, rule) || (kPoisonPasses<D> && unwritten(at));
  }
};

// A block compares a tile of neighbouring elements. Full tiles are loaded before they are looked at, so that
// all loads of a thread are in flight together.
constexpr u32 kPerThread = 8;
constexpr u64 kTile = kThreads * kPerThread;

// Counts: totals[0] elements that are wrong, totals[1] those of them that still hold the poison, and
// tiles[t] the wrong ones of tile t. Launch with one block of kThreads for each tile.
template <class D>
__device__ void count_wrong(const Output<D>& output, u32* tiles, u64* totals) {
  __shared__ u32 wrong_here, unwritten_here;
  if (threadIdx.x == 0) wrong_here = unwritten_here = 0;
  __syncthreads();
  const u64 begin = blockIdx.x * kTile;
  const bool full = begin + kTile <= output.count;
  typename D::Got got[kPerThread];
  typename D::Want want[kPerThread];
  if (full) {
#pragma unroll
    for (u32 i = 0; i < kPerThread; ++i) {
      got[i] = output.got[begin + i * kThreads + threadIdx.x];
      want[i] = output.want[begin + i * kThreads + threadIdx.x];
    }
  }
  u32 wrong = 0, unwritten = 0;
#pragma unroll
  for (u32 i = 0; i < kPerThread; ++i) {
    const u64 at = begin + i * kThreads + threadIdx.x;
    if (!full) {
      if (at >= output.count) break;
      got[i] = output.got[at];
      want[i] = output.want[at];
    }
    if (output.wrong(at, got[i], want[i])) {
      ++wrong;
      unwritten += output.unwritten(at);
    }
  }
  if (wrong) {
    atomicAdd(&wrong_here, wrong);
    atomicAdd(&unwritten_here, unwritten);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    tiles[blockIdx.x] = wrong_here;
    if (wrong_here) {
      atomicAdd(&totals[0], static_cast<u64>(wrong_here));
      atomicAdd(&totals[1], static_cast<u64>(unwritten_here));
    }
  }
}

struct Place {
  u64 index, got, want, unwritten;
};

// Writes the first `limit` wrong elements to `places`, in order. One block, which walks over the tiles that
// have any; a warp's votes give every thread its rank.
template <class D>
__device__ void find_first(const Output<D>& output, const u32* tiles, u64 tile_count, u32 limit, Place* places) {
  __shared__ u32 votes[kThreads / 32];
  u32 found = 0;
  for (u64 group = 0; group < tile_count && found < limit; group += kThreads) {
    const u64 mine = group + threadIdx.x;
    if (!__syncthreads_or(mine < tile_count && tiles[mine] != 0)) continue;
    for (u64 tile = group; tile < group + kThreads && tile < tile_count && found < limit; ++tile) {
      if (tiles[tile] == 0) continue;
      for (u32 i = 0; i < kPerThread && found < limit; ++i) {
        const u64 at = tile * kTile + i * kThreads + threadIdx.x;
        const bool wrong = at < output.count && output.wrong(at, output.got[at], output.want[at]);
        const u32 vote = __ballot_sync(~0u, wrong);
        const u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
        if (lane == 0) votes[warp] = __popc(vote);
        __syncthreads();
        u32 rank = found + __popc(vote & ((1u << lane) - 1));
        for (u32 w = 0; w < kThreads / 32; ++w) {
          if (w < warp) rank += votes[w];
          found += votes[w];
        }
        if (wrong && rank < limit) {
          places[rank] = {at, static_cast<u64>(output.got[at]), static_cast<u64>(output.want[at]),
                          static_cast<u64>(output.unwritten(at))};
        }
        __syncthreads();
      }
    }
  }
}

#define COMPARISON(name, D)                                                                                    \
  extern "C" __global__ void count_##name(const D::Got* got, const D::Want* want, const D::Got* poison,        \
                                          u64 count, double absolute, double relative, double overflow,        \
                                          int nan_matches, u32* tiles, u64* totals) {                          \
    count_wrong<D>({got, want, poison, count, {absolute, relative, overflow, nan_matches != 0}}, tiles,        \
                   totals);                                                                                    \
  }                                                                                                            \
  extern "C" __global__ void first_##name(const D::Got* got, const D::Want* want, const D::Got* poison,        \
                                          u64 count, double absolute, double relative, double overflow,        \
                                          int nan_matches, const u32* tiles, u64 tile_count, u32 limit,        \
                                          Place* places) {                                                     \
    find_first<D>({got, want, poison, count, {absolute, relative, overflow, nan_matches != 0}}, tiles,         \
                  tile_count, limit, places);                                                                  \
  }

COMPARISON(float64, Float64)
COMPARISON(float32, Float32)
COMPARISON(float16, Float16)
COMPARISON(bfloat16, BFloat16)
COMPARISON(int64, Exact<u64>)
COMPARISON(int32, Exact<u32>)
COMPARISON(int8, Exact<u8>)
COMPARISON(uint32, Exact<u32>)
COMPARISON(uint8, Exact<u8>)
COMPARISON(bool, Bool)
