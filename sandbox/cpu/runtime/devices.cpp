// Keeps what the process knows of its devices, and answers the calls about them. See devices.h.
#include "devices.h"

#include <cuda_runtime_api.h>

#include <atomic>
#include <string>

#include "cuda_error.h"
#include "engine.h"

namespace warpcourt::cpu {
namespace {

thread_local int current = 0;
std::atomic<int> executing{-1};
std::atomic<bool> access[kMostDevices][kMostDevices];
std::atomic<bool> pool_access[kMostDevices][kMostDevices];

std::string range_text() {
  return device_count() == 1 ? "the only device is device 0"
                             : "the devices are 0 to " + std::to_string(device_count() - 1);
}

cudaError_t no_device(const char* call, int device) {
  return refuse(cudaErrorInvalidDevice,
                std::string(call) + ": there is no device " + std::to_string(device) + "; " + range_text());
}

}  // namespace

int device_count() { return engine().devices; }
bool is_device(int device) { return device >= 0 && device < device_count(); }

int current_device() { return current; }
void set_current_device(int device) { current = device; }

bool can_access(int device, int owner) { return device == owner || access[device][owner]; }
bool can_access_pool(int device, int owner) { return device == owner || pool_access[device][owner]; }
void set_pool_access(int device, int owner, bool allowed) { pool_access[device][owner] = allowed; }
bool enable_access(int device, int owner) { return !access[device][owner].exchange(true); }
bool disable_access(int device, int owner) { return access[device][owner].exchange(false); }

int executing_device() { return executing; }

Executing::Executing(int device) { executing = device; }
Executing::~Executing() { executing = -1; }

extern "C" {

cudaError_t cudaGetDevice(int* device) {
  *device = current_device();
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  if (!is_device(device)) return no_device("cudaSetDevice", device);
  set_current_device(device);
  return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int* count) {
  *count = device_count();
  return cudaSuccess;
}
cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) {
  *device = 0;
  return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  *can = 0;
  if (!is_device(device) || !is_device(peer)) return no_device("cudaDeviceCanAccessPeer", is_device(device) ? peer : device);
  *can = device != peer;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr name, int device, int peer) {
  *value = 0;
  if (!is_device(device) || !is_device(peer) || device == peer) {
    return no_device("cudaDeviceGetP2PAttribute", is_device(device) ? peer : device);
  }
  *value = name == cudaDevP2PAttrAccessSupported || name == cudaDevP2PAttrNativeAtomicSupported;
  return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  if (flags) return refuse(cudaErrorInvalidValue, "cudaDeviceEnablePeerAccess: flags must be 0");
  if (!is_device(peer)) return no_device("cudaDeviceEnablePeerAccess", peer);
  if (peer == current_device()) {
    return refuse(cudaErrorPeerAccessUnsupported,
                  "cudaDeviceEnablePeerAccess: device " + std::to_string(peer) +
                      " is the current device, and it can always access its own memory. Call cudaSetDevice with the other "
                      "device first");
  }
  return enable_access(current_device(), peer) ? cudaSuccess : set_error(cudaErrorPeerAccessAlreadyEnabled);
}
cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  if (!is_device(peer)) return no_device("cudaDeviceDisablePeerAccess", peer);
  return disable_access(current_device(), peer) ? cudaSuccess : set_error(cudaErrorPeerAccessNotEnabled);
}

}  // extern "C"

}  // namespace warpcourt::cpu
