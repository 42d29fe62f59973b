// What ends a program that touches memory which it may not, whoever touches it: a thread of a kernel or an operation
// of a library.
#pragma once

#include <string>

#include "abi.h"
#include "diagnostics.h"
#include "memory.h"

namespace warpcourt::cpu {

struct Culprit {
  std::string place;  // after what happened: ", in kernel add, block (0,0,0), thread (1,0,0), line 4"
  Where where = {};
  std::string advice = "Check the index and its guard, such as if (i < n).";  // about an index that is too large
};

// "read of 4 bytes from "
std::string action(Access access, u32 bytes);
// An access of `bytes` at `address` in global memory that lies in no live allocation.
[[noreturn]] void bad_global(const Culprit& by, u64 address, u32 bytes, Access access);
// Race mode: the offset of the first of `bytes` at `address` that nothing has written, or `bytes`.
u64 first_uninitialised(const Range& range, u64 address, u64 bytes);
// Race mode: cudaMemset has set `bytes` from `base` on, where an allocation may begin that is larger.
void note_fill(u64 base, u64 bytes);
// The finding about a read of `bytes` at `address` that nothing has written.
void report_uninitialised(const Culprit& by, u64 address, u32 bytes);

}  // namespace warpcourt::cpu
