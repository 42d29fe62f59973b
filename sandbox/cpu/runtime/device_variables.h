// The __device__ and __constant__ variables of each device.
//
// Theory of operation. On GPUs, each device has variables of its own. Here kernels know one address of a variable, and
// one thing runs at a time. So the values of the device whose operation runs next lie at this address, and those of the
// other devices are kept elsewhere. A managed variable is one for all devices.
#pragma once

namespace warpcourt::cpu {

// Before an operation of the device: puts its values into the variables. Programs with one device cost nothing.
void use_variables_of(int device);

}  // namespace warpcourt::cpu
