// Says which shared array holds a byte of a block's shared memory.
#pragma once

#include <string>

#include "abi.h"

namespace warpcourt::cpu {

struct ThreadRecord;

// "element 33 of 1056 (of 4 bytes each) of shared array tile" for an access of `bytes` at `offset`, with the index past
// the end if the kernel has a single array; "byte 132 of shared memory" where the array is unknown.
std::string shared_text(const ThreadRecord& thread, u32 offset, u32 bytes);
// The same, counted in the static array at `start`, whatever array `offset` lies in.
std::string shared_text_from(const ThreadRecord& thread, u32 start, u32 offset, u32 bytes);

// Whether the kernel of a thread declares an array whose size its launch gives, or may do so.
bool may_have_dynamic_array(const ThreadRecord& thread);

}  // namespace warpcourt::cpu
