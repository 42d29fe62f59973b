// The gate of the trusted clock: what runs on the GPU around one timed call. judge/gpu/device/gate.py explains it.
//
// Compiled by NVRTC after common.cu, so there are no headers.

constexpr u32 kPlacesPerThread = 4;
constexpr u32 kWatched = 1024;         // places that are watched: four for each thread of a block of 256
constexpr u32 kLooksPerPatience = 64;  // looks between two questions whether to give up

// Contents to put into an array.
struct Landing {
  u64 to, from, bytes;
};

// An output that is watched, and the copy of it that was taken after the call. Its places have the numbers from `first`
// to `first + places`. If there are as many as words, each word has one.
struct Output {
  u64 live, copy, bytes;
  u32 first, places;
};

// What is seen of one call. `release` is a time of %globaltimer; the others are nanoseconds after it.
struct Observation {
  u32 came, met, landed, all_landed, swept, gave_way;
  u64 release;
  double last_ns, done_ns;
  u32 moved, unused;
};

__device__ __forceinline__ u64 now() {
  u64 time;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
  return time;
}

// Loads and stores that other contexts see and no cache of this multiprocessor answers.
__device__ __forceinline__ u32 look32(const void* at) {
  u32 value;
  asm volatile("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
  return value;
}

__device__ __forceinline__ u64 look64(const void* at) {
  u64 value;
  asm volatile("ld.relaxed.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(at) : "memory");
  return value;
}

__device__ __forceinline__ void put64(void* at, u64 value) {
  asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(at), "l"(value) : "memory");
}

// ---- holding the GPU --------------------------------------------------------------------------------
enum Met : u32 { kOpen = 0, kTogether = 1, kGivenUp = 2 };

// Waits until all blocks have come to `counter`, and says whether they have within `patience` nanoseconds. All blocks
// get the same answer, those too that come after the others have given up.
__device__ bool meet(u32* counter, u32* met, u64 patience) {
  __shared__ bool together;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    if (atomicAdd(counter, 1u) == gridDim.x - 1) atomicCAS(met, kOpen, kTogether);
    const u64 begun = now();
    while (look32(met) == kOpen) {
      if (now() - begun > patience) atomicCAS(met, kOpen, kGivenUp);
    }
    together = look32(met) == kTogether;
    __threadfence();
  }
  __syncthreads();
  return together;
}

__device__ void land(const Landing& landing, u64 first, u64 step) {
  const uint4* from = reinterpret_cast<const uint4*>(landing.from);
  uint4* to = reinterpret_cast<uint4*>(landing.to);
  const u64 whole = landing.bytes / sizeof(uint4);
  u64 i = first;
  for (; i + 3 * step < whole; i += 4 * step) {
    const uint4 a = from[i], b = from[i + step], c = from[i + 2 * step], d = from[i + 3 * step];
    to[i] = a;
    to[i + step] = b;
    to[i + 2 * step] = c;
    to[i + 3 * step] = d;
  }
  for (; i < whole; i += step) to[i] = from[i];
  for (u64 at = whole * sizeof(uint4) + first; at < landing.bytes; at += step) {
    reinterpret_cast<u8*>(landing.to)[at] = reinterpret_cast<const u8*>(landing.from)[at];
  }
}

