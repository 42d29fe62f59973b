// Host memory that stands for memory of the threads and blocks of a GPU: stacks hold local memory, buffers hold shared
// memory. Threads reach their own in other ways, so that an address in it which comes from elsewhere is an error.
#pragma once

#include "abi.h"

namespace warpcourt::cpu {

enum class Owner : u8 { kNone, kThread, kBlock };

void note_owned(const void* base, u64 bytes, Owner owner);
void forget_owned(const void* base);
// Whose memory the address is in.
Owner owner_of(u64 address);

}  // namespace warpcourt::cpu
