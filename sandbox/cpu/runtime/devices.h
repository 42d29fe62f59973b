// The devices of a process: how many there are, which one is current, and which may access memory of which.
//
// Theory of operation. Functional mode has one device, or the virtual ones that a problem asks for. They share the
// processors, and memory of each is a part of the arena whose allocations know their device. As in CUDA, each host thread
// has a current device, and peer access is one-way and stays enabled until the process ends. It does not extend to
// memory of a pool, whose access cudaMemPoolSetAccess decides alone. While a kernel or an operation
// of a library runs, its device is the executing one: memory of another device is invalid for it without peer access. Copies
// may go anywhere.
#pragma once

#include "../../runner/wire.h"
#include "abi.h"

namespace warpcourt::cpu {

constexpr int kMostDevices = wire::kMaxDevices;

int device_count();
bool is_device(int device);

// Of this host thread. Each call of solve begins with device 0.
int current_device();
void set_current_device(int device);

// Whether kernels of a device may access memory of another one, or its own.
bool can_access(int device, int owner);
// The same for memory of the owner's pool.
bool can_access_pool(int device, int owner);
void set_pool_access(int device, int owner, bool allowed);
// False if it was enabled, or disabled, already.
bool enable_access(int device, int owner);
bool disable_access(int device, int owner);

// The device whose work runs now, or -1 between kernels. One thing runs at a time.
int executing_device();

class Executing {
 public:
  explicit Executing(int device);
  ~Executing();
  Executing(const Executing&) = delete;
  Executing& operator=(const Executing&) = delete;
};

}  // namespace warpcourt::cpu
