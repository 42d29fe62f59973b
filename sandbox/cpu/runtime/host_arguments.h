// Arguments of solve in host memory, pageable or pinned.
//
// Theory of operation. They are mapped outside the arena, so host code may use them at any time. Pages without access
// surround each, so a host access that runs away is recognised. Pinned arguments are registered like memory of
// cudaMallocHost, so kernels may use them. Pageable ones are known only here: copies check their bounds, and kernels
// cannot use them until the program registers them with cudaHostRegister.
#pragma once

#include <optional>

#include "memory.h"

namespace warpcourt::cpu {

// Maps `bytes` at `offset` of a memfd, which `argument.kind` calls kPageable or kPinned. Null when it cannot be mapped.
void* map_host_argument(int descriptor, u64 offset, Allocation argument);
void unmap_host_arguments();

// The pageable argument that holds the address.
std::optional<Allocation> pageable_argument(u64 address);
// The argument in host memory that holds the address, or whose inaccessible surroundings do.
std::optional<Allocation> host_argument_near(u64 address);

}  // namespace warpcourt::cpu
