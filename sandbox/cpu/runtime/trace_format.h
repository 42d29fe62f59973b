// The layout of a trace in the memory that the judge maps for it: judge/replay/recorded.py reads it.
//
//     Header, Launch[launches], Array[arrays], Event[events], u32[addresses]
//
// All numbers are little endian. Events are sorted by launch, block, warp and order. An event of memory has one address
// for each lane of its mask, in the order of the lanes: an offset in shared memory, or a place in the address space of
// the trace, in which each array has its `start`. Texts end with a zero byte unless they fill their field.
#pragma once

#include "abi.h"

namespace warpcourt::cpu::trace {

constexpr u32 kMagic = 0x31525457;  // "WTR1"
constexpr u32 kMostLaunches = 64;
constexpr u32 kMostArrays = 256;
constexpr u32 kMostAccesses = 1 << 16;
constexpr u32 kNameBytes = 96;

enum class Kind : u8 { kRead = 0, kWrite = 1, kAtomic = 2, kBarrier = 3, kBranch = 4 };

struct Header {
  u32 magic;
  u32 launches;
  u32 arrays;
  u32 events;
  u32 addresses;
  u32 level;      // of thinning out, see trace.h
  u32 shortened;  // whether threads or launches are incomplete
  u32 reserved;
};

struct Launch {
  char kernel[kNameBytes];
  Dim3 grid;
  Dim3 block;
  u32 shared_bytes;
  u32 reserved;
};

struct Array {
  char name[kNameBytes];  // of an argument or a variable, else empty
  u32 start;
  u32 bytes;
  u32 element_bytes;      // 0: unknown
  u32 kind;               // a MemoryKind
};

struct Event {
  u32 block;
  u32 epoch;
  u32 line;      // in the submission, else 0
  u32 mask;      // lanes that take part
  u32 taken;     // of a branch: lanes that took it
  u16 launch;
  u16 warp;
  u16 bytes;     // of each access
  Kind kind;
  u8 shared;
};
static_assert(sizeof(Header) == 32 && sizeof(Launch) == 128 && sizeof(Array) == 112 && sizeof(Event) == 28);

}  // namespace warpcourt::cpu::trace
