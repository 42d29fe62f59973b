// The contract between translated device code (sandbox/cpu/translator) and the runtime that executes it.
//
// Every PTX function becomes `void name(Thread*, const u8* parameters, u8* result)`. Its registers are
// locals, its labels gotos. Anything that another thread can see goes through the functions below.
#pragma once

#include <compare>
#include <cstdint>

namespace warpcourt::cpu {

using u8 = std::uint8_t;
using s8 = std::int8_t;
using u16 = std::uint16_t;
using s16 = std::int16_t;
using u32 = std::uint32_t;
using s32 = std::int32_t;
using u64 = std::uint64_t;
using s64 = std::int64_t;

struct Dim3 {
  u32 x, y, z;
};

struct Block;

// Bounds that passed the last full check at one access site: a hit is one subtraction and one compare.
struct SiteCache {
  u64 base;
  u64 extent;  // an access of this site's width at `a` is inside when a - base < extent
};

// The part of a CUDA thread that translated code reads. The runtime's own thread record derives from it.
struct Thread {
  u8* shared;             // this block's shared memory
  u32 shared_bytes;       // static and dynamic together
  u32 dynamic_offset;     // where extern __shared__ starts
  u32 dynamic_bytes;
  u32 index;              // linear index in the block
  u32 spin;               // how much it has polled since the last yield
  u64 polled;             // the address that it polled last
  u32 waited;             // yields since then, or since it changed something atomically
  Dim3 tid;
  const Dim3* ctaid;
  const Dim3* ntid;
  const Dim3* nctaid;
  SiteCache* sites;       // of the OS thread that runs this block
  bool races;             // shadow memory is on
  bool counted;           // see counters.h
  u8 poison;              // what registers and local arrays hold before they are written; see engine.h
  u32 allowed_unset;      // see allow_unset in semantics_memory.h
  u32 unset;
  bool cooperative;       // launched with cudaLaunchCooperativeKernel
  u32 location;           // translated code stores it at backward branches; a deadline names its line
  u32* executed;          // executions of each counted instruction, or null; see executed.h
  Block* block;
};

using Entry = void (*)(Thread*, const u8* parameters, u8* result);

// A polled access is relaxed, acquire or release: other threads may be at the same place on purpose. So it may be for
// one that is volatile, which programs also take for a barrier. Those of block scope mean no other block.
enum class Access : u32 {
  kRead = 0,
  kWrite,
  kAtomic,
  kPolledRead,
  kPolledWrite,
  kVolatileRead,
  kVolatileWrite,
  kBlockAtomic,
  kBlockPolledRead,
  kBlockPolledWrite,
  kCachedRead,  // through the cache for data that no thread of the grid writes
  kRelaxedRead,  // a polled one that acquires only with a fence after it
};

constexpr bool is_plain_read(Access access) { return access == Access::kRead || access == Access::kCachedRead; }
constexpr bool is_plain(Access access) { return is_plain_read(access) || access == Access::kWrite; }
constexpr bool is_atomic(Access access) { return access == Access::kAtomic || access == Access::kBlockAtomic; }
constexpr bool is_polled_read(Access access) {
  return access == Access::kPolledRead || access == Access::kRelaxedRead || access == Access::kVolatileRead ||
         access == Access::kBlockPolledRead;
}
constexpr bool is_polled_write(Access access) {
  return access == Access::kPolledWrite || access == Access::kVolatileWrite || access == Access::kBlockPolledWrite;
}
constexpr bool is_volatile(Access access) {
  return access == Access::kVolatileRead || access == Access::kVolatileWrite;
}
constexpr bool has_block_scope(Access access) {
  return access == Access::kBlockAtomic || access == Access::kBlockPolledRead || access == Access::kBlockPolledWrite;
}
constexpr bool reads(Access access) { return access != Access::kWrite && !is_polled_write(access); }
constexpr bool writes(Access access) { return !is_plain_read(access) && !is_polled_read(access); }

struct Parameter {
  u32 offset;
  u32 bytes;
};

// What ptxas gives to each thread of a kernel.
struct KernelResources {
  bool known;             // false if ptxas cannot read the PTX, or takes too long
  u32 registers;
  u32 spilled_bytes;      // stored and loaded again
  u32 local_bytes;        // the stack frame: local arrays, and registers that are spilled
  bool spills_much;       // so that a note is made of it
};

struct SharedArray {
  const char* name;  // as in the source
  u32 offset;
  u32 bytes;
  bool dynamic;      // its launch gives its size
};

struct Kernel {
  const char* name;       // mangled
  Entry entry;
  const Parameter* parameters;
  u32 parameter_count;
  u32 parameter_bytes;
  u32 static_shared_bytes;
  u32 max_threads;        // per block, by __launch_bounds__
  bool is_entry;          // .entry rather than .func
  bool polls;             // it may wait for another block
  u32 location;           // of its first instruction
  KernelResources resources;
  const SharedArray* shared_arrays;
  u32 shared_array_count;
};

// What the translator leaves free after each variable, so that an index which is a little too large hits nothing else.
constexpr u64 kVariableGuardBytes = 1024;

struct Variable {
  const char* name;
  u8* address;
  u64 bytes;
  bool constant;
};

struct Location {
  const char* file;
  u32 line;
};

// Ways from one access of memory to another that pass no barrier, see translator/ways.py. Down the text, or up it in a
// loop; and such that pass no __syncwarp() either.
enum WayKind : u8 { kDown = 1, kUp = 2, kDownInWarp = 4, kUpInWarp = 8 };
struct Way {
  u32 upper, lower;            // index Module::locations
  u32 upper_line, lower_line;  // between which a barrier can be
  u8 kinds;                    // of WayKind
};

// A line of a kernel that computes in double precision, see doubles.h.
struct DoubleLine {
  u32 kernel;  // index of Module::kernels
  u32 location;
  u32 instructions;
};

// A branch that counting runs count. A note may be made of it if it is `noted`.
struct BranchSite {
  u32 number;
  u32 location;
  bool noted;
  auto operator<=>(const BranchSite&) const = default;
};

// The format in which a sum is kept.
enum class SumFormat : u8 { kFloat32, kFloat16, kBfloat16 };

// An addition to a sum that a loop accumulates: the sum before it, the exact term, and the sum after it.
struct Addition {
  double before;
  double term;
  double after;
  SumFormat format;
};

// An instruction whose executions are counted, see executed.h.
struct CountedInstruction {
  const char* kind;
  u32 location;
};

// One translated module. Its object file exports it as `warpcourt_module`.
struct Module {
  const Kernel* kernels;
  u32 kernel_count;
  const Variable* variables;
  u32 variable_count;
  const Location* locations;  // index 0 means unknown
  u32 location_count;
  const Way* ways;
  u32 way_count;
  const DoubleLine* doubles;
  u32 double_count;
  const CountedInstruction* counted;
  u32 counted_count;
  u32 site_count;
  void (*initialise)();       // fills variables whose initialisers need addresses
};

enum class WarpOp : u32 {
  kSync, kBallot, kAny, kAll, kUniform, kMatchAny, kMatchAll,
  kAdd, kMin, kMax, kMinUnsigned, kMaxUnsigned, kAnd, kOr, kXor,
};
enum class Shuffle : u32 { kUp, kDown, kButterfly, kIndex };
// kGroupSync and kGridSync are kSync by cooperative groups: of a block, and as a part of the barrier of a grid.
enum class BarrierOp : u32 { kSync, kPopc, kAnd, kOr, kGroupSync, kGridSync };

extern "C" {
extern const Module warpcourt_module;

// Barriers and warp operations. `location` indexes Module::locations. `count` 0 means the whole block.
u32 wc_barrier(Thread*, u32 id, u32 count, BarrierOp, u32 value, u32 location);
void wc_barrier_arrive(Thread*, u32 id, u32 count, u32 location);
u32 wc_warp(Thread*, WarpOp, u32 mask, u64 value, u32 location);
u32 wc_shuffle(Thread*, Shuffle, u32 mask, u32 value, u32 lane, u32 clamp, bool* in_range, u32 location);
// Runs `combine(slots, mask)` once, when every lane in `mask` has arrived with its slot (matrix operations).
void wc_warp_combine(Thread*, u32 mask, void* slot, void (*combine)(void** slots, u32 mask), u32 location);
u32 wc_activemask(Thread*, u32 location);
void wc_yield(Thread*);
// Threads met through an mbarrier: race mode takes it for a barrier of the block.
void wc_meet(Thread*);
// Race mode: a memory fence, or the release that an operation carries.
void wc_fence(Thread*, bool within_block);
void wc_acquire(Thread*);
[[noreturn]] void wc_exit(Thread*);  // PTX exit inside a called function too

// Slow paths of checked accesses. wc_check_global returns when the access is allowed, and fills the site.
void wc_check_global(Thread*, u64 address, u32 bytes, u32 site, Access, u32 location);
[[noreturn]] void wc_bad_shared(Thread*, u32 offset, u32 bytes, Access, u32 location);
// The same where the address derives from the shared array at `start`.
[[noreturn]] void wc_bad_shared_array(Thread*, u32 start, u32 array_bytes, u32 offset, u32 bytes, Access, u32 location);
// `stride` elements of `bytes` from one row or column of a matrix to the next are not a multiple of `unit` bytes.
[[noreturn]] void wc_bad_leading_dimension(Thread*, u32 stride, u32 bytes, u32 unit, u32 location);
// Race mode: a read of a constant variable.
void wc_constant(Thread*, u64 address, u32 bytes, u32 location);
// Returns if the address is aligned and on the stack of the thread.
void wc_check_local(Thread*, u64 address, u32 bytes, Access, u32 location);
// `offset` into the thread's local array, or its parameters, of `array_bytes`.
[[noreturn]] void wc_bad_local(Thread*, u64 offset, u32 array_bytes, u32 bytes, Access, bool parameter, u32 location);
// Race mode: every access to shared memory, after its bounds were checked.
void wc_shadow_shared(Thread*, u32 offset, u32 bytes, Access, u32 location);
// Race mode: bytes of `mask` from the host address `at` on hold a copy of bytes that nothing has written.
void wc_leave_unset(Thread*, u64 at, u32 mask);

// Asynchronous copies of a thread to shared memory: `target` is the checked host address, `data` the
// bytes to write, of which `read` come from global memory.
void wc_copy_async(Thread*, u64 target, const u8* data, u32 bytes, u32 read, u32 location);
void wc_commit_copies(Thread*);
// All but those of the `groups_left` latest groups are there when it returns.
void wc_wait_for_copies(Thread*, u32 groups_left);
void wc_wait_for_all_copies(Thread*);
// Bulk copies: to shared memory at `offset`, whose bytes the mbarrier expects, and from there to global memory. Bytes
// that copies with that mbarrier bring are there when `wc_arrived_bytes` returns their number.
void wc_copy_bulk(Thread*, u32 offset, u64 source, u32 bytes, u64 barrier, u32 site, u32 location);
void wc_store_bulk(Thread*, u64 target, u32 offset, u32 bytes, u32 site, u32 location);
u32 wc_arrived_bytes(Thread*, u64 barrier);

// Counting runs: which side of a counted branch was taken.
void wc_branch(Thread*, bool taken, BranchSite);
// Counting runs: an operand and the result of a subtraction of rounded numbers.
void wc_subtracted(Thread*, float larger, float left, u32 location);
// Counting runs: an addition to a sum that a loop accumulates.
void wc_accumulated(Thread*, const Addition&, u32 location);

u64 wc_clock();
u64 wc_grid_workspace();
void wc_printf(Thread*, u64 format, u64 arguments, u8* result, u32 location);
void wc_malloc(Thread*, const u8* bytes, u8* result, u32 location);
void wc_free(Thread*, const u8* pointer, u32 location);
[[noreturn]] void wc_assert_fail(Thread*, u64 message, u64 file, u32 line, u64 function, u32 location);
[[noreturn]] void wc_trap(Thread*, u32 location);
[[noreturn]] void wc_no_grid_barrier(Thread*, u32 location);  // grid.sync() in a launch that is not cooperative
[[noreturn]] void wc_unsupported(Thread*, const char* instruction, u32 location);
// Texture and surface objects. Coordinates are f32 or s32 bits; `result` gets four 32-bit components.
void wc_texture(Thread*, u64 object, u32 dimensions, bool integer_coordinates, const u32* coordinates,
                u32* result, u32 location);
void wc_surface(Thread*, u64 object, u32 dimensions, const u32* coordinates, u32 bytes, void* data, Access,
                u32 location);
// The device runtime, with the parameter blocks of its functions: cudaGetParameterBufferV2 and cudaLaunchDeviceV2, which
// launch, and the rest (device_runtime.cpp). A `number` is what cudaGetDevice and its like give.
void wc_parameter_buffer(Thread*, const u8* parameters, u8* result, u32 location);
void wc_launch_device(Thread*, const u8* parameters, u8* result, u32 location);
void wc_device_last_error(Thread*, u8* result, bool keeps);
void wc_device_error_text(const u8* parameters, u8* result, bool name);
void wc_device_number(Thread*, const u8* parameters, u8* result, s32 number, u32 location);
void wc_device_stream_create(Thread*, const u8* parameters, u8* result, u32 location);
void wc_device_stream_destroy(const u8* parameters, u8* result);
void wc_device_stream_wait(Thread*, const u8* parameters, u8* result);
void wc_device_event_create(Thread*, const u8* parameters, u8* result, u32 location);
void wc_device_event_record(Thread*, const u8* parameters, u8* result);
void wc_device_event_destroy(const u8* parameters, u8* result);
void wc_device_malloc(Thread*, const u8* parameters, u8* result, u32 location);
void wc_device_free(Thread*, const u8* parameters, u8* result, u32 location);
void wc_divide_by_zero(Thread*, u32 location);  // warns once: a GPU does not trap
// Race mode: finite operands gave infinity in half precision.
void wc_half_overflow(Thread*, u32 location);
}

}  // namespace warpcourt::cpu