// Fills the instruction caches of this multiprocessor, so that they hold no code of the program. Each of the first
// 16 warps of a block runs 16 KiB of instructions that no other warp runs.
#define FOUR(x) x x x x
#define CODE(number) \
  asm volatile("{" FOUR(FOUR(FOUR(FOUR(FOUR("mad.lo.u32 %0, %0, %1, " #number ";"))))) "}" : "+r"(value) : "r"(factor))
#define WARP(number) \
  case number: \
    CODE(number); \
    break
__device__ __noinline__ void fill_instruction_caches(u32* sink) {
  u32 value = threadIdx.x;
  const u32 factor = gridDim.x;
  switch (threadIdx.x / 32) {
    WARP(0); WARP(1); WARP(2); WARP(3); WARP(4); WARP(5); WARP(6); WARP(7);
    WARP(8); WARP(9); WARP(10); WARP(11); WARP(12); WARP(13); WARP(14); WARP(15);
  }
  if (value == 0x9E3779B9u) *sink = value;  // so that the compiler keeps the code
}

// Takes all thread slots of the GPU, fills the instruction caches, lands the inputs, sweeps the L2 cache, opens
// the gate, and lets the GPU go `hold` nanoseconds later. When the gate is open, `go` gets `number`, and `opened`
// and `told` get `ticket`. `opened` also gets it if the GPU could not be had. In the last `tail` nanoseconds,
// threads only look at the time.
extern "C" __global__ void __launch_bounds__(1024, 2) hold_gpu(const Landing* landings, u32 count, const
uint4* junk, u64 junk_count, u64* go, u64 number, u64* opened,
         u64* told, u64 ticket, Observation* observation, u64 patience, u64 hold, u64 tail, u32* sink) {
  const u64 first = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x;
  const u64 step = static_cast<u64>(gridDim.x) * blockDim.x;
  __shared__ u64 release;
  if (!meet(&observation->came, &observation->met, patience)) {
    if (threadIdx.x == 0) put64(opened, ticket);
    return;
  }
  fill_instruction_caches(sink);
  for (u32 i = 0; i < count; ++i) land(landings[i], first, step);
  meet(&observation->landed, &observation->all_landed, ~0ull);
  u32 seen = 0;
  u64 at = first;
  for (; at + 3 * step < junk_count; at += 4 * step) {
    const uint4 a = __ldcg(junk + at), b = __ldcg(junk + at + step);
    const uint4 c = __ldcg(junk + at + 2 * step), d = __ldcg(junk + at + 3 * step);
    seen |= a.x ^ b.y ^ c.z ^ d.w;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    if (atomicAdd(&observation->swept, 1u) == gridDim.x - 1) {
      const u64 open = now();
      __threadfence_system();
      put64(go, number);
      put64(opened, ticket);
      put64(told, ticket);
      put64(&observation->release, open + hold);
    }
    while (!(release = look64(&observation->release))) {
    }
  }
  __syncthreads();
  const u64 until = release;
  at = first;
  while (now() + tail < until) {
    seen |= __ldcg(junk + at).x;
    at += step;
    if (at >= junk_count) at = first;
  }
  if (seen == 0x9E3779B9u) *sink = seen;
  while (now() < until) {
  }
}

// ---- watching the outputs ---------------------------------------------------------------------------
// Words of outputs and of their copies. Of each, `mask` belongs to the output. First those that are watched.
struct Places {
  u64 live[2 * kWatched], copy[2 * kWatched];
  u32 mask[2 * kWatched];
};

// Draws secret places, before the call: `watch` must begin soon after the release. One block.
extern "C" __global__ void __launch_bounds__(256)
draw_places(const Output* outputs, u32 count, u32 key0, u32 key1, u32 nonce0, u32 nonce1, Places* places) {
  for (u32 index = threadIdx.x; index < 2 * kWatched; index += blockDim.x) {
    const u32 number = index % kWatched;
    u32 at = 0;
    while (at + 1 < count && number >= outputs[at + 1].first) ++at;
    const Output output = outputs[at];
    const u64 words = (output.bytes + 3) / 4;
    const uint4 random = philox(index, {key0, key1, nonce0, nonce1});
    const u64 word = output.places >= words ? (number - output.first) % words
                                            : __umul64hi(static_cast<u64>(random.x) << 32 | random.y, words);
    const u64 left = output.bytes - 4 * word;
    places->live[index] = output.live + 4 * word;
    places->copy[index] = output.copy + 4 * word;
    places->mask[index] = left >= 4 ? ~0u : (1u << (8 * left)) - 1;
  }
}

// The value of %globaltimer at which it changes next, with the clock of this multiprocessor at that moment.
__device__ u64 tick(u64* cycles) {
  const u64 before = now();
  u64 after;
  do after = now();
  while (after == before);
  *cycles = clock64();
  return after;
}

// One block. Looks at secret places of the outputs until `done` holds `number`, and once more. Then it reads as many
// other places once: it has not polled them, so they are not in a cache and cannot be found by timing loads. `values` gets
// the last value read at each place, and the observation gets the time of the last change at a watched place. If it has not seen `done` for `patience` cycles,
// it ends too: it gives way.
extern "C" __global__ void __launch_bounds__(256)
watch(const Places* places, const u64* done, u64 number, Observation* observation, u32* values, u64 patience) {
  if (look32(&observation->met) != kTogether) return;
  __shared__ volatile u64 told;
  __shared__ u64 last, last_time;
  u64 at[kPlacesPerThread], other_at[kPlacesPerThread];
  u32 mask[kPlacesPerThread], other_mask[kPlacesPerThread], seen[kPlacesPerThread], other[kPlacesPerThread];
#pragma unroll
  for (u32 k = 0; k < kPlacesPerThread; ++k) {
    const u32 index = threadIdx.x * kPlacesPerThread + k;
    at[k] = places->live[index];
    mask[k] = places->mask[index];
    other_at[k] = places->live[kWatched + index];
    other_mask[k] = places->mask[kWatched + index];
  }
  // An earlier watch of this call may have given way. Its count does not apply, because the outputs may have changed since.
  if (threadIdx.x == 0) {
    told = last = last_time = 0;
    observation->moved = 0;
  }
  __syncthreads();
#pragma unroll
  for (u32 k = 0; k < kPlacesPerThread; ++k) seen[k] = look32(reinterpret_cast<void*>(at[k])) & mask[k];
  // The barrier needs the values, so the watch begins when all of them are there. A change before that counts as
  // the beginning.
  __syncthreads_or(seen[0] ^ seen[1] ^ seen[2] ^ seen[3]);
  const u64 begun = clock64();
  u64 changed = begun, changed_time = now(), start_cycles = 0, start = 0;
  if (threadIdx.x == 0) start = tick(&start_cycles);
  bool end = false;
  for (u32 looks = 1;; ++looks) {
    u32 value[kPlacesPerThread];
#pragma unroll
    for (u32 k = 0; k < kPlacesPerThread; ++k) value[k] = look32(reinterpret_cast<void*>(at[k])) & mask[k];
    bool differs = false;
#pragma unroll
    for (u32 k = 0; k < kPlacesPerThread; ++k) {
      differs |= value[k] != seen[k];
      seen[k] = value[k];
    }
    if (differs) changed = clock64(), changed_time = now();
    if (end) break;
    if (threadIdx.x == 0) {
      if (look64(done) >= number) {
        told = clock64();
      } else if (looks % kLooksPerPatience == 0 && clock64() - begun > patience) {
        observation->gave_way = 1;
        told = clock64();
      }
    }
    __syncwarp();
    end = told != 0;
  }
#pragma unroll
  for (u32 k = 0; k < kPlacesPerThread; ++k) {
    other[k] = look32(reinterpret_cast<void*>(other_at[k])) & other_mask[k];
  }
  atomicMax(&last, changed);
  atomicMax(&last_time, changed_time);
#pragma unroll
  for (u32 k = 0; k < kPlacesPerThread; ++k) {
    values[threadIdx.x * kPlacesPerThread + k] = seen[k];
    values[kWatched + threadIdx.x * kPlacesPerThread + k] = other[k];
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    u64 end_cycles;
    const u64 end = tick(&end_cycles);
    const double rate = static_cast<double>(end - start) / static_cast<double>(end_cycles - start_cycles);
    const double origin = static_cast<double>(static_cast<long long>(start - observation->release));
    const auto since = [&](u64 cycles) {
      return origin + rate * static_cast<double>(static_cast<long long>(cycles - start_cycles));
    };
    // The clock of a multiprocessor may change its rate while we look, so that a tick is the least that counts.
    const double ticked = static_cast<double>(static_cast<long long>(last_time - observation->release));
    observation->last_ns = fmax(since(last), ticked);
    observation->done_ns = since(told);
  }
}

// Counts the places whose value in the copies is not what `watch` saw last. One block.
extern "C" __global__ void __launch_bounds__(256)
count_moved(const Places* places, const u32* values, Observation* observation) {
  u32 moved = 0;
  for (u32 index = threadIdx.x; index < 2 * kWatched; index += blockDim.x) {
    const u32 value = *reinterpret_cast<const u32*>(places->copy[index]) & places->mask[index];
    moved += value != values[index];
  }
  if (moved) atomicAdd(&observation->moved, moved);
}
